package dpath

// Why unsafe: rules look at fields of C's struct by their offsets, and at elements of a list of another C struct. What keeps it sound:
// the requests and elements of a batch have the layout of C (see wr.go), and the offsets come from the facts of the header.
// It could go if generated code had a method of a request for each field.

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Refusal is a request that a queue refused, as the rules look at it that may explain why.
type Refusal struct {
	Request unsafe.Pointer // struct ibv_send_wr *, ibv_recv_wr * or ibv_ops_wr *, in the memory of its batch

	verb   string
	errno  syscall.Errno
	number int // in its batch
	id     uint64
	sges   []SGE
	gone   string // what is wrong with the address of its inline data, or empty
}

// RefusalOf returns the first request of the range that was not posted. The error is that of a post that errno failed for another reason
// than a request: the batch, or a closed queue pair.
func RefusalOf[W record](r Range[W], errs *fail.Once, posted int, errno syscall.Errno) (Refusal, error) {
	if err := Refused(r, errno); err != nil && posted == 0 {
		return Refusal{}, err
	}
	if !ofRequest(errno) || posted < 0 || posted >= r.n {
		return Refusal{}, errs.Errno(errno)
	}
	number := r.first + posted
	if r.batch == nil || uint(number) >= uint(len(r.batch.wrs)) {
		return Refusal{}, errs.Errno(errno)
	}
	w := &r.batch.wrs[number]
	f := Refusal{Request: unsafe.Pointer(w), verb: errs.Verb, errno: errno, number: number, id: headOf(w).id, sges: used(w)}
	if send, ok := any(w).(*SendRequest); ok {
		if errno == fail.ErrnoNoAddress && send.Remote == 0 {
			f.errno = syscall.EINVAL // what a provider answers; a rule says more
		}
		if errno == syscall.EFAULT {
			if bad, at := gone(r.batch, number, 1); bad >= 0 {
				f.gone = noData(at)
			}
		}
	}
	return f, f.unaddressed(errs)
}

// used returns the elements of a request, none when another goroutine has closed its batch.
func used[W record](w *W) []SGE {
	sges, num, room := listOf(w)
	n := atomic.LoadUint32(room)
	return elements(unsafe.Pointer(w), sges, min(*num, int32(n)), n)
}

// ofRequest reports whether a request is at fault for errno.
func ofRequest(errno syscall.Errno) bool {
	return errno < fail.ErrnoClosed || errno == fail.ErrnoAddressClosed || errno == fail.ErrnoNoAddress || errno == fail.ErrnoOtherDevice ||
		errno == fail.ErrnoWindowClosed || errno == fail.ErrnoWindowDevice
}

// unaddressed returns the error of a request whose address cannot be used, nil for any other errno.
func (r *Refusal) unaddressed(errs *fail.Once) error {
	if r.errno < fail.ErrnoClosed {
		return nil
	}
	err := errs.Errno(r.errno)
	var e *verr.Error
	if errors.As(err, &e) {
		e.Msg = r.name() + ": " + e.Msg
	}
	return err
}

// name returns how errors call the request.
func (r *Refusal) name() string { return fmt.Sprintf("request %d (wr_id %d)", r.number, r.id) }

// Total returns the sum of a field of 32 bits of all elements, at byte offset off of struct ibv_sge.
func (r *Refusal) Total(off uintptr) (sum uint64) {
	for i := range r.sges {
		sum += uint64(r.element(i, off))
	}
	return sum
}

// Least returns the smallest of such fields; without elements it is a number above all of them.
func (r *Refusal) Least(off uintptr) uint64 {
	least := uint64(math.MaxUint64)
	for i := range r.sges {
		least = min(least, uint64(r.element(i, off)))
	}
	return least
}

func (r *Refusal) element(i int, off uintptr) uint32 {
	return *(*uint32)(unsafe.Add(unsafe.Pointer(&r.sges[i]), off))
}

// Full reports whether the queue was full. Providers answer ENOMEM then, and some of them also when a request is larger than the queue
// pair allows, or when the queue pair is in no state to take any: so no rule may be broken that is enough to have it refused.
func (r *Refusal) Full(broken []verr.Violation) bool {
	return r.errno == syscall.ENOMEM && len(broken) == 0
}

// Error returns the error: it names the request, facts about its queue pair, and the rules that it breaks: those that are enough to
// have it refused, and others that may. Empty facts are left out.
func (r *Refusal) Error(broken, may []verr.Violation, facts ...string) error {
	var known []string
	for _, f := range facts {
		if f != "" {
			known = append(known, f)
		}
	}
	msg := r.name()
	if len(known) > 0 {
		msg += " on a queue pair with " + strings.Join(known, ", ")
	}
	if r.gone != "" {
		msg += ": " + r.gone
	}
	all := append(broken, may...)
	for i, v := range all {
		if v.Rule == nil {
			continue
		}
		if chain, rest, ok := strings.Cut(v.Rule.Subject, "[]"); ok {
			all[i].Place = fmt.Sprintf("%s[%d]%s", chain, r.number, rest)
		}
	}
	return &verr.Error{Verb: r.verb, Errno: r.errno, Msg: msg, Violations: all}
}

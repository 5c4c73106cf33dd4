package dpath

// Why unsafe: a gate holds the Native of its queue, which package gate does not know, and requests hold the addresses of entries. What
// keeps it sound: only Take sets the one, and entries are never freed.

import (
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Native is what is called in place of the library on a queue that belongs to Go: Send and Recv of a queue pair, Recv of a shared receive
// queue, and the rest of a completion queue. They return what PostSendRange, PostRecvRange, PollSpin and ReqNotify return.
type Native struct {
	Send   func(SendRange) (posted int, errno syscall.Errno)
	Recv   func(RecvRange) (posted int, errno syscall.Errno)
	Poll   func(most int) (wcs []WC, errno syscall.Errno) // in memory of the queue, until Polled, which follows if there is no errno
	Polled func()
	Notify func(solicitedOnly bool) syscall.Errno
	Event  func() // an event of the completion queue was taken
}

// Take has calls of the data path on a queue go to Go from now on. It is called once for a queue.
func Take(queue *gate.Gate, n *Native) {
	queue.Native = unsafe.Pointer(n)
	queue.Lack(gate.Direct)
	if n.Event != nil {
		events.Store(uintptr(queue.Object()), n)
		watching.Store(true)
	}
}

// Taken reports whether Take was called for a queue.
func Taken(queue *gate.Gate) bool { return queue.Lacks()&gate.Direct != 0 }

// Untake forgets a completion queue that is about to end.
func Untake(queue *gate.Gate) { events.Delete(uintptr(queue.Object())) }

// events has the completion queues of Go by the address of the C object.
var (
	events   sync.Map // uintptr -> *Native
	watching atomic.Bool
)

// took is called for each event that was taken.
func took(cq uintptr) {
	if !watching.Load() {
		return
	}
	if n, ok := events.Load(cq); ok {
		n.(*Native).Event()
	}
}

func native(queue *gate.Gate) *Native { return (*Native)(queue.Native) }

// postNative is post for a queue that belongs to Go.
func postNative[W record](to int, queue *gate.Gate, b *requests[W], first, n int) (bad int, errno syscall.Errno) {
	if inlines.Load() != 0 {
		if bad, _ := gone(b, first, n); bad >= 0 {
			return bad, syscall.EFAULT
		}
	}
	switch b := any(b).(type) {
	case *requests[SendRequest]:
		bad, errno = native(queue).Send(SendRange{b, first, n})
	case *requests[RecvRequest]:
		bad, errno = native(queue).Recv(RecvRange{b, first, n})
	default:
		return -1, fail.ErrnoDirect
	}
	if errno == 0 || bad < 0 {
		return -1, errno
	}
	return first + bad, errno
}

// Compare returns the first operand of an atomic.
func (w *SendRequest) Compare() uint64 { return w.second }

// RKey returns the remote key of a READ or a WRITE.
func (w *SendRequest) RKey() uint32 { return w.halves()[0] }

// To returns the address of a datagram: the generated handle of its address handle and the number that no other has, and the number and
// the qkey of the queue pair there. The errno is that of a request whose address cannot be used.
func (w *SendRequest) To() (owner any, serial uint64, qpn, qkey uint32, errno syscall.Errno) {
	if w.entry == 0 || w.entry == rawAddress || w.serial>>32 == windowMark {
		return nil, 0, 0, 0, fail.ErrnoNoAddress
	}
	e := *(**entry)(unsafe.Pointer(&w.entry))
	of := e.of.Load()
	if of == nil || e.serial.Load() != w.serial {
		return nil, 0, 0, 0, fail.ErrnoAddressClosed
	}
	return of.Owner, w.serial, w.halves()[0], w.halves()[1], 0
}

// SGEs returns the elements of the request.
func (w *SendRequest) SGEs() []SGE {
	return elements(unsafe.Pointer(w), w.sges, w.num, w.room)
}

// One returns the element of a request that has one, otherwise nil.
func (w *SendRequest) One() *SGE {
	if w.num != 1 || w.room == 0 {
		return nil
	}
	return element(unsafe.Pointer(w), w.sges, 0)
}

// SGEs returns the elements of the request.
func (w *RecvRequest) SGEs() []SGE {
	return elements(unsafe.Pointer(w), w.sges, w.num, w.room)
}

// One returns the element of a request that has one, otherwise nil.
func (w *RecvRequest) One() *SGE {
	if w.num != 1 || w.room == 0 {
		return nil
	}
	return element(unsafe.Pointer(w), w.sges, 0)
}

// SendRequests returns the requests of a range, or the errno of one that cannot be posted.
func SendRequests(r SendRange) ([]SendRequest, syscall.Errno) {
	return inRange(r.batch, r.first, r.n)
}

// RecvRequests is SendRequests for receives.
func RecvRequests(r RecvRange) ([]RecvRequest, syscall.Errno) {
	return inRange(r.batch, r.first, r.n)
}

func inRange[W record](b *requests[W], first, n int) ([]W, syscall.Errno) {
	if b == nil {
		return nil, syscall.EINVAL
	}
	if !b.has(first, n) {
		return nil, b.errno(first, n)
	}
	if b.more != nil {
		return nil, fail.ErrnoBatchAdds
	}
	reading(b, first, n)
	return b.wrs[first : first+n], 0
}

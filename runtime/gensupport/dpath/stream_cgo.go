//go:build linux && cgo

package dpath

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Begin begins the post of the range as a stream: it returns the first request, which C reads, and writes their number into a. It returns
// nil and 0 requests if the range cannot be posted. End must follow, unless the post is not Unfinished. to is the gate of the queue pair.
func Begin[W record](r Range[W], a *Stream, to *gate.Gate) unsafe.Pointer {
	b := r.batch
	a.bad = -1
	switch {
	case b == nil:
		a.code = int32(syscall.EINVAL)
	case !b.has(r.first, r.n):
		a.code = int32(b.errno(r.first, r.n))
	case r.n > 0:
		if b.more != nil {
			if r.beginMore(a, to); a.err != nil {
				return nil
			}
		}
		if inlines.Load() != 0 {
			if bad, at := gone(b, r.first, r.n); bad >= 0 {
				a.err = &verr.Error{Errno: syscall.EFAULT, Refused: true,
					Msg: fmt.Sprintf("request %d: %s; nothing was posted", bad, noData(at))}
				return nil
			}
		}
		if to.Lacks()&(gate.Shared|LacksPath) != 0 && !a.hold(to) {
			return nil
		}
		a.n, a.use = int64(r.n), uintptr(unsafe.Pointer(b.use))
		reading(b, r.first, r.n)
		return unsafe.Pointer(&b.wrs[r.first])
	}
	return nil
}

// hold reports whether the queue pair has a path, and no other goroutine uses what it shares.
func (a *Stream) hold(qp *gate.Gate) bool {
	switch {
	case !FindPath(qp):
		a.code = int32(fail.ErrnoNoPath)
	case qp.Lacks()&gate.Shared == 0:
		return true
	case !qp.Hold():
		a.code = int32(fail.ErrnoNotAlone)
	default:
		a.alone = qp
		return true
	}
	return false
}

// End ends the post that Begin began.
func End[W record](r Range[W], a *Stream) {
	runtime.KeepAlive(r.batch)
	if a.alone != nil {
		a.alone.Let()
	}
	if a.bad >= 0 {
		a.bad += int64(r.first)
	}
	if a.more != 0 {
		if a.err = r.lacksMore(a); a.err != nil {
			a.bad = -1
		}
	}
	a.endMore()
	if a.n != 0 && a.code == 0 {
		a.posted = r.n
	}
}

var _ = [1]struct{}{}[unsafe.Offsetof(Stream{}.posted)-56] // the layout that C knows

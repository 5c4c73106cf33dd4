//go:build linux && cgo

package dpath

import (
	"syscall"
	"unsafe"
)

// Begin begins the post of the range as a stream: it returns the first request, which C reads, and writes their number into a. If the
// range cannot be posted, it is none. End must follow.
func (r Range[W]) Begin(a *Stream) unsafe.Pointer {
	b := r.batch
	a.bad = -1
	switch {
	case b == nil:
		a.code = int32(syscall.EINVAL)
	case !b.state.free() || uint(r.first) > uint(len(b.wrs)) || uint(r.n) > uint(len(b.wrs)-r.first):
		a.code = int32(b.state.refused())
	case r.n > 0:
		b.state.post = uintptr(unsafe.Pointer(a)) // no other call has its answer there
		a.n = int64(r.n)
		reading(b.wrs[r.first : r.first+r.n])
		return unsafe.Pointer(&b.wrs[r.first])
	}
	return nil
}

// End ends the post that Begin began.
func (r Range[W]) End(a *Stream) {
	if a.n == 0 {
		return
	}
	if r.batch.state.end(uintptr(unsafe.Pointer(a))) {
		r.batch.link()
		a.code, a.bad = int32(syscall.EBUSY), -1
	}
	if a.code == 0 {
		a.posted = r.n
	}
}

var _ = [1]struct{}{}[unsafe.Offsetof(Stream{}.posted)-32] // the layout that C knows

//go:build linux && cgo

package dpath

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Begin begins the post of the range as a stream: it returns the first request, which C reads, and writes their number into a. If the
// range cannot be posted, it is none. End must follow.
func (r Range[W]) Begin(a *Stream) unsafe.Pointer {
	if a == nil {
		return nil
	}
	b := r.batch
	a.bad = -1
	switch {
	case b == nil:
		a.code = int32(syscall.EINVAL)
	case !b.has(r.first, r.n):
		a.code = int32(b.errno(r.first, r.n))
	case r.n > 0:
		a.n, a.use = int64(r.n), uintptr(unsafe.Pointer(b.use))
		reading(b, r.first, r.n)
		return unsafe.Pointer(&b.wrs[r.first])
	}
	return nil
}

// End ends the post that Begin began.
func (r Range[W]) End(a *Stream) {
	runtime.KeepAlive(r.batch)
	if a != nil && a.n != 0 && a.code == 0 {
		a.posted = r.n
	}
}

var _ = [1]struct{}{}[unsafe.Offsetof(Stream{}.posted)-40] // the layout that C knows

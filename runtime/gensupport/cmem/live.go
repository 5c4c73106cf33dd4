package cmem

import (
	"sync/atomic"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// Live returns the number at byte offset off of the C object of a handle, which may change while the object lives. It is 0 unless the
// handle is open.
func Live(h *object.Handle, off uintptr) uint32 {
	if h.Enter("") != nil {
		return 0
	}
	defer h.Exit()
	return atomic.LoadUint32((*uint32)(unsafe.Add(h.C, off)))
}

// SetLive sets such a number. The error is that of Enter.
func SetLive(verb string, h *object.Handle, off uintptr, value uint32) error {
	if err := h.Enter(verb); err != nil {
		return err
	}
	defer h.Exit()
	atomic.StoreUint32((*uint32)(unsafe.Add(h.C, off)), value)
	return nil
}

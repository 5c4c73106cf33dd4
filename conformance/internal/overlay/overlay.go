//go:build linux && cgo

// Package overlay gives a device that has no device memory one made of host memory, so that the bindings of device memory
// meet a real context of a real libibverbs and its kernel.
//
// It owns the operations that it puts into the table of each context opened through it, as a provider does: alloc_dm, free_dm,
// reg_dm_mr, and a query_device_ex that tells max_dm_size. Regions over such memory are regions of the kernel, zero-based by
// iova 0; the kernel wants their offsets to be multiples of the page size. What is shown with it is shown of an overlay, not of
// hardware.
package overlay

/*
#include "overlay.h"
*/
import "C"

import _ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h

// MaxDMSize is what the overlay tells as max_dm_size, in bytes.
const MaxDMSize = 1 << 20

// Page is what offsets of regions must be a multiple of, in bytes.
const Page = 4096

// Symbols is a source of functions; a *dl.Library is one.
type Symbols interface {
	Symbol(name, version string) uintptr
}

// Over is the given library with the overlay on each context that it opens. One library in a process can have it, and all
// devices opened through it must be of one provider.
func Over(library Symbols) Symbols {
	C.overlay_init(C.uintptr_t(library.Symbol("ibv_open_device", "IBVERBS_1.1")),
		C.uintptr_t(library.Symbol("ibv_reg_mr_iova2", "IBVERBS_1.8")))
	return over{library}
}

type over struct{ Symbols }

func (o over) Symbol(name, version string) uintptr {
	if name == "ibv_open_device" {
		return uintptr(C.overlay_open_device())
	}
	return o.Symbols.Symbol(name, version)
}

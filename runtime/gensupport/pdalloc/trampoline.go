//go:build linux && cgo

package pdalloc

// Everything crosses as integers: contexts are numbers of the registry, addresses are C memory that only C and the
// user follow.

/*
#include "trampoline.h"
*/
import "C"

//export verbsgen_pdalloc_go_alloc
func verbsgen_pdalloc_go_alloc(ctx C.uintptr_t, size, align C.size_t, resource C.uint64_t) (C.uintptr_t, C.int) {
	addr, errno := alloc(uintptr(ctx), uint64(size), uint64(align), uint64(resource))
	return C.uintptr_t(addr), C.int(errno)
}

//export verbsgen_pdalloc_go_free
func verbsgen_pdalloc_go_free(ctx, addr C.uintptr_t, resource C.uint64_t) {
	free(uintptr(ctx), uintptr(addr), uint64(resource))
}

// Register registers f as an allocator and returns the values for a struct ibv_parent_domain_init_attr: ctx for
// pd_context, and the addresses of the C functions for alloc and free. These functions are the same for every
// allocator; only ctx differs, so no verb may change it. The caller calls Release when the parent domain is gone. Both
// functions of f must be set (EINVAL).
func Register(f Funcs) (ctx, alloc, free uintptr, err error) {
	ctx, err = register(f)
	if err != nil {
		return 0, 0, 0, err
	}
	return ctx, uintptr(C.verbsgen_pdalloc_alloc_address()), uintptr(C.verbsgen_pdalloc_free_address()), nil
}

//go:build linux && cgo

package cmem

// Everything crosses as integers: contexts are numbers of the registry, addresses are C memory that only C and the
// user follow.

/*
#include "allocs.h"
*/
import "C"

//export verbsgen_cmem_go_alloc
func verbsgen_cmem_go_alloc(ctx C.uintptr_t, size, align C.size_t, resource C.uint64_t) (C.uintptr_t, C.int) {
	addr, errno := answerAlloc(uintptr(ctx), uint64(size), uint64(align), AllocResource(resource))
	return C.uintptr_t(addr), C.int(errno)
}

//export verbsgen_cmem_go_free
func verbsgen_cmem_go_free(ctx, addr C.uintptr_t, resource C.uint64_t) {
	answerFree(uintptr(ctx), uintptr(addr), AllocResource(resource))
}

// register registers the allocator and returns, for a struct ibv_parent_domain_init_attr, the addresses of the C functions for alloc and
// free. These functions are the same for every allocator; only the id, for pd_context, differs, so no verb may change it. The caller calls
// release when the parent domain is gone.
func (e *allocEntry) register() (alloc, free uintptr, err error) {
	e.enroll()
	return uintptr(C.verbsgen_cmem_alloc_address()), uintptr(C.verbsgen_cmem_free_address()), nil
}

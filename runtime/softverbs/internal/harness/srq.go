//go:build linux && cgo

package harness

/*
#include <stdlib.h>
#include "shims.h"
*/
import "C"

import "unsafe"

// SRQAttr is struct ibv_srq_attr.
type SRQAttr struct{ MaxWR, MaxSGE, Limit uint32 }

// CreateSRQ is ibv_create_srq; it gives the sizes that were granted.
func (l *Lib) CreateSRQ(pd Obj, in SRQAttr) (Obj, SRQAttr, error) {
	a := (*C.struct_ibv_srq_init_attr)(C.calloc(1, C.sizeof_struct_ibv_srq_init_attr))
	defer C.free(unsafe.Pointer(a))
	in.fill(&a.attr)
	srq, err := object(l.fn("ibv_create_srq"), uintptr(pd), at(a))
	return srq, SRQAttr{uint32(a.attr.max_wr), uint32(a.attr.max_sge), uint32(a.attr.srq_limit)}, err
}

func (a SRQAttr) fill(c *C.struct_ibv_srq_attr) {
	*c = C.struct_ibv_srq_attr{max_wr: C.uint32_t(a.MaxWR), max_sge: C.uint32_t(a.MaxSGE), srq_limit: C.uint32_t(a.Limit)}
}

// ModifySRQ is ibv_modify_srq.
func (l *Lib) ModifySRQ(srq Obj, in SRQAttr, mask int) error {
	a := (*C.struct_ibv_srq_attr)(C.calloc(1, C.sizeof_struct_ibv_srq_attr))
	defer C.free(unsafe.Pointer(a))
	in.fill(a)
	return code(l.fn("ibv_modify_srq"), uintptr(srq), at(a), uintptr(mask))
}

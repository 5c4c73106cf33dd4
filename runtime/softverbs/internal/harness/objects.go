//go:build linux && cgo

package harness

/*
#include <stdlib.h>
#include "shims.h"
*/
import "C"

import (
	"syscall"
	"unsafe"
)

// MR is what struct ibv_mr says.
type MR struct {
	Ctx, PD            Obj
	Addr               uintptr
	Length             uint64
	Handle, LKey, RKey uint32
}

// ReadMR reads a region's struct.
func ReadMR(mr Obj) MR {
	m := (*C.struct_ibv_mr)(mr)
	return MR{
		Obj(m.context), Obj(m.pd), uintptr(m.addr), uint64(m.length), uint32(m.handle), uint32(m.lkey), uint32(m.rkey),
	}
}

// RegMR is the exported ibv_reg_mr.
func (l *Lib) RegMR(pd Obj, addr uintptr, length uint64, access uint32) (Obj, error) {
	return object(l.fn("ibv_reg_mr"), uintptr(pd), addr, uintptr(length), uintptr(access))
}

// MRAttr is struct ibv_mr_init_attr.
type MRAttr struct {
	CompMask, Length, Iova, FDOffset uint64
	Addr                             uintptr
	FD                               int
	Access                           uint32
}

func (a MRAttr) c() *C.struct_ibv_mr_init_attr {
	c := (*C.struct_ibv_mr_init_attr)(C.calloc(1, C.sizeof_struct_ibv_mr_init_attr))
	c.length, c.access, c.comp_mask = C.size_t(a.Length), C.int(a.Access), C.uint64_t(a.CompMask)
	c.iova, c.fd, c.fd_offset = C.uint64_t(a.Iova), C.int(a.FD), C.uint64_t(a.FDOffset)
	*(*uintptr)(unsafe.Pointer(&c.addr)) = a.Addr
	return c
}

// RegMRExOp is the operation reg_mr_ex.
func (l *Lib) RegMRExOp(pd Obj, a MRAttr) (Obj, error) {
	c := a.c()
	defer C.free(unsafe.Pointer(c))
	return object(op(contextOf(pd), unsafe.Offsetof(inExtended.reg_mr_ex)), uintptr(pd), at(c))
}

// Rereg is ibv_rereg_mr: its result and errno.
func (l *Lib) Rereg(mr Obj, flags int, pd Obj, addr uintptr, length uint64, access uint32) (int, error) {
	return failed(l.fn("ibv_rereg_mr"), uintptr(mr), uintptr(flags), uintptr(pd), addr, uintptr(length), uintptr(access))
}

// AllocTD is ibv_alloc_td.
func (l *Lib) AllocTD(ctx Obj, compMask uint32) (Obj, error) {
	a := (*C.struct_ibv_td_init_attr)(C.calloc(1, C.sizeof_struct_ibv_td_init_attr))
	defer C.free(unsafe.Pointer(a))
	a.comp_mask = C.uint32_t(compMask)
	return object(op(ctx, unsafe.Offsetof(inExtended.alloc_td)), uintptr(ctx), at(a))
}

// Arena is an allocator for a parent domain, and what it was asked for.
type Arena struct{ c *C.struct_svbh_arena }

// What an Arena answers.
const (
	AnswerMemory  = C.SVBH_MEMORY
	AnswerDefault = C.SVBH_DEFAULT
	AnswerNull    = C.SVBH_NULL
	AnswerDirty   = C.SVBH_DIRTY
	AnswerCrooked = C.SVBH_CROOKED
)

// NewArena makes an Arena with one of the answers.
func NewArena(answer int) *Arena {
	a := &Arena{(*C.struct_svbh_arena)(C.calloc(1, C.sizeof_struct_svbh_arena))}
	a.c.answer = C.int(answer)
	return a
}

// Counts are the calls of alloc that gave memory, those of free, and those of free with other arguments than alloc had.
func (a *Arena) Counts() (allocs, frees, bad int) {
	return int(a.c.allocs), int(a.c.frees), int(a.c.bad_frees)
}

// Free ends the Arena.
func (a *Arena) Free() { C.free(unsafe.Pointer(a.c)) }

// AllocParentDomain is ibv_alloc_parent_domain; td and arena may be nil, mask is added to comp_mask.
func (l *Lib) AllocParentDomain(ctx, pd, td Obj, arena *Arena, mask uint32) (Obj, error) {
	a := (*C.struct_ibv_parent_domain_init_attr)(C.calloc(1, C.sizeof_struct_ibv_parent_domain_init_attr))
	defer C.free(unsafe.Pointer(a))
	var c *C.struct_svbh_arena
	if arena != nil {
		c = arena.c
	}
	C.svbh_parent_domain_attr(a, pd, td, c)
	a.comp_mask |= C.uint32_t(mask)
	return object(op(ctx, unsafe.Offsetof(inExtended.alloc_parent_domain)), uintptr(ctx), at(a))
}

// AllocDM is ibv_alloc_dm.
func (l *Lib) AllocDM(ctx Obj, length uint64, logAlign, compMask uint32) (Obj, error) {
	a := (*C.struct_ibv_alloc_dm_attr)(C.calloc(1, C.sizeof_struct_ibv_alloc_dm_attr))
	defer C.free(unsafe.Pointer(a))
	a.length, a.log_align_req, a.comp_mask = C.size_t(length), C.uint32_t(logAlign), C.uint32_t(compMask)
	return object(op(ctx, unsafe.Offsetof(inExtended.alloc_dm)), uintptr(ctx), at(a))
}

// FreeDM is ibv_free_dm.
func (l *Lib) FreeDM(ctx, dm Obj) error {
	return code(op(ctx, unsafe.Offsetof(inExtended.free_dm)), uintptr(dm))
}

// ToDM is ibv_memcpy_to_dm of the first n bytes of p, which may be more than it has when the call is to be refused.
func (l *Lib) ToDM(dm Obj, off uint64, p []byte, n uint64) error {
	return copied(C.svbh_to_dm(dm, C.uint64_t(off), unsafe.Pointer(unsafe.SliceData(p)), C.size_t(n)))
}

// FromDM is ibv_memcpy_from_dm.
func (l *Lib) FromDM(p []byte, dm Obj, off, n uint64) error {
	return copied(C.svbh_from_dm(unsafe.Pointer(unsafe.SliceData(p)), dm, C.uint64_t(off), C.size_t(n)))
}

func copied(rc C.int) error {
	if rc != 0 {
		return syscall.Errno(rc)
	}
	return nil
}

func contextOf(pd Obj) Obj { return Obj((*C.struct_ibv_pd)(pd).context) }

// RegDMMR is ibv_reg_dm_mr.
func (l *Lib) RegDMMR(pd, dm Obj, off, length uint64, access uint32) (Obj, error) {
	fn := op(contextOf(pd), unsafe.Offsetof(inExtended.reg_dm_mr))
	return object(fn, uintptr(pd), uintptr(dm), uintptr(off), uintptr(length), uintptr(access))
}

// NullMR is ibv_alloc_null_mr.
func (l *Lib) NullMR(pd Obj) (Obj, error) {
	return object(op(contextOf(pd), unsafe.Offsetof(inExtended.alloc_null_mr)), uintptr(pd))
}

// FakeAllocDM is a replacement of the operation alloc_dm that answers ENOTTY.
func FakeAllocDM() uintptr { return uintptr(C.svbh_fake_alloc_dm()) }

// Asked is what the last call of alloc was asked for.
func (a *Arena) Asked() (pd Obj, size, alignment, resource uint64) {
	return a.c.pd, uint64(a.c.size), uint64(a.c.alignment), uint64(a.c.resource)
}

// Advise is ibv_advise_mr with one element, or none when n is 0.
func (l *Lib) Advise(pd Obj, advice int, flags uint32, addr uint64, length, lkey, n uint32) error {
	s := sges([]SGE{{addr, length, lkey}})
	defer C.free(unsafe.Pointer(s))
	return code(op(contextOf(pd), unsafe.Offsetof(inExtended.advise_mr)), uintptr(pd), uintptr(advice), uintptr(flags), at(s), uintptr(n))
}

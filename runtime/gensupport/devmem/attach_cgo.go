//go:build linux && cgo

package devmem

// This file is unsafe because it calls C and turns C's answers into Go. What keeps it sound: handles of C go to the shims as
// uintptr_t, for no Go pointer check has to look at them; host slices go as uint8_t *, so the compiler sees and keeps
// them; and noescape with nocallback lets them lie on the stack. Callbacks of providers are C and never reach Go. It could go
// if every provider told where its memory is mapped. It is the only file of the package that imports C, as one more adds .2 s to each
// build that is not cached.

/*
#cgo LDFLAGS: -ldl
#include <stddef.h>
#include <errno.h>
#include <stdint.h>
#include "fence.h"
#include "../gate/gate.h"
#include "provider.h"
#include "../verbs_abi.h"
#include "access.h"

#cgo noescape verbsgen_devmem_write
#cgo nocallback verbsgen_devmem_write
#cgo noescape verbsgen_devmem_read
#cgo nocallback verbsgen_devmem_read
#cgo noescape verbsgen_devmem_access
#cgo nocallback verbsgen_devmem_access

// The answer goes through a pointer because cgo looks up the stack twice for a function that has a result.
static void verbsgen_devmem_write(const uintptr_t *gate, uint64_t off, uint8_t *host, size_t n, int *code)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	struct ibv_dm *d;

	if (slot == NULL) {
		*code = ENOMEM;
		return;
	}
	d = (struct ibv_dm *)verbsgen_gate_object(gate);
	*code = __builtin_expect(d != NULL, 1) ? d->memcpy_to_dm(d, off, host, n) : VERBSGEN_GATE_CLOSED;
	verbsgen_gate_leave(slot);
}

static void verbsgen_devmem_read(const uintptr_t *gate, uint64_t off, uint8_t *host, size_t n, int *code)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	struct ibv_dm *d;

	if (slot == NULL) {
		*code = ENOMEM;
		return;
	}
	d = (struct ibv_dm *)verbsgen_gate_object(gate);
	*code = __builtin_expect(d != NULL, 1) ? d->memcpy_from_dm(host, d, off, n) : VERBSGEN_GATE_CLOSED;
	verbsgen_gate_leave(slot);
}

// One of the copies of a call: Piece of pieces.go.
struct verbsgen_devmem_piece {
	int64_t off, at, len;
};

struct verbsgen_devmem_made {
	int64_t pieces;
	int code;
};

#cgo noescape verbsgen_devmem_pieces
#cgo nocallback verbsgen_devmem_pieces

// What a piece is compared with: pieceLimits of pieces.go.
struct verbsgen_devmem_limits {
	uint64_t size, length, odd;
};

enum { VERBSGEN_DEVMEM_BAD = 0x20000 }; // badPiece of pieces.go

static inline int verbsgen_devmem_fits(const struct verbsgen_devmem_piece *v, const struct verbsgen_devmem_limits *most)
{
	uint64_t off = (uint64_t)v->off, at = (uint64_t)v->at, len = (uint64_t)v->len;

	return at <= most->size && len <= most->size - at && off <= most->length && len <= most->length - off && ((off | len) & most->odd) == 0;
}

static void verbsgen_devmem_pieces(const uintptr_t *gate, int from, uint8_t *host, const struct verbsgen_devmem_piece *v, int64_t n,
				   const struct verbsgen_devmem_limits *most, struct verbsgen_devmem_made *made)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	struct ibv_dm *d;
	int code = 0;
	int64_t i;

	made->pieces = 0;
	if (slot == NULL) {
		made->code = ENOMEM;
		return;
	}
	d = (struct ibv_dm *)verbsgen_gate_object(gate);
	if (d == NULL) {
		code = VERBSGEN_GATE_CLOSED;
		n = 0;
	}
	for (i = 0; i < n; i++, v++) {
		if (__builtin_expect(!verbsgen_devmem_fits(v, most), 0)) {
			code = VERBSGEN_DEVMEM_BAD;
			break;
		}
		code = from ? d->memcpy_from_dm(host + v->at, d, (uint64_t)v->off, (size_t)v->len) :
			      d->memcpy_to_dm(d, (uint64_t)v->off, host + v->at, (size_t)v->len);
		if (__builtin_expect(code != 0, 0))
			break;
	}
	verbsgen_gate_leave(slot);
	made->pieces = i;
	made->code = code;
}
*/
import "C"

import (
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Attach starts the use of a struct ibv_dm and chooses how its bytes are reached. length, in bytes, is used if known is
// set and the provider does not report its own.
//
// A provider that cannot be trusted is refused: the error gives the reason, is errors.ErrUnsupported, and is returned
// by every later copy. The object can still be registered and freed.
func (d *DM) Attach(c unsafe.Pointer, length uint64, known bool) error {
	if d == nil {
		return writing.none
	}
	if c == nil {
		return writing.detached
	}
	d.length, d.known, d.refused = length, known, nil
	d.span.Close()
	var in C.struct_verbsgen_devmem_facts
	handle := C.uintptr_t(uintptr(c))
	C.verbsgen_devmem_inspect(handle, &in)
	f := facts{hasContext: in.has_context != 0, op: newPlace(&in.op), to: newPlace(&in.to), from: newPlace(&in.from),
		mana: in.mana != 0}
	if reason := distrust(f); reason != "" {
		d.mode, d.refused = Refused, newRefusal(reason)
		d.gate.Open(c)
		return d.refused.write
	}
	var m C.struct_verbsgen_devmem_mapping
	C.verbsgen_devmem_map(handle, &in.op, &m)
	if direct := d.adopt(length, known, mapping{base: uintptr(m.base), length: uint64(m.length)}); direct != 0 {
		d.span.Open(m.base, direct)
	}
	d.gate.Open(c)
	return nil
}

func newPlace(p *C.struct_verbsgen_devmem_place) place {
	return place{addr: uintptr(p.addr), object: uintptr(p.object), found: p.found != 0, code: p.code != 0,
		name: C.GoString(&p.name[0])}
}

// shimWrite calls the provider's callback and gives its answer: 0, an errno, or that the device memory was closed.
func shimWrite(dm *gate.Gate, off uint64, p []byte) int {
	var code C.int
	C.verbsgen_devmem_write((*C.uintptr_t)(dm.Word()), C.uint64_t(off), (*C.uint8_t)(unsafe.SliceData(p)), C.size_t(len(p)), &code)
	return int(code)
}

func shimRead(dm *gate.Gate, off uint64, p []byte) int {
	var code C.int
	C.verbsgen_devmem_read((*C.uintptr_t)(dm.Word()), C.uint64_t(off), (*C.uint8_t)(unsafe.SliceData(p)), C.size_t(len(p)), &code)
	return int(code)
}

// shimPieces makes copies by the provider's callback: how many were made, and its answer, as of shimWrite, or badPiece.
func shimPieces(dm *gate.Gate, from bool, host []byte, pieces []Piece, most pieceLimits) (made, code int) {
	var out C.struct_verbsgen_devmem_made
	var way C.int
	if from {
		way = 1
	}
	C.verbsgen_devmem_pieces((*C.uintptr_t)(dm.Word()), way, (*C.uint8_t)(unsafe.SliceData(host)),
		(*C.struct_verbsgen_devmem_piece)(unsafe.Pointer(unsafe.SliceData(pieces))), C.int64_t(len(pieces)),
		(*C.struct_verbsgen_devmem_limits)(unsafe.Pointer(&most)), &out)
	return int(out.pieces), int(out.code)
}

// The pieces of C are those of Go.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Piece{})-C.sizeof_struct_verbsgen_devmem_piece]
	_ = [1]struct{}{}[unsafe.Offsetof(Piece{}.Len)-16]
	_ = [1]struct{}{}[unsafe.Sizeof(pieceLimits{})-C.sizeof_struct_verbsgen_devmem_limits]
	_ = [1]struct{}{}[badPiece-C.VERBSGEN_DEVMEM_BAD]
)

func fence() { C.verbsgen_devmem_fence() }

// mappedAccess is a load or a store of 4 or 8 bytes of a mapping. Its gate holds the mapping meanwhile.
func mappedAccess(of *gate.Gate, off uint64, width int, write bool, v *uint64) syscall.Errno {
	var code, store C.int
	if write {
		store = 1
	}
	C.verbsgen_devmem_access((*C.uintptr_t)(of.Word()), C.uint64_t(off), C.int(width), store, (*C.uint64_t)(v), &code)
	return syscall.Errno(code)
}

//go:build linux && cgo

package fakeprov

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "../../verbs_abi.h"

static void *load(const char *path, const char **why)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (lib == NULL)
		*why = dlerror();
	return lib;
}

static uintptr_t find(void *lib, const char *name) { return (uintptr_t)dlsym(lib, name); }

static struct ibv_context *call_open(uintptr_t fn)
{
	return ((struct ibv_context *(*)(void))fn)();
}

static struct ibv_dm *call_alloc(uintptr_t fn, uintptr_t ctx, size_t length)
{
	struct ibv_alloc_dm_attr attr = { .length = length };

	errno = 0;
	return ((struct ibv_dm *(*)(struct ibv_context *, struct ibv_alloc_dm_attr *))fn)((struct ibv_context *)ctx, &attr);
}

static struct ibv_dm *call_import(uintptr_t fn, uintptr_t ctx, uint32_t handle)
{
	errno = 0;
	return ((struct ibv_dm *(*)(struct ibv_context *, uint32_t))fn)((struct ibv_context *)ctx, handle);
}

static int call_free(uintptr_t fn, uintptr_t dm) { return ((int (*)(struct ibv_dm *))fn)((struct ibv_dm *)dm); }

static struct ibv_dm *call_newest(uintptr_t fn) { return ((struct ibv_dm *(*)(void))fn)(); }

static void *call_bytes(uintptr_t fn, uintptr_t dm) { return ((void *(*)(struct ibv_dm *))fn)((struct ibv_dm *)dm); }

static uint32_t handle_of(uintptr_t dm) { return ((struct ibv_dm *)dm)->handle; }
static void set_context(uintptr_t dm, uintptr_t ctx) { ((struct ibv_dm *)dm)->context = (struct ibv_context *)ctx; }
static void clear_layout_mark(uintptr_t ctx) { ((struct ibv_context *)ctx)->abi_compat = NULL; }

static void set_size(uintptr_t ctx, size_t sz)
{
	struct verbs_context *v = (struct verbs_context *)(ctx - offsetof(struct verbs_context, context));

	v->sz = sz;
}

static void set_alloc_op(uintptr_t ctx, uintptr_t op)
{
	struct verbs_context *v = (struct verbs_context *)(ctx - offsetof(struct verbs_context, context));

	*(uintptr_t *)(void *)&v->alloc_dm = op;
}

static unsigned long count_at(uintptr_t p, int i) { return __atomic_load_n((unsigned long *)p + i, __ATOMIC_RELAXED); }
static void set_int(uintptr_t p, int v) { *(int *)p = v; }
*/
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
)

// Provider is a loaded provider. It stays in the process for good, as real ones do.
type Provider struct {
	path string
	lib  unsafe.Pointer
	ctx  unsafe.Pointer // struct ibv_context * of the calls made here
}

// Load loads what Build made.
func Load(path string) (*Provider, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var why *C.char
	lib := C.load(name, &why)
	if lib == nil {
		return nil, fmt.Errorf("fake provider: %s", C.GoString(why))
	}
	p := &Provider{path: path, lib: lib}
	p.ctx = unsafe.Pointer(C.call_open(p.function("fake_open")))
	if p.ctx == nil {
		return nil, fmt.Errorf("fake provider %s: no context", path)
	}
	return p, nil
}

// Op returns the address of the C function for an op of a verbs context ("alloc_dm", "free_dm", "reg_dm_mr", "dereg_mr",
// "import_dm", "unimport_dm", "query_device_ex"), 0 when there is none of that name.
func (p *Provider) Op(name string) uintptr { return uintptr(p.function("fake_" + name)) }

func (p *Provider) function(name string) C.uintptr_t {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.find(p.lib, s)
}

// Calls returns how often the two copy callbacks were called, for a provider that was built to count.
func (p *Provider) Calls() (to, from uint64) {
	at := p.function("fake_calls")
	return uint64(C.count_at(at, 0)), uint64(C.count_at(at, 1))
}

// SetAnswer makes every copy answer code until it is set to 0, for providers without a rule of alignment.
func (p *Provider) SetAnswer(code int) { C.set_int(p.function("fake_answer"), C.int(code)) }

// RefuseFree makes the next free_dm answer errno and free nothing.
func (p *Provider) RefuseFree(errno syscall.Errno) {
	C.set_int(p.function("fake_refuse_free"), C.int(errno))
}

// Alloc makes a device memory of the given length in bytes: a struct ibv_dm *, to be given to Free.
func (p *Provider) Alloc(length uint64) (unsafe.Pointer, error) {
	dm, err := C.call_alloc(p.function("fake_alloc_dm"), C.uintptr_t(uintptr(p.ctx)), C.size_t(length))
	if dm == nil {
		return nil, fmt.Errorf("fake alloc_dm of %d bytes: %w", length, err)
	}
	return unsafe.Pointer(dm), nil
}

// Newest returns the object (struct ibv_dm *) that was made last, by any caller; nil if there is no object.
func (p *Provider) Newest() unsafe.Pointer {
	return unsafe.Pointer(C.call_newest(p.function("fake_newest")))
}

// Import makes a second object over the memory of another.
func (p *Provider) Import(dm unsafe.Pointer) (unsafe.Pointer, error) {
	got, err := C.call_import(p.function("fake_import_dm"), C.uintptr_t(uintptr(p.ctx)), C.handle_of(C.uintptr_t(uintptr(dm))))
	if got == nil {
		return nil, fmt.Errorf("fake import_dm: %w", err)
	}
	return unsafe.Pointer(got), nil
}

// Free ends an object of Alloc or Import; the pages go with the last one over them.
func (p *Provider) Free(dm unsafe.Pointer) {
	C.call_free(p.function("fake_free_dm"), C.uintptr_t(uintptr(dm)))
}

// Bytes shows the memory behind an object, of the given length.
func (p *Provider) Bytes(dm unsafe.Pointer, length uint64) []byte {
	return unsafe.Slice((*byte)(C.call_bytes(p.function("fake_bytes"), C.uintptr_t(uintptr(dm)))), length)
}

// Break changes the context of a device memory into one that a careful caller does not trust.
type Break int

const (
	NoContext   Break = iota // the object names no context
	OldLayout                // the context is not of the extended layout
	ShortLayout              // the context ends before the op alloc_dm
	NoOp                     // it has no op alloc_dm
	HeapOp                   // its op alloc_dm lies in no loaded object
)

// SpoilContext gives dm a context of its own that is broken in the given way.
func (p *Provider) SpoilContext(dm unsafe.Pointer, how Break) {
	ctx := C.uintptr_t(uintptr(unsafe.Pointer(C.call_open(p.function("fake_open")))))
	switch how {
	case NoContext:
		ctx = 0
	case OldLayout:
		C.clear_layout_mark(ctx)
	case ShortLayout:
		C.set_size(ctx, C.sizeof_struct_ibv_context+64)
	case NoOp:
		C.set_alloc_op(ctx, 0)
	case HeapOp:
		C.set_alloc_op(ctx, ctx)
	}
	C.set_context(C.uintptr_t(uintptr(dm)), ctx)
}

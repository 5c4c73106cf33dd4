//go:build linux && cgo

package harness

/*
#cgo CFLAGS: -D_GNU_SOURCE
#include <stdlib.h>
#include "shims.h"
*/
import "C"

import (
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
)

// Obj is a pointer to an object of the library.
type Obj = unsafe.Pointer

// Lib is a library to call.
type Lib struct {
	sym func(name, version string) uintptr
}

// Load makes a Lib of a symbol source.
func Load(sym func(name, version string) uintptr) *Lib { return &Lib{sym} }

func (l *Lib) fn(name string) uintptr { return l.sym(name, "") }

// call calls a function, and returns its result and errno.
func call(fn uintptr, args ...uintptr) (unsafe.Pointer, syscall.Errno) {
	var a [8]C.uintptr_t
	for i, v := range args {
		a[i] = C.uintptr_t(v)
	}
	var e C.int
	r := C.svbh_call(C.uintptr_t(fn), &a[0], &e)
	return r, syscall.Errno(e)
}

// object calls a function that returns an object. A device may lack an operation, whose address is 0 then.
func object(fn uintptr, args ...uintptr) (Obj, error) {
	if fn == 0 {
		return nil, syscall.EOPNOTSUPP
	}
	o, e := call(fn, args...)
	if o == nil {
		return nil, e
	}
	return o, nil
}

// number calls a function that returns an int.
func number(fn uintptr, args ...uintptr) (int, syscall.Errno) {
	r, e := call(fn, args...)
	return int(int32(uintptr(r))), e
}

// code calls a function that returns an errno.
func code(fn uintptr, args ...uintptr) error {
	if fn == 0 {
		return syscall.EOPNOTSUPP
	}
	if rc, _ := number(fn, args...); rc != 0 {
		return syscall.Errno(rc)
	}
	return nil
}

// failed calls a function that returns something else than 0 when it fails, and sets errno.
func failed(fn uintptr, args ...uintptr) (int, error) {
	rc, e := number(fn, args...)
	if rc == 0 || e == 0 {
		return rc, nil
	}
	return rc, e
}

// at is the address of C memory.
func at[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

var inExtended C.struct_verbs_context // for the offsets of its fields

func extended(ctx Obj) *C.struct_verbs_context {
	return (*C.struct_verbs_context)(unsafe.Add(ctx, -int(unsafe.Offsetof(inExtended.context))))
}

// op returns an operation of struct verbs_context; 0 where it is not there, or lies beyond the struct of an older release.
func op(ctx Obj, offset uintptr) uintptr {
	v := extended(ctx)
	if uintptr(v.sz) < unsafe.Sizeof(inExtended)-offset {
		return 0
	}
	return *(*uintptr)(unsafe.Add(unsafe.Pointer(v), offset))
}

// DeviceList returns the list and its devices.
func (l *Lib) DeviceList() (list Obj, devs []Obj, err error) {
	n := (*C.int)(C.calloc(1, C.sizeof_int))
	defer C.free(unsafe.Pointer(n))
	list, err = object(l.fn("ibv_get_device_list"), at(n))
	if err != nil {
		return nil, nil, err
	}
	all := unsafe.Slice((*Obj)(list), *n+1)
	if all[*n] != nil {
		err = syscall.EPROTO // the list must end in NULL
	}
	return list, all[:*n], err
}

// FreeDeviceList frees the list.
func (l *Lib) FreeDeviceList(list Obj) { call(l.fn("ibv_free_device_list"), uintptr(list)) }

// DeviceName is ibv_get_device_name.
func (l *Lib) DeviceName(dev Obj) string {
	name, _ := call(l.fn("ibv_get_device_name"), uintptr(dev))
	return C.GoString((*C.char)(name))
}

// DeviceGUID is ibv_get_device_guid, as it stands in memory.
func (l *Lib) DeviceGUID(dev Obj) uint64 {
	guid, _ := call(l.fn("ibv_get_device_guid"), uintptr(dev))
	return uint64(uintptr(guid))
}

// DeviceIndex is ibv_get_device_index.
func (l *Lib) DeviceIndex(dev Obj) int {
	n, _ := number(l.fn("ibv_get_device_index"), uintptr(dev))
	return n
}

// Open is ibv_open_device.
func (l *Lib) Open(dev Obj) (Obj, error) { return object(l.fn("ibv_open_device"), uintptr(dev)) }

// AllocPD is ibv_alloc_pd.
func (l *Lib) AllocPD(ctx Obj) (Obj, error) { return object(l.fn("ibv_alloc_pd"), uintptr(ctx)) }

// CloseDevice is ibv_close_device, whose result is not an errno.
func (l *Lib) CloseDevice(ctx Obj) int {
	n, _ := number(l.fn("ibv_close_device"), uintptr(ctx))
	return n
}

// End calls a destructor that answers an errno: "ibv_dealloc_pd", "ibv_dereg_mr".
func (l *Lib) End(name string, o Obj) error { return code(l.fn(name), uintptr(o)) }

// ImportDevice is ibv_import_device.
func (l *Lib) ImportDevice(fd int) (Obj, error) {
	return object(l.fn("ibv_import_device"), uintptr(fd))
}

// Import calls "ibv_import_pd", "ibv_import_mr" or "ibv_import_dm".
func (l *Lib) Import(name string, of Obj, handle uint32) (Obj, error) {
	return object(l.fn(name), uintptr(of), uintptr(handle))
}

// CmdFD is context->cmd_fd.
func CmdFD(ctx Obj) int { return int((*C.struct_ibv_context)(ctx).cmd_fd) }

// AsyncFD is context->async_fd.
func AsyncFD(ctx Obj) int { return int((*C.struct_ibv_context)(ctx).async_fd) }

// VCtxSize is verbs_context.sz.
func VCtxSize(ctx Obj) int { return int(extended(ctx).sz) }

// RawRegMREx is what stands at the operation reg_mr_ex, whether sz covers it or not.
func RawRegMREx(ctx Obj) uintptr { return uintptr(unsafe.Pointer(extended(ctx).reg_mr_ex)) }

// PDHandle is pd->handle.
func PDHandle(pd Obj) uint32 { return uint32((*C.struct_ibv_pd)(pd).handle) }

// Caps is what the tests look at in ibv_device_attr_ex.
type Caps struct {
	MaxMRSize, CapFlags, CapFlagsEx, MaxDMSize, ODPGeneral uint64
	RCODP                                                  uint32
	AtomicCap, Ports                                       int
}

// QueryDeviceEx calls the operation query_device_ex with a struct of which only size bytes may be written.
func (l *Lib) QueryDeviceEx(ctx Obj, compMask uint32, size int) (Caps, error) {
	a := (*C.struct_ibv_device_attr_ex)(C.calloc(1, C.size_t(size)+C.sizeof_struct_ibv_device_attr_ex))
	defer C.free(unsafe.Pointer(a))
	behind := unsafe.Slice((*byte)(unsafe.Pointer(a)), size+C.sizeof_struct_ibv_device_attr_ex)[size:]
	behind[0] = 0xee
	in := (*C.struct_ibv_query_device_ex_input)(C.calloc(1, C.sizeof_struct_ibv_query_device_ex_input))
	defer C.free(unsafe.Pointer(in))
	in.comp_mask = C.uint32_t(compMask)
	if err := code(op(ctx, unsafe.Offsetof(inExtended.query_device_ex)), uintptr(ctx), at(in), at(a), uintptr(size)); err != nil {
		return Caps{}, err
	}
	if behind[0] != 0xee {
		return Caps{}, syscall.EPROTO
	}
	return Caps{
		MaxMRSize: uint64(a.orig_attr.max_mr_size), CapFlags: uint64(a.orig_attr.device_cap_flags),
		CapFlagsEx: uint64(a.device_cap_flags_ex), MaxDMSize: uint64(a.max_dm_size),
		ODPGeneral: uint64(a.odp_caps.general_caps), RCODP: uint32(a.odp_caps.per_transport_caps.rc_odp_caps),
		AtomicCap: int(a.orig_attr.atomic_cap), Ports: int(a.orig_attr.phys_port_cnt),
	}, nil
}

// AttrExSize is sizeof(struct ibv_device_attr_ex).
const AttrExSize = C.sizeof_struct_ibv_device_attr_ex

// QueryDevice is ibv_query_device; it gives max_mr_size.
func (l *Lib) QueryDevice(ctx Obj) (uint64, error) {
	a := (*C.struct_ibv_device_attr)(C.calloc(1, C.sizeof_struct_ibv_device_attr))
	defer C.free(unsafe.Pointer(a))
	err := code(l.fn("ibv_query_device"), uintptr(ctx), at(a))
	return uint64(a.max_mr_size), err
}

// QueryPort fills a buffer of 64 bytes, all set before to fill, through the exported function or, with size, the op.
func (l *Lib) QueryPort(ctx Obj, port uint8, size int, fill byte) ([]byte, error) {
	p := C.malloc(64)
	defer C.free(p)
	for i := range 64 {
		unsafe.Slice((*byte)(p), 64)[i] = fill
	}
	fn := l.fn("ibv_query_port")
	if size > 0 {
		fn = op(ctx, unsafe.Offsetof(inExtended.query_port))
	}
	err := code(fn, uintptr(ctx), uintptr(port), uintptr(p), uintptr(size))
	return C.GoBytes(p, 64), err
}

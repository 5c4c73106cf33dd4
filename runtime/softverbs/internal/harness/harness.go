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

func (l *Lib) fn(name string) C.uintptr_t { return C.uintptr_t(l.sym(name, "")) }

func result(o unsafe.Pointer, err C.int) (Obj, error) {
	if o == nil {
		return nil, syscall.Errno(err)
	}
	return o, nil
}

func code(rc C.int) error {
	if rc != 0 {
		return syscall.Errno(rc)
	}
	return nil
}

// DeviceList returns the list and its devices.
func (l *Lib) DeviceList() (list Obj, devs []Obj, err error) {
	var n, e C.int
	list, err = result(C.svbh_list(l.fn("ibv_get_device_list"), &n, &e), e)
	for i := range int(n) {
		devs = append(devs, C.svbh_list_at(list, C.int(i)))
	}
	if err == nil && C.svbh_list_at(list, n) != nil {
		return list, devs, syscall.EPROTO // the list must end in NULL
	}
	return list, devs, err
}

// FreeDeviceList frees the list.
func (l *Lib) FreeDeviceList(list Obj) { C.svbh_void(l.fn("ibv_free_device_list"), list) }

// DeviceName is ibv_get_device_name.
func (l *Lib) DeviceName(dev Obj) string {
	return C.GoString(C.svbh_name(l.fn("ibv_get_device_name"), dev))
}

// DeviceGUID is ibv_get_device_guid, as it stands in memory.
func (l *Lib) DeviceGUID(dev Obj) uint64 {
	return uint64(C.svbh_guid(l.fn("ibv_get_device_guid"), dev))
}

// DeviceIndex is ibv_get_device_index.
func (l *Lib) DeviceIndex(dev Obj) int { return int(C.svbh_int(l.fn("ibv_get_device_index"), dev)) }

// Open is ibv_open_device.
func (l *Lib) Open(dev Obj) (Obj, error) { return l.make("ibv_open_device", dev) }

// AllocPD is ibv_alloc_pd.
func (l *Lib) AllocPD(ctx Obj) (Obj, error) { return l.make("ibv_alloc_pd", ctx) }

func (l *Lib) make(name string, of Obj) (Obj, error) {
	var e C.int
	return result(C.svbh_ptr(l.fn(name), of, &e), e)
}

// CloseDevice is ibv_close_device, whose result is not an errno.
func (l *Lib) CloseDevice(ctx Obj) int { return int(C.svbh_int(l.fn("ibv_close_device"), ctx)) }

// End calls a destructor that answers an errno: "ibv_dealloc_pd", "ibv_dereg_mr".
func (l *Lib) End(name string, o Obj) error { return code(C.svbh_int(l.fn(name), o)) }

// ImportDevice is ibv_import_device.
func (l *Lib) ImportDevice(fd int) (Obj, error) {
	var e C.int
	return result(C.svbh_import_device(l.fn("ibv_import_device"), C.int(fd), &e), e)
}

// Import calls "ibv_import_pd", "ibv_import_mr" or "ibv_import_dm".
func (l *Lib) Import(name string, of Obj, handle uint32) (Obj, error) {
	var e C.int
	return result(C.svbh_import(l.fn(name), of, C.uint32_t(handle), &e), e)
}

// CmdFD is context->cmd_fd.
func CmdFD(ctx Obj) int { return int((*C.struct_ibv_context)(ctx).cmd_fd) }

// AsyncFD is context->async_fd.
func AsyncFD(ctx Obj) int { return int((*C.struct_ibv_context)(ctx).async_fd) }

// VCtxSize is verbs_context.sz.
func VCtxSize(ctx Obj) int { return int(C.svbh_sz(ctx)) }

// RawRegMREx is what stands at the operation reg_mr_ex, whether sz covers it or not.
func RawRegMREx(ctx Obj) uintptr { return uintptr(C.svbh_raw_reg_mr_ex(ctx)) }

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
	if err := code(C.svbh_query_device_ex(ctx, C.uint32_t(compMask), a, C.size_t(size))); err != nil {
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
	var a C.struct_ibv_device_attr
	err := code(C.svbh_query_device(l.fn("ibv_query_device"), ctx, &a))
	return uint64(a.max_mr_size), err
}

// QueryPort fills a buffer of 64 bytes, all set before to fill, through the exported function or, with size, the op.
func (l *Lib) QueryPort(ctx Obj, port uint8, size int, fill byte) ([]byte, error) {
	p := C.malloc(64)
	defer C.free(p)
	for i := range 64 {
		unsafe.Slice((*byte)(p), 64)[i] = fill
	}
	var rc C.int
	if size == 0 {
		rc = C.svbh_query_port(l.fn("ibv_query_port"), ctx, C.uint8_t(port), p)
	} else {
		rc = C.svbh_query_port_op(ctx, C.uint8_t(port), (*C.struct_ibv_port_attr)(p), C.size_t(size))
	}
	return C.GoBytes(p, 64), code(rc)
}

//go:build linux && cgo

package libs

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
static const char *libc(void) { return gnu_get_libc_version(); }
#else
static const char *libc(void) { return "of another kind"; }
#endif

static int call(uintptr_t fn) { return ((int (*)(void))fn)(); }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// object is a loaded shared object. It stays in the process.
type object struct{ handle unsafe.Pointer }

// openObject loads a file.
func openObject(path string) (*object, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, errors.New(C.GoString(C.dlerror()))
	}
	return &object{handle}, nil
}

// Symbol makes an object a source of functions. It has no symbol versions.
func (o *object) Symbol(name, _ string) uintptr {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return uintptr(C.dlsym(o.handle, s))
}

// call calls a function without arguments that returns an int.
func (o *object) call(name string) int { return int(C.call(C.uintptr_t(o.Symbol(name, "")))) }

// libcVersion returns the version of the C library that the process runs with.
func libcVersion() string { return C.GoString(C.libc()) }

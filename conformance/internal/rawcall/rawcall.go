//go:build linux && cgo

// Package rawcall calls functions of C by their address, with memory that C may keep. Tests use it to call a library without the
// bindings.
package rawcall

/*
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uintptr_t call(uintptr_t fn, const uintptr_t *a, int *err)
{
	uintptr_t r;

	errno = 0;
	r = ((uintptr_t (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(
		a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
	*err = errno;
	return r;
}

static uintptr_t zeroed(size_t n)
{
	void *p;

	if (posix_memalign(&p, 4096, n))
		return 0;
	return (uintptr_t)memset(p, 0, n);
}

static void release(uintptr_t at) { free((void *)at); }
static uintptr_t read_pointer(uintptr_t at) { return *(uintptr_t *)at; }
static const char *text(uintptr_t at) { return (const char *)at; }

static uint64_t read_number(uintptr_t at, int size)
{
	uint64_t value = 0;
	int i;

	for (i = 0; i < size; i++)
		value |= (uint64_t)((uint8_t *)at)[i] << (8 * i);
	return value;
}

static void write(uintptr_t at, uint64_t value, int size)
{
	int i;

	for (i = 0; i < size; i++) // little-endian, as every processor that libibverbs is built for here
		((uint8_t *)at)[i] = value >> (8 * i);
}
*/
import "C"

import (
	"fmt"
	"syscall"
)

// most is how many arguments a function can have; all are integers or pointers.
const most = 8

// Call calls the function at fn. The result of a function that returns int is in the low 32 bits.
func Call(fn uintptr, args ...uintptr) (uintptr, syscall.Errno, error) {
	if fn == 0 || len(args) > most {
		return 0, 0, fmt.Errorf("rawcall: function %#x with %d arguments", fn, len(args))
	}
	var a [most]C.uintptr_t
	for i, v := range args {
		a[i] = C.uintptr_t(v)
	}
	var errno C.int
	r := C.call(C.uintptr_t(fn), &a[0], &errno)
	return uintptr(r), syscall.Errno(errno), nil
}

// OpenDevice opens the device of a name; symbol finds the functions of the library.
func OpenDevice(symbol func(name, version string) uintptr, name string) (ctx uintptr, err error) {
	list, errno, err := Call(symbol("ibv_get_device_list", ""), 0)
	if err != nil || list == 0 {
		return 0, fmt.Errorf("no list of devices: %v, %v", errno, err)
	}
	defer Call(symbol("ibv_free_device_list", ""), list)
	for at := list; Pointer(at) != 0; at += 8 {
		if text, _, err := Call(symbol("ibv_get_device_name", ""), Pointer(at)); err != nil || Text(text) != name {
			continue
		}
		if ctx, errno, err = Call(symbol("ibv_open_device", ""), Pointer(at)); ctx == 0 && err == nil {
			err = errno
		}
		if err != nil {
			return 0, fmt.Errorf("opening %s: %w", name, err)
		}
		return ctx, nil
	}
	return 0, fmt.Errorf("no device %s", name)
}

// Zeroed returns the address of C memory that begins a page, 0 if there is no memory. Free releases it.
func Zeroed(n uintptr) uintptr { return uintptr(C.zeroed(C.size_t(n))) }

// Free gives back what Zeroed gave.
func Free(at uintptr) { C.release(C.uintptr_t(at)) }

// Pointer reads a pointer from C memory.
func Pointer(at uintptr) uintptr { return uintptr(C.read_pointer(C.uintptr_t(at))) }

// Read reads a number from C memory.
func Read(at uintptr, size int) uint64 { return uint64(C.read_number(C.uintptr_t(at), C.int(size))) }

// Text copies a C string.
func Text(at uintptr) string { return C.GoString(C.text(C.uintptr_t(at))) }

// Write stores the low bytes of a number in C memory.
func Write(at uintptr, value uint64, size int) {
	C.write(C.uintptr_t(at), C.uint64_t(value), C.int(size))
}

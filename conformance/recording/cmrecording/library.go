//go:build linux && cgo

package cmrecording

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static const char *take(uintptr_t fn) { return ((const char *(*)(void))fn)(); }
static int ask(uintptr_t fn) { return ((int (*)(void))fn)(); }
static void fail(uintptr_t fn, int with) { ((void (*)(int))fn)(with); }
static void event(uintptr_t fn, int type, int of, int listener, int status, int first)
{
	((void (*)(int, int, int, int, int))fn)(type, of, listener, status, first);
}
static void start(uintptr_t fn, uintptr_t list, uintptr_t open, uintptr_t create_qp, uintptr_t destroy_qp)
{
	((void (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(list, open, create_qp, destroy_qp);
}
*/
import "C"

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

//go:embed src/recorder.c
var source []byte

// Symbols is a source of functions, such as a software device.
type Symbols interface {
	Symbol(name, version string) uintptr
}

// Library is a librdmacm that writes down its calls.
type Library struct{ handle unsafe.Pointer }

// Open compiles the library in dir against the rdma/rdma_cma.h in the folder include, and loads it. Its devices are those of a
// libibverbs. The compiler is $CC or gcc.
func Open(dir, include string, verbs Symbols) (*Library, error) {
	file, out := filepath.Join(dir, "recorder.c"), filepath.Join(dir, "recorder.so")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return nil, err
	}
	cc := strings.Fields(os.Getenv("CC"))
	if len(cc) == 0 {
		cc = []string{"gcc"}
	}
	args := append(cc[1:], "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", "-Wl,-z,defs", "-isystem",
		include, "-o", out, file)
	if said, err := exec.Command(cc[0], args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s with the header in %s: %w\n%s", cc[0], include, err, said)
	}
	name := C.CString(out)
	defer C.free(unsafe.Pointer(name))
	l := &Library{C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)}
	if l.handle == nil {
		return nil, errors.New(C.GoString(C.dlerror()))
	}
	const first = "IBVERBS_1.1"
	fn := func(name string) C.uintptr_t { return C.uintptr_t(verbs.Symbol(name, first)) }
	C.start(l.find("recording_start"), fn("ibv_get_device_list"), fn("ibv_open_device"), fn("ibv_create_qp"), fn("ibv_destroy_qp"))
	return l, nil
}

func (l *Library) find(name string) C.uintptr_t {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.uintptr_t(uintptr(C.dlsym(l.handle, s)))
}

// Symbol makes the library a source of functions. It has no symbol versions.
func (l *Library) Symbol(name, _ string) uintptr { return uintptr(l.find(name)) }

// Calls returns the calls since the last one, a line each.
func (l *Library) Calls() []string {
	return strings.Split(strings.TrimSuffix(C.GoString(C.take(l.find("recording_take"))), "\n"), "\n")
}

// Fail has every call that can fail do so, until it is 0.
func (l *Library) Fail(with syscall.Errno) { C.fail(l.find("recording_fail"), C.int(with)) }

// Event has an event arrive for the identifier of a number, or for a new one that the listener of a number asks for. The numbers in what
// the peer said begin with first.
func (l *Library) Event(typ, of, listener, status, first int) {
	C.event(l.find("recording_event"), C.int(typ), C.int(of), C.int(listener), C.int(status), C.int(first))
}

// Unacknowledged is the number of events that were taken and not given back.
func (l *Library) Unacknowledged() int { return int(C.ask(l.find("recording_unacknowledged"))) }

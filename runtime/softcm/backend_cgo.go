//go:build linux && cgo

package softcm

/*
#cgo CFLAGS: -D_GNU_SOURCE
#cgo LDFLAGS: -lpthread
#include <stdlib.h>
#include "control.h"

// The names of the functions that are called, in the order of struct scm_verbs.
#define NAME(name) "ibv_" #name,
static const char *const scm_called[] = {SCM_CALLED(NAME)};
static size_t scm_ncalled(void) { return sizeof scm_called / sizeof *scm_called; }
static const char *scm_called_at(size_t i) { return scm_called[i]; }
*/
import "C"

import (
	"fmt"
	"net/netip"
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport"    // declarations of verbs_abi.h
	_ "github.com/verbsgen/verbsgen/runtime/softcm/kernel" // sources of the kernel's half
)

// newMachine makes the C side with the functions of a libibverbs.
func newMachine(s *settings, verbs Verbs) (int, error) {
	fns := make([]C.uintptr_t, C.scm_ncalled())
	for i := range fns {
		name := C.GoString(C.scm_called_at(C.size_t(i)))
		if fns[i] = C.uintptr_t(verbs.Symbol(name, "")); fns[i] == 0 {
			return -1, fmt.Errorf("softcm: the library of the devices has no %s", name)
		}
	}
	cfg := C.struct_scm_config{response_ns: C.uint64_t(s.response), timewait_ns: C.uint64_t(s.timewait), retries: C.uint32_t(s.retries),
		loopback: C.bool(s.loopback), network: 10 << 24, mask: 0xffff0000}
	slot := int(C.scm_new(&cfg, &fns[0], C.size_t(len(fns))))
	if slot == -int(syscall.EMFILE) {
		return -1, fmt.Errorf("softcm: all %d managers of the process are in use; Close those that are done with", C.SCM_SLOTS)
	}
	if slot < 0 {
		return -1, fmt.Errorf("softcm: new manager: %w", syscall.Errno(-slot))
	}
	return slot, nil
}

func closeMachine(slot int) error { return code(int(C.scm_close(C.int(slot)))) }

func symbol(slot int, name, version string) uintptr {
	cn, cv := C.CString(name), C.CString(version)
	defer C.free(unsafe.Pointer(cn))
	defer C.free(unsafe.Pointer(cv))
	return uintptr(C.scm_symbol(C.int(slot), cn, cv))
}

func report(slot int) string {
	c := C.scm_report(C.int(slot))
	defer C.free(unsafe.Pointer(c))
	return C.GoString(c)
}

func fail(slot int, verb string, nth uint64, errno syscall.Errno) error {
	c := C.CString(verb)
	defer C.free(unsafe.Pointer(c))
	v := C.scm_verb_of(c)
	if v < 0 {
		return fmt.Errorf("no such function here, or none that can fail")
	}
	return code(int(C.scm_fail(C.int(slot), v, C.uint64_t(nth), C.int(errno))))
}

func lose(slot int, what Message, nth uint64) error {
	return code(int(C.scm_lose(C.int(slot), C.int(what), C.uint64_t(nth))))
}

func silence(slot int, a netip.Addr, on bool) error {
	var c C.struct_sockaddr_storage
	at := unsafe.Slice((*byte)(unsafe.Pointer(&c)), unsafe.Sizeof(c))
	if a.Is4() {
		c.ss_family = syscall.AF_INET
		copy(at[4:], a.AsSlice())
	} else {
		c.ss_family = syscall.AF_INET6
		copy(at[8:], a.AsSlice())
	}
	return code(int(C.scm_silence(C.int(slot), &c, C.bool(on))))
}

func removeDevice(slot int, name string) error {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return code(int(C.scm_remove(C.int(slot), c)))
}

func changeAddress(slot int, name string) error {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return code(int(C.scm_change_address(C.int(slot), c)))
}

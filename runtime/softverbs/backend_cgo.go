//go:build linux && cgo

package softverbs

/*
#cgo CFLAGS: -D_GNU_SOURCE
#cgo LDFLAGS: -lpthread
#include <stdlib.h>
#include "control.h"
#include "objects.h"
#include "peer.h"
*/
import "C"

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport"       // declarations of verbs_abi.h
	_ "github.com/verbsgen/verbsgen/runtime/softverbs/shared" // sources that the emulated card has too
)

func flag(on bool) C.uint8_t {
	if on {
		return 1
	}
	return 0
}

func fill(c *C.struct_svb_devcfg, d *device, index int) {
	for i := range len(d.name) {
		c.name[i] = C.char(d.name[i])
	}
	c.guid = C.uint64_t(d.guid)
	c.index = C.int(index)
	c.driver = C.uint32_t(d.driver)
	c.max_dm_size = C.uint64_t(d.maxDMSize)
	c.dm_max_log_align = C.uint32_t(d.dmMaxLogAlign)
	c.dm_copy_align = C.uint32_t(d.dmCopyAlign)
	c.dm_mr_align = C.uint64_t(d.dmRegionAlign)
	c.max_mr_size = C.uint64_t(d.maxMRSize)
	c.cap_flags = C.uint64_t(d.capFlags)
	c.atomic_cap = C.uint32_t(d.atomicCap)
	c.ports = C.uint32_t(d.ports)
	c.odp_general = C.uint64_t(d.odpGeneral)
	c.odp_rc, c.odp_uc, c.odp_ud = C.uint32_t(d.odpRC), C.uint32_t(d.odpUC), C.uint32_t(d.odpUD)
	c.mr_refused = C.uint32_t(d.mrUnsupported)
	c.mr_unknown = C.uint32_t(d.mrUnknown)
	c.max_msg_sz = C.uint32_t(d.maxMsgSize)
	c.no_rereg, c.no_import, c.one_key = flag(d.noRereg), flag(d.noImport), flag(d.oneKey)
	c.no_raw, c.plain_cq_ex, c.net_raw = flag(d.noRaw), flag(d.plainCQEx), flag(d.netRaw)
	c.mlx5, c.frees_gone = flag(d.mlx5), flag(d.freesGone)
	c.memlock = C.uint64_t(d.memlock)
	c.no_dmabuf, c.no_td, c.no_null_mr = flag(d.noDMABuf), flag(d.noTD), flag(d.noNullMR)
}

func opOf(name string) (int, error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	op := int(C.svb_op_of(c))
	if op < 0 {
		return 0, fmt.Errorf("softverbs: %q is no operation of verbs_context that can be replaced", name)
	}
	return op, nil
}

func newInstance(s *settings) (int, error) {
	cfg := (*C.struct_svb_config)(C.calloc(1, C.sizeof_struct_svb_config))
	devs := (*C.struct_svb_devcfg)(C.calloc(C.size_t(len(s.devices)+1), C.sizeof_struct_svb_devcfg))
	defer C.free(unsafe.Pointer(cfg))
	defer C.free(unsafe.Pointer(devs))
	cfg.ndevs = C.int(len(s.devices))
	cfg.devs = devs
	for i, d := range s.devices {
		fill(&unsafe.Slice(devs, len(s.devices))[i], d, i)
	}
	rel := releases[s.release]
	cfg.vctx_size = C.sizeof_struct_verbs_context - C.size_t(rel.opsLess)*C.sizeof_uintptr_t
	cfg.port_attr_size = C.size_t(rel.portAttrSize)
	cfg.newest = C.int(rel.symbols)
	for name, addr := range s.override {
		op, err := opOf(name)
		if err != nil {
			return -1, err
		}
		cfg.override[op] = C.uintptr_t(addr)
	}
	for _, name := range s.absent {
		op, err := opOf(name)
		if err != nil {
			return -1, err
		}
		cfg.absent |= 1 << op
	}
	slot := int(C.svb_new(cfg))
	if slot == -int(syscall.EMFILE) {
		return -1, fmt.Errorf("softverbs: all %d devices of the process are in use; Close those that are done with", C.SVB_SLOTS)
	}
	if slot < 0 {
		return -1, fmt.Errorf("softverbs: new device: %w", syscall.Errno(-slot))
	}
	return slot, nil
}

func closeInstance(slot int) error { return code(C.svb_close(C.int(slot))) }

func symbol(slot int, name, version string) uintptr {
	cn, cv := C.CString(name), C.CString(version)
	defer C.free(unsafe.Pointer(cn))
	defer C.free(unsafe.Pointer(cv))
	return uintptr(C.svb_symbol(C.int(slot), cn, cv))
}

func arm(slot int, verb string, nth uint64, errno syscall.Errno) error {
	c := C.CString(verb)
	defer C.free(unsafe.Pointer(c))
	v := C.svb_verb_of(c)
	if v < 0 {
		return fmt.Errorf("softverbs: Fail(%q): no such verb here; a name begins with ibv_, as ibv_reg_mr does", verb)
	}
	if rc := C.svb_arm(C.int(slot), v, C.uint64_t(nth), C.int(errno)); rc != 0 {
		return fmt.Errorf("softverbs: Fail(%q): %w", verb, syscall.Errno(rc))
	}
	return nil
}

// armCount makes the nth request or completion end with value.
func armCount(slot int, what counter, nth uint64, value int) error {
	v := C.int(C.SVB_SENT)
	if what == completions {
		v = C.SVB_COMPLETED
	}
	return code(C.svb_arm(C.int(slot), v, C.uint64_t(nth), C.int(value)))
}

func report(slot int) string {
	c := C.svb_report(C.int(slot))
	defer C.free(unsafe.Pointer(c))
	return C.GoString(c)
}

func peerStart(slot int, name string) (unsafe.Pointer, error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	p, err := C.svb_peer_start(C.int(slot), c)
	if p == nil {
		return nil, err
	}
	return unsafe.Pointer(p), nil
}

func peerStop(p unsafe.Pointer) { C.svb_peer_stop((*C.struct_svb_peer)(p)) }

func peerOp(p unsafe.Pointer, op int, rkey uint32, addr uint64, data []byte, a, b uint64) (uint64, Status, error) {
	var old C.uint64_t
	rc := C.svb_peer_op((*C.struct_svb_peer)(p), C.int(op), C.uint32_t(rkey), C.uint64_t(addr), unsafe.Pointer(unsafe.SliceData(data)),
		C.uint64_t(len(data)), C.uint64_t(a), C.uint64_t(b), &old)
	if rc < 0 {
		return 0, 0, fmt.Errorf("softverbs: peer: %w", syscall.Errno(-rc))
	}
	return uint64(old), Status(rc), nil
}

func peerStress(p unsafe.Pointer, rkey uint32, addr, length uint64) error {
	return code(C.svb_peer_stress((*C.struct_svb_peer)(p), C.uint32_t(rkey), C.uint64_t(addr), C.uint64_t(length)))
}

func peerReport(p unsafe.Pointer, stop bool) (Report, error) {
	var r C.struct_svb_stress_report
	var rc C.int
	if stop {
		rc = C.svb_peer_calm((*C.struct_svb_peer)(p), &r)
	} else {
		rc = C.svb_peer_report((*C.struct_svb_peer)(p), &r)
	}
	return Report{Passes: uint64(r.passes), Status: Status(r.status)}, code(rc)
}

func setGone(slot int, device string) error {
	c := C.CString(device)
	defer C.free(unsafe.Pointer(c))
	return code(C.svb_set_gone(C.int(slot), c))
}

func hold(slot int, device string, qpn uint32, on bool) error {
	c := C.CString(device)
	defer C.free(unsafe.Pointer(c))
	return code(C.svb_hold(C.int(slot), c, C.uint32_t(qpn), C.bool(on)))
}

func delay(slot int, least, most time.Duration) error {
	return code(C.svb_delay(C.int(slot), C.uint64_t(least), C.uint64_t(most)))
}

func memlock(slot int, device string) (limit, pinned uint64) {
	c := C.CString(device)
	defer C.free(unsafe.Pointer(c))
	var m C.struct_svb_memlock
	C.svb_memlock(C.int(slot), c, &m)
	return uint64(m.limit), uint64(m.pinned)
}

func code(rc C.int) error {
	if rc != 0 {
		return syscall.Errno(rc)
	}
	return nil
}

func setPort(slot int, device string, port uint32, up bool) error {
	c := C.CString(device)
	defer C.free(unsafe.Pointer(c))
	return code(C.svb_set_port(C.int(slot), c, C.uint(port), C.bool(up)))
}

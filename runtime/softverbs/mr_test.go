//go:build linux && cgo

package softverbs_test

import (
	"math"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func TestRegMRMemoryVerdicts(t *testing.T) {
	b := open(t)
	addr, _ := rw(t, 2*pageSize)
	ro, _ := mapping(t, pageSize, unix.PROT_READ)
	none, _ := mapping(t, pageSize, unix.PROT_NONE)
	hole, pages := rw(t, 3*pageSize)
	b.ok(unix.Mprotect(pages[pageSize:2*pageSize], unix.PROT_NONE)) // not munmap: others could map there
	const large = 1 << 20                                           // not faulted in
	big, bigPages := rw(t, 2*large)
	b.ok(unix.Mprotect(bigPages[large:large+pageSize], unix.PROT_READ))
	for _, c := range []struct {
		what   string
		addr   uintptr
		length uint64
		access uint32
		want   syscall.Errno
	}{
		{"large", big, large, localWrite, 0},
		{"large, a page read-only", big, 2 * large, localWrite, syscall.EFAULT},
		{"large, a page read-only, only read", big, 2 * large, remoteRead, 0},
		{"large, beyond the mapping", big, 1 << 30, 0, syscall.EFAULT},
		{"both pages", addr, 2 * pageSize, localWrite, 0},
		{"odd addr and length", addr + 7, 13, localWrite, 0},
		{"across a page border", addr + uintptr(pageSize) - 1, 2, localWrite, 0},
		{"length 0", addr, 0, localWrite, syscall.EINVAL},
		{"length 2^63", addr, 1 << 63, localWrite, syscall.EINVAL},
		{"wrap", addr, math.MaxUint64, localWrite, syscall.EINVAL},
		{"NULL", 0, pageSize, localWrite, syscall.EFAULT},
		{"NULL, only read", 0, pageSize, 0, syscall.EFAULT},
		{"beyond the mapping", addr, 1 << 40, localWrite, syscall.EFAULT},
		{"hole", hole, 3 * pageSize, localWrite, syscall.EFAULT},
		{"before the hole", hole, pageSize, localWrite, 0},
		{"read-only", ro, pageSize, 0, 0},
		{"read-only, remote read", ro, pageSize, remoteRead, 0},
		{"read-only, local write", ro, pageSize, localWrite, syscall.EFAULT},
		{"read-only, window", ro, pageSize, mwBind, syscall.EFAULT},
		{"no access", none, pageSize, 0, syscall.EFAULT},
	} {
		mr, err := b.lib.RegMR(b.pd, c.addr, c.length, c.access)
		t.Logf("%s: %v", c.what, err)
		b.want(c.want, err)
		if err == nil {
			if m := harness.ReadMR(mr); m.Addr != c.addr || m.Length != c.length || m.PD != b.pd || m.Ctx != b.ctx {
				t.Errorf("mr %+v", m)
			}
			b.dereg(mr)
		}
	}
}

func TestRegMRKnobs(t *testing.T) {
	addr, _ := rw(t, 4*pageSize)
	for _, c := range []struct {
		what   string
		opt    softverbs.Option
		length uint64
		access uint32
		want   syscall.Errno
	}{
		{"ZERO_BASED", nil, 64, zeroBased, syscall.EOPNOTSUPP},
		{"arguments before abilities", nil, 64, remoteWrite | onDemand, syscall.EINVAL},
		{"ZERO_BASED as Linux 6.1", softverbs.MRUnsupported(0), 64, zeroBased, 0},
		{"no flush", softverbs.CapFlags(0), 64, flushGlobal, syscall.EOPNOTSUPP},
		{"no flush", softverbs.CapFlags(1 << 38), 64, flushPersist, syscall.EOPNOTSUPP},
		{"paged", softverbs.ODP(1, 0xff, 0, 0), 64, onDemand, 0},
		{"paged, huge", softverbs.ODP(1, 0xff, 0, 0), 64, onDemand | hugeTLB, 0},
		{"max_mr_size", softverbs.MaxMRSize(100), 101, localWrite, syscall.EINVAL},
		{"max_mr_size", softverbs.MaxMRSize(100), 100, localWrite, 0},
		{"wrap", softverbs.MaxMRSize(math.MaxUint64), math.MaxUint64, localWrite, syscall.EINVAL},
		{"memlock", softverbs.MemlockLimit(pageSize), pageSize + 1, localWrite, syscall.ENOMEM},
		{"memlock", softverbs.MemlockLimit(pageSize), pageSize, localWrite, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := open(t, c.opt)
			for range 2 { // what was pinned is given back
				mr, err := b.lib.RegMR(b.pd, addr, c.length, c.access)
				b.want(c.want, err)
				if err == nil {
					b.dereg(mr)
				}
			}
		})
	}
}

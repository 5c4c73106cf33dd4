//go:build linux && cgo

package softverbs_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func (b *bench) allocDM(n uint64) harness.Obj {
	b.Helper()
	return b.must(b.lib.AllocDM(b.ctx, n, 0, 0))
}

func TestDMCopyRule(t *testing.T) {
	b := open(t)
	dm := b.allocDM(4096)
	buf := make([]byte, 4096)
	for _, c := range []struct {
		off, n uint64
		want   syscall.Errno
	}{
		{0, 4096, 0}, {4092, 4, 0}, {4096, 0, 0}, {0, 0, 0},
		{4096, 4, syscall.EFAULT}, {4093, 4, syscall.EFAULT}, // range is looked at first
		{math.MaxUint64 - 3, 8, syscall.EFAULT}, {8, math.MaxUint64 - 7, syscall.EFAULT}, // no wrap
		{1, 4, syscall.EINVAL}, {0, 3, syscall.EINVAL}, {2, 2, syscall.EINVAL},
	} {
		b.want(c.want, b.lib.ToDM(dm, c.off, buf, c.n))
		b.want(c.want, b.lib.FromDM(buf, dm, c.off, c.n))
	}
	b.ok(b.lib.FreeDM(b.ctx, dm))
}

func TestDMCopyAlignIsSettable(t *testing.T) {
	b := open(t, softverbs.DMCopyAlign(1))
	dm := b.allocDM(64)
	in := make([]byte, 3)
	b.ok(b.lib.ToDM(dm, 5, []byte("abc"), 3))
	b.ok(b.lib.FromDM(in, dm, 5, 3))
	if string(in) != "abc" {
		t.Errorf("read back %q", in)
	}
	b.ok(b.lib.FreeDM(b.ctx, dm))
}

func TestAllocDMVerdicts(t *testing.T) {
	b := open(t, softverbs.MaxDMSize(8192), softverbs.DMAlign(16))
	for _, c := range []struct {
		length     uint64
		align, cmp uint32
		want       syscall.Errno
	}{
		{4096, 0, 0, 0}, {8192, 6, 0, 0}, {1, 16, 0, 0},
		{0, 0, 0, syscall.EINVAL}, {8193, 0, 0, syscall.EINVAL}, {math.MaxUint64, 0, 0, syscall.EINVAL},
		{64, 17, 0, syscall.EINVAL}, {64, 64, 0, syscall.EINVAL}, {64, 0, 1, syscall.EINVAL},
	} {
		dm, err := b.lib.AllocDM(b.ctx, c.length, c.align, c.cmp)
		b.want(c.want, err)
		if err == nil {
			b.ok(b.lib.FreeDM(b.ctx, dm))
		}
	}
}

func TestDMAlignmentIsGranted(t *testing.T) {
	b := open(t, softverbs.DMAlign(20))
	var all []harness.Obj
	for range 4 {
		all = append(all, b.must(b.lib.AllocDM(b.ctx, 64, 20, 0)))
	}
	maps, err := os.ReadFile("/proc/self/maps")
	b.ok(err)
	found := 0
	for line := range strings.Lines(string(maps)) {
		if !strings.Contains(line, "memfd:softverbs-dm") {
			continue
		}
		from, _, _ := strings.Cut(line, "-")
		if addr, err := strconv.ParseUint(from, 16, 64); err != nil || addr%(1<<20) != 0 {
			t.Errorf("device memory at 0x%s, %v", from, err)
		}
		found++
	}
	if found != len(all) {
		t.Errorf("%d mappings, want %d", found, len(all))
	}
	for _, dm := range all {
		b.ok(b.lib.FreeDM(b.ctx, dm))
	}
}

func TestDMSizeIsAccountedFor(t *testing.T) {
	b := open(t, softverbs.MaxDMSize(8192))
	first := b.allocDM(4096)
	_, err := b.lib.AllocDM(b.ctx, 4100, 0, 0)
	b.want(syscall.ENOMEM, err)
	second := b.allocDM(4096)
	b.ok(b.lib.FreeDM(b.ctx, first))
	third := b.allocDM(4096)
	b.ok(b.lib.FreeDM(b.ctx, second))
	b.ok(b.lib.FreeDM(b.ctx, third))
}

func TestRegDMMRAlignmentIsSettable(t *testing.T) {
	b := open(t, softverbs.DMRegionAlign(64))
	dm := b.allocDM(4096)
	_, err := b.lib.RegDMMR(b.pd, dm, 32, 64, zeroBased)
	b.want(syscall.EINVAL, err)
	b.dereg(b.must(b.lib.RegDMMR(b.pd, dm, 64, 128, zeroBased)))
	b.ok(b.lib.FreeDM(b.ctx, dm))
}

func TestFreeDMRefusesWhileARegionUsesIt(t *testing.T) {
	b := open(t)
	dm := b.allocDM(4096)
	mr := b.must(b.lib.RegDMMR(b.pd, dm, 0, 64, zeroBased))
	b.want(syscall.EBUSY, b.lib.FreeDM(b.ctx, dm))
	b.dereg(mr)
	b.ok(b.lib.FreeDM(b.ctx, dm))
	b.want(syscall.EINVAL, b.lib.FreeDM(b.ctx, dm)) // a stale pointer is an error, not a fault
}

// importContext imports a duplicate of the context's descriptor.
func (b *bench) importContext() harness.Obj {
	b.Helper()
	fd, err := unix.Dup(harness.CmdFD(b.ctx))
	if err != nil {
		b.Fatal(err)
	}
	return b.must(b.lib.ImportDevice(fd))
}

func TestExportedDMRegistersByDescriptor(t *testing.T) {
	b := open(t)
	dm := b.allocDM(8192)
	fd, err := b.lib.ExportDM(dm)
	b.ok(err)
	mr := b.must(b.lib.RegDMABuf(b.pd, 4096, 64, 4096, fd, localWrite|remoteWrite))
	b.ok(unix.Close(fd))
	if s, err := b.dev.Peer().Write(harness.ReadMR(mr).RKey, 4096, []byte("exported")); s != softverbs.StatusSuccess {
		t.Errorf("write: %v, %v", s, err)
	}
	in := make([]byte, 8)
	b.ok(b.lib.FromDM(in, dm, 4096, 8))
	if string(in) != "exported" {
		t.Errorf("in the device memory: %q", in)
	}
	b.dereg(mr)
	b.ok(b.lib.FreeDM(b.ctx, dm))
}

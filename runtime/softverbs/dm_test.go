//go:build linux && cgo

package softverbs_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func (b *bench) allocDM(n uint64) harness.Obj {
	b.Helper()
	return b.must(b.lib.AllocDM(b.ctx, n, 0, 0))
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

func TestRegDMMRAlignmentIsSettable(t *testing.T) {
	b := open(t, softverbs.DMRegionAlign(64))
	dm := b.allocDM(4096)
	_, err := b.lib.RegDMMR(b.pd, dm, 32, 64, zeroBased)
	b.want(syscall.EINVAL, err)
	b.dereg(b.must(b.lib.RegDMMR(b.pd, dm, 64, 128, zeroBased)))
	b.ok(b.lib.FreeDM(b.ctx, dm))
}

//go:build linux && cgo

package softverbs_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func TestOptionMistakes(t *testing.T) {
	for want, opt := range map[string]softverbs.Option{
		`device name ""`:              softverbs.Name(""),
		`1 to 63 bytes`:               softverbs.Name(strings.Repeat("x", 64)),
		`two devices are called "a"`:  softverbs.AnotherDevice("a", softverbs.AnotherDevice("a")),
		`GUID(0): no device has`:      softverbs.GUID(0),
		`DMCopyAlign(12)`:             softverbs.DMCopyAlign(12),
		`DMAlign(31)`:                 softverbs.DMAlign(31),
		`Release("50.0"): known are`:  softverbs.Release("50.0"),
		`"ibv_no_such_verb"`:          softverbs.Fail("ibv_no_such_verb", 1, syscall.EIO),
		`0 is no error`:               softverbs.Fail("ibv_alloc_pd", 1, 0),
		`"no_such_op" is no`:          softverbs.Override("no_such_op", 1),
		`"other_op" is no`:            softverbs.WithoutOp("other_op"),
		`Override("alloc_dm", 0)`:     softverbs.Override("alloc_dm", 0),
		`no function there; WithoutO`: softverbs.Override("free_dm", 0),
	} {
		dev := softverbs.New(opt)
		if err := dev.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in %v", want, err)
		}
		if dev.Symbol("ibv_get_device_list", "") != 0 {
			t.Errorf("%s: it has symbols", want)
		}
		if err := dev.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

func TestSlotsAreLimitedAndGivenBack(t *testing.T) {
	var all []*softverbs.Device
	for range 65 {
		all = append(all, softverbs.New())
	}
	last := all[len(all)-1]
	if err := last.Err(); err == nil || !strings.Contains(err.Error(), "all 64 devices") {
		t.Errorf("one too many: %v", err)
	}
	lists := map[uintptr]bool{}
	for _, d := range all {
		if d.Err() == nil {
			lists[d.Symbol("ibv_get_device_list", "")] = true
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(lists) != 64 {
		t.Errorf("%d different ibv_get_device_list", len(lists))
	}
	again := softverbs.New()
	if err := again.Err(); err != nil {
		t.Error(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestSymbolVersions(t *testing.T) {
	dev := softverbs.New()
	defer dev.Close()
	for _, c := range []struct {
		name, version string
		want          bool
	}{
		{"ibv_open_device", "IBVERBS_1.1", true}, {"ibv_open_device", "", true}, {"ibv_open_device", "IBVERBS_1.0", false},
		{"ibv_reg_mr_iova2", "IBVERBS_1.8", true}, {"ibv_get_device_list", "IBVERBS_1.0", false},
		{"ibv_import_device", "IBVERBS_1.10", true}, {"ibv_no_such_function", "", false},
	} {
		if got := dev.Symbol(c.name, c.version) != 0; got != c.want {
			t.Errorf("%s@%s: %t", c.name, c.version, got)
		}
	}
}

func TestOlderReleases(t *testing.T) {
	for _, c := range []struct {
		release              string
		size, ops            int
		dmabuf, importDM, ex bool
		port                 byte // first byte of active_speed_ex, filled since 56.1
	}{
		{"33.2", 648, 6, false, false, false, 0}, {"44.0", 648, 6, true, true, false, 0},
		{"56.1", 648, 6, true, true, false, 8}, {"65.0", 696, 0, true, true, true, 8},
	} {
		b := open(t, softverbs.Release(c.release))
		newest := open(t)
		if got := harness.VCtxSize(newest.ctx) - harness.VCtxSize(b.ctx); got != c.ops*8 {
			t.Errorf("%s: verbs_context is %d bytes shorter", c.release, got)
		}
		for name, want := range map[string]bool{
			"ibv_reg_dmabuf_mr": c.dmabuf, "ibv_import_dm": c.importDM, "ibv_reg_mr_ex": c.ex, "ibv_alloc_pd": true,
		} {
			if got := b.dev.Symbol(name, "") != 0; got != want {
				t.Errorf("%s: %s: %t", c.release, name, got)
			}
		}
		if got, err := b.lib.QueryPort(b.ctx, 1, 56, 0xee); err != nil || got[52] != c.port {
			t.Errorf("%s: active_speed_ex %d, %v", c.release, got[52], err)
		}
		want := syscall.Errno(0)
		if !c.ex {
			want = syscall.EOPNOTSUPP
			if op := harness.RawRegMREx(b.ctx); op == 0 || op == harness.RawRegMREx(newest.ctx) {
				t.Errorf("%s: nothing catches a call beyond verbs_context.sz", c.release)
			}
		}
		addr, _ := rw(t, pageSize)
		mr, err := b.lib.RegMRExOp(b.pd, harness.MRAttr{CompMask: 2, Length: 64, Addr: addr})
		if b.want(want, err); err == nil {
			b.dereg(mr)
		}
		if b.dev.Release() != c.release || b.dev.String() != "softverbs as rdma-core "+c.release {
			t.Errorf("release %q, %v", b.dev.Release(), b.dev)
		}
	}
}

func TestLeftOutSymbolsAndOps(t *testing.T) {
	b := open(t, softverbs.WithoutSymbol("ibv_import_dm", "ibv_rereg_mr"), softverbs.WithoutOp("reg_dm_mr", "query_port"))
	if b.dev.Symbol("ibv_import_dm", "") != 0 || b.dev.Symbol("ibv_rereg_mr", "IBVERBS_1.1") != 0 {
		t.Error("a symbol that was left out is there")
	}
	dm := b.allocDM(64)
	_, err := b.lib.RegDMMR(b.pd, dm, 0, 64, zeroBased)
	b.want(syscall.EOPNOTSUPP, err)
	_, err = b.lib.QueryPort(b.ctx, 1, 56, 0)
	b.want(syscall.EOPNOTSUPP, err)
	b.ok(b.lib.FreeDM(b.ctx, dm))
}

func TestOverride(t *testing.T) {
	b := open(t, softverbs.Override("alloc_dm", harness.FakeAllocDM()))
	_, err := b.lib.AllocDM(b.ctx, 64, 0, 0)
	b.want(syscall.ENOTTY, err)
}

func TestFailStrikesTheNthCallOnce(t *testing.T) {
	b := open(t, softverbs.Fail("ibv_alloc_dm", 2, syscall.ENOSPC))
	for i, want := range []syscall.Errno{0, syscall.ENOSPC, 0} {
		dm, err := b.lib.AllocDM(b.ctx, 64, 0, 0)
		if b.want(want, err); err == nil {
			b.ok(b.lib.FreeDM(b.ctx, dm))
		}
		t.Log("call", i+1)
	}
	b.ok(b.dev.Fail("ibv_alloc_dm", 1, syscall.EINTR)) // counted from now
	b.ok(b.dev.Fail("ibv_alloc_dm", 3, syscall.EAGAIN))
	for _, want := range []syscall.Errno{syscall.EINTR, 0, syscall.EAGAIN, 0} {
		dm, err := b.lib.AllocDM(b.ctx, 64, 0, 0)
		if b.want(want, err); err == nil {
			b.ok(b.lib.FreeDM(b.ctx, dm))
		}
	}
}

// TestNilOption: a nil option changes nothing.
func TestNilOption(t *testing.T) {
	d := softverbs.New(nil, softverbs.AnotherDevice("soft1", nil))
	if err := errors.Join(d.Err(), d.Close()); err != nil {
		t.Error(err)
	}
}

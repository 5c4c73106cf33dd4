//go:build linux && cgo

package softverbs_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
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
		dmabuf, importDM, ex bool
		speed                uint32 // active_speed_ex, filled since 56.1
	}{{"33.2", false, false, false, 0}, {"44.0", true, true, false, 0}, {"56.1", true, true, false, 8}, {"65.0", true, true, true, 8}} {
		b := open(t, softverbs.Release(c.release))
		for name, want := range map[string]bool{
			"ibv_reg_dmabuf_mr": c.dmabuf, "ibv_import_dm": c.importDM, "ibv_reg_mr_ex": c.ex, "ibv_alloc_pd": true,
		} {
			if got := b.soft.Symbol(name, "") != 0; got != want {
				t.Errorf("%s: %s: %t", c.release, name, got)
			}
		}
		if port := must(b.dev.QueryPort(1))(t); port.ActiveSpeedEx != c.speed {
			t.Errorf("%s: active_speed_ex %d", c.release, port.ActiveSpeedEx)
		}
		if b.soft.Release() != c.release || b.soft.String() != "softverbs as rdma-core "+c.release {
			t.Errorf("release %q, %v", b.soft.Release(), b.soft)
		}
	}
}

func TestFailStrikesTheNthCallOnce(t *testing.T) {
	b := open(t, softverbs.Fail("ibv_alloc_dm", 2, syscall.ENOSPC))
	alloc := func(wants ...syscall.Errno) {
		t.Helper()
		for _, want := range wants {
			_, err := b.dev.AllocDM(verbs.NewAllocDMAttr(64))
			b.want(want, err)
		}
	}
	alloc(0, syscall.ENOSPC, 0)
	b.ok(b.soft.Fail("ibv_alloc_dm", 1, syscall.EINTR)) // counted from now
	b.ok(b.soft.Fail("ibv_alloc_dm", 3, syscall.EAGAIN))
	alloc(syscall.EINTR, 0, syscall.EAGAIN, 0)
}

// TestNilOption: a nil option changes nothing.
func TestNilOption(t *testing.T) {
	d := softverbs.New(nil, softverbs.AnotherDevice("soft1", nil))
	if err := errors.Join(d.Err(), d.Close()); err != nil {
		t.Error(err)
	}
}

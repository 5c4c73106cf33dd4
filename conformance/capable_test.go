//go:build linux && cgo

package conformance

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// onDemand registers memory in a way that needs a capability.
func onDemand(t *testing.T, b *bed) error {
	return errorOf(must(b.dev.AllocPD())(t).RegMR(make([]byte, 64), verbs.MRAccessOnDemand))
}

// TestUnjudgedRules uses devices that cannot tell their capabilities: no rule judges by zeros, no call fails for the query, and the
// device says which rules it leaves unjudged, and why.
func TestUnjudgedRules(t *testing.T) {
	unjudged := func(b *bed) (ids string, why error) {
		rules, why := b.dev.UnjudgedRules()
		for _, r := range rules {
			ids += r.ID + " "
		}
		return ids, why
	}
	if ids, why := unjudged(open(t)); ids != "" || why != nil {
		t.Errorf("a device that tells: %s, %v", ids, why)
	}

	plain := open(t, softverbs.WithoutOp("query_device_ex"), softverbs.ODP(1, 0xff, 0, 0))
	if err := onDemand(t, plain); err != nil {
		t.Errorf("on-demand paging of a device that can: %v", err)
	}
	must(plain.dev.QueryDeviceEx())(t)
	ids, why := unjudged(plain)
	if !strings.Contains(ids, "VR-ibv_reg_mr-access-0016") || strings.Contains(ids, "VR-ibv_reg_mr-access-0001 ") || why == nil ||
		!strings.Contains(why.Error(), "ibv_query_device_ex") {
		t.Errorf("a provider without the extended query: %s, %v", ids, why)
	}

	broken := open(t, softverbs.Fail("ibv_query_device_ex", 1, syscall.EIO))
	if err := onDemand(t, broken); err == nil || isRefusal(err) || errors.Is(err, syscall.EIO) {
		t.Errorf("after a query that failed: %v", err)
	}
	for range 2 { // the device is asked once
		if ids, why = unjudged(broken); ids == "" || !errors.Is(why, syscall.EIO) {
			t.Errorf("a query that failed: %q, %v", ids, why)
		}
	}
	must(broken.dev.QueryDeviceEx())(t)
	if ids, why = unjudged(broken); ids != "" || why != nil {
		t.Errorf("after the program's own query: %s, %v", ids, why)
	}
	if err := onDemand(t, broken); !isRefusal(err) {
		t.Errorf("after the program's own query: %v", err)
	}

	closed := must(broken.lib.OpenDevice("soft0"))(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, why := closed.UnjudgedRules(); !errors.Is(why, os.ErrClosed) {
		t.Errorf("a closed device: %v", why)
	}
}

// TestPlainAttributes has a device tell its plain attributes only, as soft-RoCE does with rdma-core 28.1 to 32: no rule takes what it does
// not tell for 0.
func TestPlainAttributes(t *testing.T) {
	path := must(fakeprov.Build(t.TempDir(), fakeprov.Words, true))(t)
	b := open(t, softverbs.Override("query_device_ex", must(fakeprov.Load(path))(t).Op("query_device_ex")))
	if attr := must(b.dev.QueryDeviceEx())(t); attr.OrigAttr.MaxMR != 1 {
		t.Errorf("attributes: %+v", attr)
	}
	_, err := must(b.dev.AllocPD())(t).RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessFlushGlobal)
	if isRefusal(err) {
		t.Errorf("a flag that only the extended attributes announce: %v", err)
	}
	if rules, err := b.dev.UnjudgedRules(); len(rules) == 0 || err == nil {
		t.Errorf("rules that are not judged: %d, %v", len(rules), err)
	}
}

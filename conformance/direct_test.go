//go:build linux && cgo

package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// provided opens a software device whose device memory comes from a provider built for the test, as a user would meet
// it: by its name and by what it exports.
func provided(t *testing.T, k fakeprov.Kind) (*bed, *fakeprov.Provider) {
	t.Helper()
	path, err := fakeprov.Build(t.TempDir(), k, true)
	if err != nil {
		t.Fatal(err)
	}
	p := must(fakeprov.Load(path))(t)
	return open(t, softverbs.Override("alloc_dm", p.Op("alloc_dm")), softverbs.Override("free_dm", p.Op("free_dm"))), p
}

// TestUntrusted meets providers whose copy callbacks must not be called: each is refused with the reason, and with
// nothing called.
func TestUntrusted(t *testing.T) {
	for _, c := range []struct {
		name string
		kind fakeprov.Kind
		says string
	}{
		{"SW_ICM", fakeprov.MLX5SWICM, "SW_ICM"},
		{"MANA", fakeprov.MANA, "libmana"},
		{"garbage", fakeprov.Garbage, ""},
		{"another object", fakeprov.Elsewhere, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := provided(t, c.kind)
			dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
			if dm.Mode() != devmem.Refused {
				t.Errorf("mode %v", dm.Mode())
			}
			n, err := dm.WriteAt(make([]byte, 64), 0)
			if n != 0 || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("WriteAt = %d, %v; does not say %q", n, err, c.says)
			}
			t.Log(err)
		})
	}
}

// TestPlainAttributes has a device tell its plain attributes only, as soft-RoCE does with rdma-core 28.1 to 32: no rule takes what it does
// not tell for 0.
func TestPlainAttributes(t *testing.T) {
	path, err := fakeprov.Build(t.TempDir(), fakeprov.Words, true)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, softverbs.Override("query_device_ex", must(fakeprov.Load(path))(t).Op("query_device_ex")))
	if attr := must(b.dev.QueryDeviceEx())(t); attr.OrigAttr.MaxMR != 1 {
		t.Errorf("attributes: %+v", attr)
	}
	_, err = must(b.dev.AllocPD())(t).RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessFlushGlobal)
	if isRefusal(err) {
		t.Errorf("a flag that only the extended attributes announce: %v", err)
	}
	if rules, err := b.dev.UnjudgedRules(); len(rules) == 0 || err == nil {
		t.Errorf("rules that are not judged: %d, %v", len(rules), err)
	}
}

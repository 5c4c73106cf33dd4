//go:build linux && cgo

package conformance

import (
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

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

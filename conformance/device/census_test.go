//go:build linux && cgo

package device

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/internal/census"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestCensus counts what is made, and has the suite find what a case leaves behind.
func TestCensus(t *testing.T) {
	_, name := library(t)
	before := must(census.Count(name))(t)
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	must(pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite))(t)
	now := must(census.Count(name))(t)
	for _, kind := range []string{"ctx", "pd", "mr"} {
		if now[kind] != before[kind]+1 {
			t.Errorf("%s: %d, then %d", kind, before[kind], now[kind])
		}
	}
	if err := b.dev.CloseAll(); err != nil {
		t.Fatal(err)
	}
	if more := must(before.More(name))(t); more != "" {
		t.Errorf("left behind: %s", more)
	}
	target := must(suite.Open(suite.Config{Device: name}))(t)
	var left *verbs.Device
	r := target.Run(suite.Case{ID: "CF-test-0001", Family: "test", Title: "leaves a domain", Page: "ibv_alloc_pd", Run: func(t *suite.T) {
		dev, err := t.Lib().OpenDevice(t.Name())
		if err != nil {
			t.Fatalf("%v", err)
		}
		left = dev
		if _, err := dev.AllocPD(); err != nil {
			t.Fatalf("%v", err)
		}
	}})
	if r.Status != report.Fail || !strings.Contains(r.Reason, "left behind on "+name) || !strings.Contains(r.Reason, "pd ") {
		t.Errorf("%s: %s", r.Status, r.Reason)
	}
	if left != nil {
		if err := left.CloseAll(); err != nil {
			t.Error(err)
		}
	}
}

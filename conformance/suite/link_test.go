//go:build linux && cgo

package suite

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// brokenMaker is a far side that makes no ends.
type brokenMaker struct{ asked int }

func (b *brokenMaker) NewEnd(context.Context, far.Kind) (far.End, error) {
	b.asked++
	return nil, errors.New("the line is cut")
}

func (b *brokenMaker) Close() error { return errors.New("nobody but its owner closes it") }

// TestFarSide runs a case with ends of another maker. One that fails is a failure, not a reason to skip.
func TestFarSide(t *testing.T) {
	b := &brokenMaker{}
	g, err := Open(Config{Device: Software, Defects: Defects{}, Far: b})
	if err != nil {
		t.Fatal(err)
	}
	for want, ends := range map[string]func(*T){"a write: the line is cut": func(t *T) {
		pd, err := t.Device().AllocPD()
		if err != nil {
			t.Fatalf("%v", err)
		}
		t.PeerOf(pd).Write("a write", 1, 0, []byte("x"))
	}, "the line is cut": func(t *T) { t.NewEnd(far.UD) }} {
		if r := run(g, ends, Peer); r.Status != report.Fail || r.Reason != want {
			t.Errorf("%+v", r)
		}
	}
	if b.asked != 2 {
		t.Errorf("asked %d times", b.asked)
	}
}

// TestOverlay runs cases on a device without device memory, one that needs it and one that does not: the first meets an
// overlay and is marked so, the second the device as it is.
func TestOverlay(t *testing.T) {
	g := target(t, nil, softverbs.MaxDMSize(0))
	with := softverbs.New(DefaultSoft()...)
	defer with.Close()
	g.overlay = with
	delete(g.lacking, DM)
	for _, c := range []struct {
		needs []Capability
		mode  string
		has   bool
	}{{[]Capability{DM}, report.ModeOverlay, true}, {nil, report.ModeSoftware, false}} {
		r := run(g, func(t *T) {
			attr, err := t.Device().QueryDeviceEx()
			if err != nil || t.Has(DM) != c.has || (attr.MaxDMSize > 0) != c.has {
				t.Errorf("has %t, %v", t.Has(DM), err)
			}
		}, c.needs...)
		if r.Status != report.Pass || r.Mode != c.mode {
			t.Errorf("needs %v: %+v", c.needs, r)
		}
	}
	for _, c := range g.Report(nil).Capabilities {
		if c.Name == string(DM) && (!c.Has || !strings.Contains(c.Reason, "overlay")) {
			t.Errorf("%+v", c)
		}
	}
}

//go:build linux && cgo

package suite

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// distant makes no ends; its machine may be out of reach.
type distant struct {
	reach, end error
	looks      int
}

func (d *distant) Reach(context.Context) error { d.looks++; return d.reach }
func (d *distant) NewEnd(context.Context, far.Kind) (far.End, error) {
	return nil, d.end
}
func (d *distant) Close() error { return nil }

// TestDistant loses the other machine within a case, which fails, and between cases, which are skipped, until it is there
// again. Cases that need no other end go on all the time.
func TestDistant(t *testing.T) {
	g, d := target(t, nil), &distant{}
	g.cfg.Far = d
	uses := func(t *T) {
		pd, err := t.Device().AllocPD()
		if err != nil {
			t.Fatalf("%v", err)
		}
		t.PeerOf(pd).Write("writing", 1, 1, nil)
	}
	ends := func(t *T) { t.NewEnd(far.RC) }
	for _, c := range []struct {
		name       string
		reach, end error
		run        func(*T)
		want       report.Status
		says       string
	}{
		{"lost within a peer", nil, errors.New("the session is lost"), uses, report.Fail, "writing: the session is lost"},
		{"lost within an end", nil, errors.New("the session is lost"), ends, report.Fail, "the session is lost"},
		{"gone before a peer", errors.New("it is gone"), nil, uses, report.Skip, "needs peer: it is gone"},
		{"gone before an end", errors.New("it is gone"), nil, ends, report.Skip, "needs peer: it is gone"},
		{"gone, and not needed", errors.New("it is gone"), nil, func(t *T) { t.Device() }, report.Pass, ""},
		{"there again", nil, errors.New("but not for long"), ends, report.Fail, "but not for long"},
	} {
		d.reach, d.end = c.reach, c.end
		if r := run(g, c.run, Peer); r.Status != c.want || !strings.HasPrefix(r.Reason, c.says) || len(r.Lacks) != 0 {
			t.Errorf("%s: %s %q, want %s %q", c.name, r.Status, r.Reason, c.want, c.says)
		}
	}
	if d.looks != 5 {
		t.Errorf("%d looks at the other machine, want 5", d.looks)
	}
}

// TestUseFar has a software device go without, and the report name the other machine.
func TestUseFar(t *testing.T) {
	g := target(t, nil)
	self := g.Self()
	if self.Host.Kernel == "" || self.Host.OS != "linux" || self.Device.Name != "soft0" || self.Library.RDMACore != "65.0" {
		t.Errorf("%+v", self)
	}
	if r := run(g, func(*T) {}, Peer); r.Status != report.Pass {
		t.Errorf("%+v", r)
	}
	other := self
	other.Host.Name = "other"
	g.UseFar(&distant{}, other)
	r := run(g, func(*T) {}, Peer)
	if r.Status != report.Skip || r.Reason != "needs peer: a device made of software reaches no other machine" {
		t.Errorf("%+v", r)
	}
	if rep := g.Report([]report.Case{r}); rep.Peer == nil || rep.Peer.Host.Name != "other" {
		t.Errorf("peer %v", rep.Peer)
	}
}

// TestOpenFar makes ends for another machine, twice, and leaves nothing.
func TestOpenFar(t *testing.T) {
	g := target(t, nil)
	for range 2 {
		m, err := g.OpenFar()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.NewEnd(t.Context(), far.UD); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	g.cfg.Port = 9
	if _, err := g.OpenFar(); err == nil {
		t.Error("port 9 is opened")
	}
}

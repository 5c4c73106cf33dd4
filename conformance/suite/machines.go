//go:build linux

package suite

import (
	"errors"
	"runtime"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// Self says what another machine has to know of this one.
func (g *Target) Self() report.Peer {
	host := g.host
	host.OS, host.Arch = runtime.GOOS, runtime.GOARCH
	return report.Peer{Host: host, Library: g.library, Device: g.device}
}

// OpenFar opens the device for the cases of another machine.
func (g *Target) OpenFar() (far.Maker, error) {
	if g.source != nil {
		return g.openFar(g.source, g.name)
	}
	soft := softverbs.New(append(DefaultSoft(), g.cfg.Soft...)...)
	m, err := g.openFar(soft, g.name)
	if err != nil {
		return nil, errors.Join(err, soft.Close())
	}
	return &softMaker{m, soft}, nil
}

func (g *Target) openFar(source verbs.Symbols, name string) (far.Maker, error) {
	lib, err := verbs.LoadFrom(source)
	if err != nil {
		return nil, err
	}
	return far.Local(lib, name, g.cfg.Port, g.cfg.GIDIndex)
}

// softMaker ends its device too.
type softMaker struct {
	far.Maker
	soft *softverbs.Device
}

func (m *softMaker) Close() error { return errors.Join(m.Maker.Close(), m.soft.Close()) }

// UseFar has the cases that follow find their other ends on another machine. A device made of software reaches none: on it
// the cases go without.
func (g *Target) UseFar(m far.Maker, peer report.Peer) {
	g.cfg.Far, g.peer = m, &peer
	if g.source == nil {
		g.lacking[Peer] = "a device made of software reaches no other machine"
	}
}

// reach ends a case as skipped when its other ends were to come from a machine that is out of reach.
func (t *T) reach() {
	if m, ok := t.target.cfg.Far.(far.Reacher); ok {
		if err := m.Reach(t.Context()); err != nil {
			t.Lack(Peer, err)
		}
	}
}

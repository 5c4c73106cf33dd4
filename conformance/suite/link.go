//go:build linux

package suite

import (
	"cmp"
	"fmt"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Link is a queue pair of the device under test that is connected to another end.
type Link struct {
	QP   *verbs.QP
	Self far.Address
	To   far.Address
	Far  far.End
}

// Maker returns what makes the other ends: the one of the configuration, or a second context on the peer device, or on the device
// itself.
func (t *T) Maker() far.Maker {
	if t.maker != nil {
		return t.maker
	}
	if t.maker = t.target.cfg.Far; t.maker != nil {
		return t.maker
	}
	m, err := t.target.localMaker(t)
	if err != nil {
		t.Fatalf("the other end: %v", err)
	}
	t.Finally("the other end", m.Close)
	t.maker = m
	return m
}

// localMaker opens the peer device, or the device itself once more, for a case.
func (g *Target) localMaker(t *T) (far.Maker, error) {
	if t.soft != nil {
		return g.openFar(t.soft, t.PeerName())
	}
	return g.openFar(g.source, t.PeerName()) // not an overlay, which is for the device under test
}

// Port is the port of the device under test over which it reaches its peer.
func (t *T) Port() *far.Port {
	if t.port == nil {
		p, err := far.OpenPort(t.Device(), t.target.name, t.target.cfg.Port, t.target.cfg.GIDIndex)
		if err != nil {
			t.Fatalf("%v", err)
		}
		t.port = p
	}
	return t.port
}

// PeerName is the name of the device that FarSide opens.
func (t *T) PeerName() string {
	return cmp.Or(t.target.peerName, t.target.name)
}

// FarSide opens the device that the other end is on, the peer device or the device itself once more, for cases that need both ends
// in their hands, and asks its port.
func (t *T) FarSide() (*verbs.Device, *far.Port) {
	name := t.PeerName()
	dev := t.open(name)
	p, err := far.OpenPort(dev, name, t.target.cfg.Port, t.target.cfg.GIDIndex)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return dev, p
}

// NewEnd makes another end, which is closed when the case has ended.
func (t *T) NewEnd(kind far.Kind) far.End {
	t.reach()
	e, err := t.Maker().NewEnd(t.Context(), kind)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Finally("the other end", e.Close)
	return e
}

// Connect connects a queue pair that is in RESET to another end of its kind, made for it. access is what the other end may do.
func (t *T) Connect(qp *verbs.QP, kind far.Kind, access verbs.QPAccess) *Link {
	l, err := t.connect(qp, kind, access, t.NewEnd(kind))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return l
}

func (t *T) connect(qp *verbs.QP, kind far.Kind, access verbs.QPAccess, e far.End) (*Link, error) {
	l := &Link{QP: qp, Self: t.Port().Address(qp, kind), To: e.Address(), Far: e}
	if err := t.Port().Init(qp, kind, access); err != nil {
		return nil, err
	}
	if err := t.Port().Connect(qp, l.Self, l.To); err != nil {
		return nil, err
	}
	if err := e.Connect(t.Context(), l.Self); err != nil {
		return nil, fmt.Errorf("connecting the other end: %w", err)
	}
	return l, nil
}

// Access is all that a queue pair of the device under test can let its peer do.
func (t *T) Access(kind far.Kind) verbs.QPAccess { return far.Access(kind, t.Has(Atomics)) }

//go:build linux && cgo

package softcm_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// patience ends what never comes.
const patience = 30 * time.Second

var (
	first  = netip.MustParseAddr("10.0.0.1")
	second = netip.MustParseAddr("10.0.0.2")
)

// machine is two software devices with a connection manager.
type machine struct {
	*testing.T
	soft *softverbs.Device
	cm   *softcm.Manager
	lib  *rdmacm.Lib
}

// wantIs reports an error that is not the one wanted.
func wantIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func newMachine(t *testing.T, opts ...softcm.Option) *machine {
	t.Helper()
	soft := softverbs.New(softverbs.AnotherDevice("soft1"))
	m := &machine{T: t, soft: soft, cm: softcm.New(soft, opts...)}
	t.Cleanup(func() {
		if err := errors.Join(m.cm.Close(), soft.Close()); err != nil {
			t.Error(err)
		}
	})
	v, err := verbs.LoadFrom(soft)
	m.must(err)
	m.lib, err = rdmacm.LoadFrom(v, m.cm)
	m.must(err)
	return m
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// channel opens an event channel, which is closed with everything on it at the end of the test.
func (m *machine) channel() *rdmacm.EventChannel {
	m.Helper()
	c, err := m.lib.CreateEventChannel()
	m.must(err)
	m.Cleanup(func() { c.CloseAll() })
	return c
}

// id makes an identifier on a channel of its own.
func (m *machine) id(ps rdmacm.PortSpace) *rdmacm.ID {
	m.Helper()
	id, err := m.channel().CreateID(ps)
	m.must(err)
	return id
}

// next waits for an event for an identifier.
func (m *machine) next(id *rdmacm.ID, want rdmacm.EventType) *rdmacm.Event {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), patience)
	defer cancel()
	ev, err := id.EventChannel().Next(ctx)
	m.must(err)
	if ev.Type != want {
		m.Fatalf("event %v, status %d, want %v", ev.Type, ev.Status, want)
	}
	return ev
}

// quiet reports an event that should not be there.
func (m *machine) quiet(id *rdmacm.ID) {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), time.Millisecond)
	defer cancel()
	if ev, err := id.EventChannel().Next(ctx); err == nil {
		m.Errorf("event %v, status %d, want none", ev.Type, ev.Status)
	}
}

// listen makes an identifier that listens, and its address.
func (m *machine) listen(ps rdmacm.PortSpace) (*rdmacm.ID, netip.AddrPort) {
	m.Helper()
	id := m.id(ps)
	m.must(id.BindAddr(netip.AddrPortFrom(first, 0)))
	m.must(id.Listen(0))
	at, err := id.LocalAddr()
	m.must(err)
	return id, at
}

// routed makes an identifier with the route to an address.
func (m *machine) routed(ps rdmacm.PortSpace, to netip.AddrPort) *rdmacm.ID {
	m.Helper()
	id := m.id(ps)
	m.must(id.ResolveAddr(netip.AddrPortFrom(second, 0), to, 1000))
	m.next(id, rdmacm.EventTypeAddrResolved)
	m.must(id.ResolveRoute(1000))
	m.next(id, rdmacm.EventTypeRouteResolved)
	return id
}

// qp makes a queue pair for an identifier, closed with the device at the end of the test.
func (m *machine) qp(id *rdmacm.ID, typ verbs.QPType) *verbs.QP {
	m.Helper()
	dev, err := id.Device()
	m.must(err)
	pd, err := dev.AllocPD()
	m.must(err)
	cq, err := dev.CreateCQ(8, nil, 0)
	m.must(err)
	qp, err := id.CreateQP(pd, verbs.QPInitAttr{Type: typ, SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1,
		MaxRecvSGE: 1})
	m.must(err)
	m.Cleanup(func() { dev.CloseAll() })
	return qp
}

// connected connects two identifiers with queue pairs.
func (m *machine) connected() (server, client *rdmacm.ID) {
	m.Helper()
	l, at := m.listen(rdmacm.PortSpaceTCP)
	client = m.routed(rdmacm.PortSpaceTCP, at)
	m.qp(client, verbs.QPTypeRC)
	m.must(client.Connect(rdmacm.ConnAttr{RetryCount: 3, RNRRetryCount: 3}))
	server = m.next(l, rdmacm.EventTypeConnectRequest).ID
	m.qp(server, verbs.QPTypeRC)
	m.must(server.Accept(rdmacm.ConnAttr{RNRRetryCount: 3}))
	m.next(client, rdmacm.EventTypeEstablished)
	m.next(server, rdmacm.EventTypeEstablished)
	return server, client
}

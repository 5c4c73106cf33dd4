//go:build linux && cgo

package softcm_test

import (
	"errors"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// soon has lost messages sent again at once.
func soon(n int) softcm.Option { return softcm.Retries(n, time.Millisecond) }

// TestLost: a connection is made and ended although one message of each kind is lost. Nobody asks for more time, as that lasts a minute.
func TestLost(t *testing.T) {
	for _, what := range []softcm.Message{softcm.MessageREQ, softcm.MessageREP, softcm.MessageRTU, softcm.MessageDREQ, softcm.MessageDREP} {
		m := newMachine(t, soon(10_000), softcm.Lose(what, 1), softcm.Lose(softcm.MessageMRA, 0))
		server, client := m.connected()
		m.must(client.Disconnect())
		m.next(server, rdmacm.EventTypeDisconnected)
		m.must(server.Disconnect())
		m.next(client, rdmacm.EventTypeDisconnected)
	}
}

// TestLostRejection: the peer asks again, which is a new request.
func TestLostRejection(t *testing.T) {
	m := newMachine(t, soon(10_000), softcm.Lose(softcm.MessageREJ, 1), softcm.Lose(softcm.MessageMRA, 0))
	l, at := m.listen(rdmacm.PortSpaceTCP)
	client := m.routed(rdmacm.PortSpaceTCP, at)
	m.must(client.Connect(rdmacm.ConnAttr{}))
	m.must(m.next(l, rdmacm.EventTypeConnectRequest).ID.Reject(nil))
	m.must(m.next(l, rdmacm.EventTypeConnectRequest).ID.Reject([]byte("no")))
	if ev := m.next(client, rdmacm.EventTypeRejected); ev.Status != 28 || string(ev.Conn.PrivateData[:3]) != "no\x00" {
		t.Errorf("%+v", ev)
	}
}

// TestUnreachable: a peer that never answers, of each port space.
func TestUnreachable(t *testing.T) {
	requests := map[rdmacm.PortSpace]softcm.Message{
		rdmacm.PortSpaceTCP: softcm.MessageREQ, rdmacm.PortSpaceUDP: softcm.MessageSIDRREQ,
	}
	for ps, what := range requests {
		m := newMachine(t, soon(2), softcm.Lose(what, 0))
		_, at := m.listen(ps)
		client := m.routed(ps, at)
		m.must(client.Connect(rdmacm.ConnAttr{}))
		if ev := m.next(client, rdmacm.EventTypeUnreachable); ev.Status != -int(syscall.ETIMEDOUT) {
			t.Errorf("%v: status %d", ps, ev.Status)
		}
	}
}

// TestSilence: an address that stops to answer is not resolved, and a connection to it ends after all retries only.
func TestSilence(t *testing.T) {
	m := newMachine(t, soon(2))
	_, client := m.connected()
	m.must(m.cm.Silence(first, true))
	m.must(client.Disconnect())
	if ev := m.next(client, rdmacm.EventTypeDisconnected); ev.Status != -int(syscall.ETIMEDOUT) {
		t.Errorf("status %d", ev.Status)
	}
	id := m.id(rdmacm.PortSpaceTCP)
	m.must(id.ResolveAddr(netip.AddrPort{}, netip.AddrPortFrom(first, 1), 1))
	m.next(id, rdmacm.EventTypeAddrError)
	m.must(m.cm.Silence(first, false))
	m.must(id.ResolveAddr(netip.AddrPort{}, netip.AddrPortFrom(first, 1), 1))
	m.next(id, rdmacm.EventTypeAddrResolved)
}

// TestBacklog: a listener with as many requests as it wants hears of the next one when there is room again.
func TestBacklog(t *testing.T) {
	m := newMachine(t, soon(1000))
	l := m.id(rdmacm.PortSpaceTCP)
	m.must(l.BindAddr(netip.AddrPortFrom(first, 0)))
	m.must(l.Listen(1))
	at, err := l.LocalAddr()
	m.must(err)
	for range 2 {
		m.must(m.routed(rdmacm.PortSpaceTCP, at).Connect(rdmacm.ConnAttr{}))
	}
	m.next(l, rdmacm.EventTypeConnectRequest)
	m.next(l, rdmacm.EventTypeConnectRequest)
}

// TestPortDown: messages do not leave a port that is down.
func TestPortDown(t *testing.T) {
	m := newMachine(t, soon(1))
	_, at := m.listen(rdmacm.PortSpaceTCP)
	client := m.routed(rdmacm.PortSpaceTCP, at)
	m.must(m.soft.SetPort("soft1", 1, false))
	m.must(client.Connect(rdmacm.ConnAttr{}))
	m.next(client, rdmacm.EventTypeUnreachable)
}

// TestRemoveDevice: the identifiers of a device get an event and are of no more use; their peers see the connection end.
func TestRemoveDevice(t *testing.T) {
	m := newMachine(t)
	server, client := m.connected()
	m.must(m.cm.RemoveDevice("soft1"))
	m.next(client, rdmacm.EventTypeDeviceRemoval)
	m.next(server, rdmacm.EventTypeDisconnected)
	wantIs(t, client.Disconnect(), syscall.ENXIO)
	id := m.id(rdmacm.PortSpaceTCP)
	wantIs(t, id.BindAddr(netip.AddrPortFrom(second, 0)), syscall.EADDRNOTAVAIL)
	wantIs(t, m.cm.RemoveDevice("soft7"), syscall.ENODEV)
}

// TestChangeAddress: every identifier of the device hears of it.
func TestChangeAddress(t *testing.T) {
	m := newMachine(t)
	server, client := m.connected()
	m.must(m.cm.ChangeAddress("soft0"))
	m.next(server, rdmacm.EventTypeAddrChange)
	m.quiet(client)
}

// TestFail: calls fail on order.
func TestFail(t *testing.T) {
	m := newMachine(t, softcm.Fail("rdma_create_id", 2, syscall.ENOMEM))
	c := m.channel()
	_, err := c.CreateID(rdmacm.PortSpaceTCP)
	m.must(err)
	_, err = c.CreateID(rdmacm.PortSpaceTCP)
	wantIs(t, err, syscall.ENOMEM)
	if _, err = c.CreateID(rdmacm.PortSpaceTCP); err != nil {
		t.Errorf("the third: %v", err)
	}
	for want, err := range map[string]error{
		"no such function":   m.cm.Fail("rdma_nothing", 1, syscall.EIO),
		"0 is no error":      m.cm.Fail("rdma_listen", 1, 0),
		"not a message":      m.cm.Lose(99, 1),
		"not an address":     m.cm.Silence(netip.Addr{}, true),
		"the number is at":   softcm.New(m.soft, softcm.Retries(-1, 0)).Err(),
		"the time is":        softcm.New(m.soft, softcm.TimeWait(0)).Err(),
		"New(nil)":           softcm.New(nil).Err(),
		"the manager is nil": (*softcm.Manager)(nil).Err(),
		"never opened":       new(softcm.Manager).Err(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestClose: what is open is named, and devices are closed with the library.
func TestClose(t *testing.T) {
	soft := softverbs.New()
	cm := softcm.New(soft, nil) // a nil option changes nothing
	v, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	const other = "has none of the functions"
	if _, err := rdmacm.LoadFrom(v, soft); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), other) {
		t.Errorf("a device in place of a manager: %v", err)
	}
	lib, err := rdmacm.LoadFrom(v, cm)
	if err != nil {
		t.Fatal(err)
	}
	c, err := lib.CreateEventChannel()
	if err != nil {
		t.Fatal(err)
	}
	id, err := c.CreateID(rdmacm.PortSpaceTCP)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.BindAddr(netip.AddrPortFrom(first, 5)); err != nil {
		t.Fatal(err)
	}
	if err := cm.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "identifier of soft0, port 5: still open") {
		t.Errorf("%v", err)
	}
	wantIs(t, soft.Close(), syscall.EBUSY)
	if err := errors.Join(c.CloseAll(), cm.Close(), soft.Close()); err != nil {
		t.Error(err)
	}
	wantIs(t, cm.Close(), os.ErrClosed)
}

// TestLoopback: 127.0.0.1 has no route, unless it is asked for.
func TestLoopback(t *testing.T) {
	for _, opts := range [][]softcm.Option{nil, {softcm.Loopback()}} {
		m := newMachine(t, opts...)
		id := m.id(rdmacm.PortSpaceTCP)
		m.must(id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("127.0.0.1:9"), 1000))
		m.next(id, rdmacm.EventTypeAddrResolved)
		switch err := id.ResolveRoute(1000); {
		case opts == nil && !errors.Is(err, syscall.ENODEV):
			t.Errorf("without the option: %v", err)
		case opts != nil && err != nil:
			t.Errorf("with the option: %v", err)
		}
	}
}

// TestManyGoroutines: 32 goroutines connect, talk and end connections at once, some by Close alone.
func TestManyGoroutines(t *testing.T) {
	m := newMachine(t, softcm.TimeWait(time.Millisecond), softcm.Retries(1, time.Millisecond))
	l, at := m.listen(rdmacm.PortSpaceTCP)
	served := make(chan bool)
	go func() {
		defer close(served)
		for {
			ev, err := l.EventChannel().Next(m.Context())
			if err != nil {
				return
			}
			switch ev.Type {
			case rdmacm.EventTypeConnectRequest:
				_ = ev.ID.Accept(rdmacm.ConnAttr{QPNum: 1}) // fails where the peer is gone already
			case rdmacm.EventTypeDisconnected:
				_ = ev.ID.Disconnect()
			case rdmacm.EventTypeTimewaitExit, rdmacm.EventTypeRejected, rdmacm.EventTypeUnreachable:
				if ev.ID != nil {
					ev.ID.Close()
				}
			}
		}
	}()
	t.Run("clients", func(t *testing.T) {
		for g := range 32 {
			t.Run(strconv.Itoa(g), func(t *testing.T) {
				t.Parallel()
				m := &machine{T: t, soft: m.soft, cm: m.cm, lib: m.lib}
				for round := range 8 {
					m.visit(at, (g+round)%3)
				}
			})
		}
	})
	m.must(l.EventChannel().CloseAll())
	<-served
}

// visit connects to a server without queue pairs and leaves: at once, by a disconnect, or by Close.
func (m *machine) visit(at netip.AddrPort, how int) {
	m.Helper()
	client := m.routed(rdmacm.PortSpaceTCP, at)
	m.must(client.Connect(rdmacm.ConnAttr{QPNum: 1}))
	if how != 0 {
		m.next(client, rdmacm.EventTypeConnectResponse)
		m.must(client.Establish())
	}
	if how == 1 {
		m.must(client.Disconnect())
	}
	m.must(client.Close())
}

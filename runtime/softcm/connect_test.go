//go:build linux && cgo

package softcm_test

import (
	"bytes"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
)

// TestConnected: the queue pairs of a connection are ready to send, and both ends know how they may use each other.
func TestConnected(t *testing.T) {
	m := newMachine(t)
	l, at := m.listen(rdmacm.PortSpaceTCP)
	client := m.routed(rdmacm.PortSpaceTCP, at)
	cqp := m.qp(client, verbs.QPTypeRC)
	m.must(client.Connect(rdmacm.ConnAttr{
		PrivateData: []byte("hello"), ResponderResources: 3, InitiatorDepth: 5, RetryCount: 4,
		RNRRetryCount: 6,
	}))
	ev := m.next(l, rdmacm.EventTypeConnectRequest)
	if c := ev.Conn; len(c.PrivateData) != 56 || !bytes.HasPrefix(c.PrivateData, []byte("hello\x00")) || c.ResponderResources != 5 ||
		c.InitiatorDepth != 3 || c.RetryCount != 4 || c.RNRRetryCount != 6 || c.QPNum != cqp.Num() {
		t.Errorf("request %+v", c)
	}
	sqp := m.qp(ev.ID, verbs.QPTypeRC)
	m.must(ev.ID.Accept(rdmacm.ConnAttr{PrivateData: []byte("welcome"), ResponderResources: 4, InitiatorDepth: 2, RNRRetryCount: 5}))
	if c := m.next(client, rdmacm.EventTypeEstablished).Conn; len(c.PrivateData) != 196 || !bytes.HasPrefix(c.PrivateData,
		[]byte("welcome\x00")) || c.ResponderResources != 2 || c.InitiatorDepth != 4 || c.QPNum != sqp.Num() {
		t.Errorf("answer %+v", c)
	}
	m.next(ev.ID, rdmacm.EventTypeEstablished)
	for _, end := range []struct {
		qp, peer               *verbs.QP
		reads, served, rnr, re uint8
	}{{cqp, sqp, 4, 2, 5, 4}, {sqp, cqp, 2, 4, 6, 4}} {
		a, _, err := end.qp.Query(verbs.QPFieldState | verbs.QPFieldDestQPN | verbs.QPFieldRNRRetry | verbs.QPFieldRetryCnt |
			verbs.QPFieldMaxQPRDAtomic | verbs.QPFieldMaxDestRDAtomic)
		m.must(err)
		if a.State != verbs.QPStateRTS || a.DestQPNum != end.peer.Num() || a.MaxRDAtomic != end.reads || a.MaxDestRDAtomic != end.served ||
			a.RNRRetry != end.rnr || a.RetryCnt != end.re {
			t.Errorf("queue pair %+v, want %+v", a, end)
		}
	}
}

// TestPrivateData: the limits of private data, for each message and port space.
func TestPrivateData(t *testing.T) {
	m := newMachine(t)
	for _, ps := range []struct {
		ps                      rdmacm.PortSpace
		connect, accept, reject int
	}{{rdmacm.PortSpaceTCP, 56, 196, 148}, {rdmacm.PortSpaceUDP, 180, 136, 136}} {
		l, at := m.listen(ps.ps)
		for _, reject := range []bool{false, true} {
			client := m.routed(ps.ps, at)
			if err := client.Connect(rdmacm.ConnAttr{PrivateData: make([]byte, ps.connect+1)}); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%v: connect with %d bytes: %v", ps.ps, ps.connect+1, err)
			}
			m.must(client.Connect(rdmacm.ConnAttr{PrivateData: make([]byte, ps.connect)}))
			server := m.next(l, rdmacm.EventTypeConnectRequest).ID
			answer, most := server.Accept, ps.accept
			if reject {
				answer, most = func(a rdmacm.ConnAttr) error { return server.Reject(a.PrivateData) }, ps.reject
				if err := answer(rdmacm.ConnAttr{PrivateData: make([]byte, most+1)}); !errors.Is(err, syscall.EINVAL) {
					t.Errorf("%v: reject with %d bytes: %v", ps.ps, most+1, err)
				}
			}
			m.must(answer(rdmacm.ConnAttr{PrivateData: make([]byte, most)}))
		}
	}
}

// TestEnd: both ends hear of the end of a connection, and later that it is forgotten.
func TestEnd(t *testing.T) {
	m := newMachine(t, softcm.TimeWait(time.Millisecond))
	server, client := m.connected()
	m.must(client.Disconnect())
	m.next(server, rdmacm.EventTypeDisconnected)
	m.quiet(client)
	m.must(server.Disconnect())
	m.next(client, rdmacm.EventTypeDisconnected)
	m.next(client, rdmacm.EventTypeTimewaitExit)
	m.next(server, rdmacm.EventTypeTimewaitExit)
}

// TestMigrateInPlace: an identifier may be moved to the channel that it is on, with the events that wait.
func TestMigrateInPlace(t *testing.T) {
	m := newMachine(t)
	id := m.id(rdmacm.PortSpaceTCP)
	m.must(id.ResolveAddr(netip.AddrPort{}, netip.AddrPortFrom(first, 1), 1))
	m.must(id.Migrate(id.EventChannel()))
	m.next(id, rdmacm.EventTypeAddrResolved)
}

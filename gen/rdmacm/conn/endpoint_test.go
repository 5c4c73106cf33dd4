//go:build linux && cgo

package conn_test

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// endpoints has connections made with endpoints.
func (m *machine) endpoints(config endpoint.Config) conn.Options {
	o := m.with("")
	o.QP = func(c *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) {
		if err := m.uses(c); err != nil {
			return nil, err
		}
		e, err := c.NewEndpoint(config)
		if err != nil {
			return nil, err
		}
		return e.QP, nil
	}
	return o
}

// TestEndpoint sends a message over a connection, and ends it: the endpoint of the peer ends too, and both are closed.
func TestEndpoint(t *testing.T) {
	m := newMachine(t)
	got := make(chan verbs.WC, 4)
	server := endpoint.Config{Recvs: 2, RecvSize: 64, Handle: func(_ *endpoint.Endpoint, wc verbs.WC) { got <- wc }}
	peer, c := m.joined(server, endpoint.Config{SendSize: 64})
	s, err := c.Endpoint().Slot(m.ctx)
	m.must(err)
	s.Send(copy(s.Bytes(), "hello"))
	_, err = s.Do(m.ctx)
	m.must(err)
	if wc := <-got; string(peer.Endpoint().Recv(int(wc.ID))[:wc.ByteLen]) != "hello" {
		t.Errorf("got %q", peer.Endpoint().Recv(0))
	}
	m.must(errors.Join(c.Endpoint().Err(), peer.Endpoint().Err()))
	m.must(c.Close())
	<-peer.Endpoint().Done()
	wantIs(t, peer.Endpoint().Err(), syscall.ECONNRESET)
	wantIs(t, c.Endpoint().Err(), os.ErrClosed)
	m.must(peer.Close())
	wantIs(t, peer.Endpoint().Close(), os.ErrClosed)
}

// TestEndpointFails has each step of an endpoint fail, also after others were made. Nothing is left.
func TestEndpointFails(t *testing.T) {
	for _, verb := range []string{"ibv_alloc_pd", "ibv_create_comp_channel", "ibv_create_cq", "ibv_reg_mr", "ibv_create_qp", "ibv_post_recv"} {
		t.Run(verb, func(t *testing.T) {
			m := softMachine(t)
			o := m.endpoints(endpoint.Config{Recvs: 1, RecvSize: 8, Handle: func(*endpoint.Endpoint, verbs.WC) {}})
			inner := o.QP
			o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
				m.must(m.soft.Fail(verb, 1, syscall.ENOMEM))
				qp, err := inner(c, attr)
				if c.Endpoint() != nil || qp != nil {
					t.Errorf("an endpoint %v with %v", c.Endpoint(), err)
				}
				return qp, err
			}
			_, err := m.Dial(m.ctx, m.listen(conn.ListenOptions{}).Addr(), o)
			if !errors.Is(err, syscall.ENOMEM) {
				t.Error(err)
			}
			for d := range m.devices {
				m.must(d.Close())
			}
			clear(m.devices)
		})
	}
}

// joined connects with endpoints.
func (m *machine) joined(server, client endpoint.Config) (accepted, dialed *conn.Conn) {
	m.Helper()
	return m.joinedBy(m.endpoints(server), m.endpoints(client))
}

func (m *machine) joinedBy(server, client conn.Options) (accepted, dialed *conn.Conn) {
	m.Helper()
	l := m.listen(conn.ListenOptions{})
	came := make(chan *conn.Conn, 1)
	go func() {
		c, err := l.Accept(m.ctx, server)
		if err != nil {
			m.Error(err)
		}
		came <- c
	}()
	dialed, err := m.Dial(m.ctx, l.Addr(), client)
	m.must(err)
	return <-came, dialed
}

// say sends an empty message, and does not wait for its completion.
func (m *machine) say(c *conn.Conn) {
	m.Helper()
	s, err := c.Endpoint().Slot(m.ctx)
	m.must(err)
	s.Send(0)
	m.must(s.Post())
}

// TestEndpointWaits closes a connection while Handle runs: Close waits for it, also if the endpoint is closed at the same time, and not if
// Handle itself closes.
func TestEndpointWaits(t *testing.T) {
	m := softMachine(t)
	began := make(chan bool)
	var returned atomic.Bool
	slow := endpoint.Config{Recvs: 2, RecvSize: 64, Handle: func(_ *endpoint.Endpoint, wc verbs.WC) {
		if wc.Err() == nil {
			began <- true
			time.Sleep(20 * time.Millisecond)
			returned.Store(true)
		}
	}}
	c, peer := m.joined(slow, endpoint.Config{})
	m.say(peer)
	<-began
	beside := make(chan error)
	go func() { beside <- c.Endpoint().Close() }()
	m.must(c.Close())
	if !returned.Load() {
		t.Error("Close has returned, and the function has not")
	}
	if err := <-beside; !errors.Is(err, os.ErrClosed) {
		m.must(err)
	}
	m.must(peer.Close())
	busy := make(chan error, 1)
	for wait := 10 * time.Millisecond; ; wait *= 4 {
		c, peer = m.joined(endpoint.Config{Recvs: 1, Handle: func(_ *endpoint.Endpoint, wc verbs.WC) {
			began <- true
			<-began
			busy <- c.Close()
		}}, endpoint.Config{})
		m.say(peer)
		<-began
		at := make(chan error)
		go func() { at <- c.Close() }()
		<-c.Endpoint().Done()
		time.Sleep(wait)
		began <- true
		err := <-busy
		m.must(errors.Join(<-at, peer.Close()))
		if errors.Is(err, os.ErrClosed) && wait < 10*time.Second {
			continue // the other Close had not come as far as the endpoint, so this one closed it
		}
		wantIs(t, err, syscall.EBUSY)
		break
	}
	closed := make(chan error, 2)
	own := make(chan *conn.Conn, 1)
	c, peer = m.joined(endpoint.Config{Recvs: 1, Handle: func(*endpoint.Endpoint, verbs.WC) { closed <- (<-own).Close() }}, endpoint.Config{})
	own <- c
	m.say(peer)
	m.must(<-closed)
}

// TestEndpointOrder closes what was made with the queue pair before it, and has an object of the program fail: all else is closed.
func TestEndpointOrder(t *testing.T) {
	m := softMachine(t)
	mine := errors.New("mine")
	var before error
	o := m.endpoints(endpoint.Config{})
	o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
		return m.endpoints(endpoint.Config{CreateQP: func(e *endpoint.Endpoint, attr verbs.QPInitAttr) (*verbs.QP, error) {
			qp, err := c.ID.CreateQP(e.PD, attr)
			if err != nil {
				return nil, err
			}
			return qp, e.Own(closer(func() error {
				_, _, before = qp.Query(verbs.QPFieldState)
				return mine
			}))
		}}).QP(c, attr)
	}
	c, peer := m.joinedBy(o, m.endpoints(endpoint.Config{}))
	if _, err := c.NewEndpoint(endpoint.Config{}); err == nil || !strings.Contains(err.Error(), "has an endpoint already") {
		t.Errorf("a second endpoint: %v", err)
	}
	wantIs(t, c.Close(), mine)
	if before != nil {
		t.Errorf("the queue pair was closed too early: %v", before)
	}
	wantIs(t, c.Close(), os.ErrClosed)
	m.must(peer.Close())
}

//go:build linux && cgo

package conn_test

import (
	"errors"
	"os"
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
		dev, err := c.ID.Device()
		if err != nil {
			return nil, err
		}
		m.mu.Lock()
		m.devices[dev] = true
		m.mu.Unlock()
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
	server := endpoint.Config{Recvs: 2, RecvSize: 64, Probe: time.Millisecond, Handle: func(_ *endpoint.Endpoint, wc verbs.WC) { got <- wc }}
	l := m.listen(conn.ListenOptions{})
	accepted := make(chan *conn.Conn, 1)
	go func() {
		c, err := l.Accept(m.ctx, m.endpoints(server))
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	c, err := m.Dial(m.ctx, l.Addr(), m.endpoints(endpoint.Config{SendSize: 64, Probe: time.Millisecond}))
	m.must(err)
	s, err := c.Endpoint.Slot(m.ctx)
	m.must(err)
	s.Send(copy(s.Bytes(), "hello"))
	_, err = s.Do(m.ctx)
	m.must(err)
	peer := <-accepted
	if wc := <-got; string(peer.Endpoint.Recv(int(wc.ID))[:wc.ByteLen]) != "hello" {
		t.Errorf("got %q", peer.Endpoint.Recv(0))
	}
	time.Sleep(10 * time.Millisecond) // some probes
	m.must(errors.Join(c.Endpoint.Err(), peer.Endpoint.Err()))
	m.must(c.Close())
	<-peer.Endpoint.Done()
	if err := peer.Endpoint.Err(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the endpoint of the peer: %v", err)
	}
	if err := c.Endpoint.Err(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the endpoint: %v", err)
	}
	m.must(peer.Close())
	if err := peer.Endpoint.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the endpoint after Close of its connection: %v", err)
	}
}

// TestEndpointFails has each step of an endpoint fail, also after others were made. Nothing is left.
func TestEndpointFails(t *testing.T) {
	for _, verb := range []string{"ibv_alloc_pd", "ibv_create_comp_channel", "ibv_create_cq", "ibv_reg_mr", "ibv_create_qp", "ibv_post_recv"} {
		t.Run(verb, func(t *testing.T) {
			m := softMachine(t)
			o := m.endpoints(endpoint.Config{Recvs: 1, RecvSize: 8})
			inner := o.QP
			o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
				m.must(m.soft.Fail(verb, 1, syscall.ENOMEM))
				return inner(c, attr)
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

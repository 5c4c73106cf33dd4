//go:build linux && cgo

package conn_test

import (
	"sync"
	"testing"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// shared makes queue pairs with one domain and one queue for each device.
type shared struct {
	*machine
	mu  sync.Mutex
	cqs map[*verbs.PD]*verbs.CQ
}

func (s *shared) qp(c *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) {
	dev, err := c.ID.Device()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for pd, cq := range s.cqs {
		if pd.Device() == dev {
			return s.make(c, pd, cq)
		}
	}
	pd, err := dev.AllocPD()
	if err != nil {
		return nil, err
	}
	cq, err := dev.CreateCQ(64, nil, 0)
	if err != nil {
		return nil, err
	}
	s.cqs[pd] = cq
	s.machine.mu.Lock()
	defer s.machine.mu.Unlock()
	s.devices[dev] = true
	return s.make(c, pd, cq)
}

func (s *shared) make(c *conn.Conn, pd *verbs.PD, cq *verbs.CQ) (*verbs.QP, error) {
	return c.ID.CreateQP(pd, verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1,
		MaxRecvSGE: 1})
}

// TestThousand has a server with 1,000 connections at a time, which 50 goroutines accept and as many make.
func TestThousand(t *testing.T) {
	const all, workers = 1000, 50
	m := newMachine(t)
	s := &shared{machine: m, cqs: map[*verbs.PD]*verbs.CQ{}}
	o := conn.Options{QP: s.qp, Attr: rdmacm.ConnAttr{RetryCount: 7, RNRRetryCount: 7}}
	l := m.listen(conn.ListenOptions{})
	ends := make(chan *conn.Conn, 2*all)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for range all / workers {
				c, err := l.Accept(m.ctx, o)
				if err != nil {
					t.Error(err)
					return
				}
				ends <- c
			}
		})
		running.Go(func() {
			for range all / workers {
				c, err := m.Dial(m.ctx, l.Addr(), o)
				if err != nil {
					t.Error(err)
					return
				}
				ends <- c
			}
		})
	}
	running.Wait()
	close(ends)
	n := 0
	for c := range ends {
		if info, _, err := c.QP.Query(verbs.QPFieldState); err != nil || info.State != verbs.QPStateRTS || c.Err() != nil {
			t.Fatalf("%+v, %v, %v", info, err, c.Err())
		}
		n++
	}
	if n != 2*all {
		t.Errorf("%d ends of connections are open, want %d", n, 2*all)
	}
	if err := m.Network.Close(); err != nil {
		t.Error(err)
	}
}

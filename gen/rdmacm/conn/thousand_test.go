//go:build linux && cgo

package conn_test

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

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
	if err = errors.Join(err, s.uses(c)); err != nil {
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
	return s.make(c, pd, cq)
}

func (s *shared) make(c *conn.Conn, pd *verbs.PD, cq *verbs.CQ) (*verbs.QP, error) {
	return c.ID.CreateQP(pd, verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1,
		MaxRecvSGE: 1})
}

// TestThousand has a server with 1,000 connections at a time, or 200 with -short, which 50 goroutines accept and as many make. Some ends
// are closed one by one, and the others with the network. None is closed before its peer has it: the kernel may handle the message that
// closes a connection before the last of those that make it, and Accept then says, and rightly, that it is DISCONNECTED.
func TestThousand(t *testing.T) {
	all := 1000
	if testing.Short() {
		all = 200
	}
	m := newMachine(t)
	ends := connectMany(m, all)
	for _, c := range ends {
		if info, _, err := c.QP.Query(verbs.QPFieldState); err != nil || info.State != verbs.QPStateRTS || c.Err() != nil {
			t.Fatalf("%+v, %v, %v", info, err, c.Err())
		}
	}
	if len(ends) != 2*all {
		t.Errorf("%d ends of connections are open, want %d", len(ends), 2*all)
	}
	for _, c := range ends[:len(ends)/4] {
		m.must(c.Close())
		<-c.Done()
	}
	m.must(m.Network.Close())
}

// connectMany makes connections between the two devices of the machine and returns both ends of each.
func connectMany(m *machine, all int) (open []*conn.Conn) {
	const workers = 50
	s := &shared{machine: m, cqs: map[*verbs.PD]*verbs.CQ{}}
	m.Cleanup(func() {
		err := m.Network.Close()
		if errors.Is(err, os.ErrClosed) {
			err = nil
		}
		for pd, cq := range s.cqs {
			err = errors.Join(err, cq.Close(), pd.Close())
		}
		if err != nil {
			m.Error(err)
		}
	})
	o := conn.Options{QP: s.qp, Attr: rdmacm.ConnAttr{RetryCount: 7, RNRRetryCount: 7}}
	l := m.listen(conn.ListenOptions{})
	ends := make(chan *conn.Conn, 2*all)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for range all / workers {
				c, err := l.Accept(m.ctx, o)
				if err != nil {
					m.Error(err)
					return
				}
				ends <- c
			}
		})
		running.Go(func() {
			for range all / workers {
				c, err := m.Dial(m.ctx, l.Addr(), o)
				if err != nil {
					m.Error(err)
					return
				}
				ends <- c
			}
		})
	}
	running.Wait()
	close(ends)
	for c := range ends {
		open = append(open, c)
	}
	return open
}

// BenchmarkConnections reports what a connection on software devices costs among 1,000 that are open, in processor time, compared with one
// among 100, and in memory of Go, for both ends. Run it with -benchtime 1x.
func BenchmarkConnections(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured once: run with -benchtime 1x")
	}
	const rounds, few, many = 3, 100, 1000
	var lowest [2][2]float64 // of one connection among few and among many: made, closed
	var bytes float64
	for round := range rounds {
		for i, n := range []int{few, many} { // as many connections of each
			var cost [2]float64
			for range many / n {
				made, closed, used := connectSome(b, n)
				cost[0] += made * float64(n) / many
				cost[1] += closed * float64(n) / many
				bytes = used
			}
			for j := range cost {
				if round == 0 || cost[j] < lowest[i][j] {
					lowest[i][j] = cost[j]
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(lowest[1][0]/lowest[0][0], "connect-x-few")
	b.ReportMetric(lowest[1][1]/lowest[0][1], "close-x-few")
	b.ReportMetric(bytes, "Go-bytes")
}

// connectSome makes connections and closes them; the costs are of one.
func connectSome(b *testing.B, n int) (made, closed, bytes float64) {
	m := softMachine(b)
	heap, begin := heapInUse(), processorTime(b)
	ends := connectMany(m, n)
	made = float64(processorTime(b)-begin) / float64(n)
	bytes = float64(heapInUse()-heap) / float64(n)
	begin = processorTime(b)
	for _, c := range ends {
		m.must(c.Close())
	}
	return made, float64(processorTime(b)-begin) / float64(n), bytes
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// processorTime is what this process has used, so that other programs on the machine count little.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

//go:build linux && cgo

package endpoint_test

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/mlx5dv/direct"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// TestDirect has Go own the queues of both endpoints: several goroutines send, and messages are received.
func TestDirect(t *testing.T) {
	if os.Getenv("VERBS_DEVICE") == "" {
		t.Skip("software devices have no queues that Go can take; set VERBS_DEVICE to a device of mlx5")
	}
	dev := verbstest.Device(t)
	dv, err := mlx5dv.Load(dev.Lib())
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	check(t, err)
	if ok, err := dv.IsSupported(dev); err != nil || !ok {
		t.Skip(err)
	}
	const each = 500
	came, all := 0, make(chan bool)
	config := endpoint.Config{Sends: 8, SendSize: size, Recvs: 32, RecvSize: size,
		CreateQP: func(e *endpoint.Endpoint, attr verbs.QPInitAttr) (*verbs.QP, error) {
			cq, err := direct.TakeCQ(dv, e.CQ)
			if err != nil {
				return nil, err
			}
			qp, err := e.PD.CreateQP(attr)
			if err != nil {
				return nil, errors.Join(err, cq.Close())
			}
			taken, err := direct.TakeQP(dv, qp, cq, cq, nil, direct.Shared)
			if err != nil {
				return nil, errors.Join(err, cq.Close(), qp.Close())
			}
			return qp, e.Own(cq, taken)
		},
		Handle: func(e *endpoint.Endpoint, wc verbs.WC) {
			if err := wc.Err(); err != nil {
				return
			}
			if err := e.Repost(int(wc.ID)); err != nil {
				t.Error(err)
			}
			if came++; came == 4*each {
				close(all)
			}
		}}
	a, _ := pair(t, dev, config, config)
	ctx := bounded(t)
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for range each {
				s, err := a.Slot(ctx)
				if err == nil {
					s.Send(copy(s.Bytes(), "direct"))
					_, err = s.Do(ctx)
					s.Free()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	senders.Wait()
	<-all
}

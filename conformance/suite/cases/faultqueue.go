//go:build linux

package cases

import (
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/runtime/dpath"
)

// faultQueue are completion queues that overflow.
func faultQueue() []suite.Case {
	return []suite.Case{
		fault(60, "a completion queue that overflows gives no more than it holds", "ibv_create_cq", overflow),
	}
}

// overflow has more requests complete than the queue has room for. The specification moves the queue pair to error, soft-RoCE
// loses what does not fit and goes on. What was polled is of requests that were posted, in order, and each of them once.
func overflow(t *suite.T) {
	cfg := patient()
	cfg.CQE, cfg.SendWR = 4, 128
	p := connect(t, cfg)
	n := 2 * p.near.CQ.Size()
	if n > int(cfg.SendWR) {
		t.Fatalf("asked for %d completions, the queue has room for %d", cfg.CQE, p.near.CQ.Size())
	}
	batch := must(dpath.NewSendBatch(n, 1))(t)
	defer batch.Close()
	for i := range n {
		p.local(batch.WR(i).Write(uint64(i), p.at(), p.far.MR.RKey())).Flags(dpath.Signaled)
	}
	if posted, err := p.near.QP.PostSend(batch, n); err != nil {
		t.Fatalf("request %d: %v", posted, err)
	}
	time.Sleep(300 * time.Millisecond) // all have completed by then, or are lost
	wcs := make([]dpath.WC, n)
	got, err := p.near.CQ.PollInto(wcs)
	if err == nil && (got == 0 || got > p.near.CQ.Size()) {
		t.Errorf("%d completions, of a queue with room for %d", got, p.near.CQ.Size())
	}
	p.allEnded("a write", wcs[:got], wcSuccess)
	p.recovered()
}

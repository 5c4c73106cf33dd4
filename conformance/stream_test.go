//go:build linux

package conformance

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// commands are what queue pairs of these tests are asked for: all but one.
const commands = verbs.QPOpSend | verbs.QPOpSendWithImm | verbs.QPOpRDMAWrite | verbs.QPOpRDMAWriteWithImm | verbs.QPOpRDMARead |
	verbs.QPOpAtomicCmpAndSwp | verbs.QPOpAtomicFetchAndAdd | verbs.QPOpLocalInv

// streams returns two connected sides, and streams of commands to both.
func streams(t *testing.T, dev *verbs.Device, typ verbs.QPType, ops verbs.QPOp) (a, b *link.End, to, from *verbs.QPStream) {
	t.Helper()
	at := must(link.First(dev))(t)
	c := link.Default()
	c.Type, c.Ops, c.Inline, c.SendSGE = typ, ops, 64, 2
	a, b, err := c.Pair(at, at)
	if err != nil {
		t.Fatal(err)
	}
	return a, b, must(a.QP.Stream())(t), must(b.QP.Stream())(t)
}

// TestStreamRefuses posts nothing when one of the requests cannot be posted, and names it.
func TestStreamRefuses(t *testing.T) {
	bed := open(t)
	a, b, stream, _ := streams(t, bed.dev, verbs.QPTypeRC, commands)
	batch := must(verbs.NewSendBatch(32, 2, verbs.InlineRoom(64)))(t)
	defer batch.Close()
	for i := range 32 {
		batch.WR(i).Write(uint64(i), uint64(b.MR.Addr()), b.MR.RKey()).SGE(uint64(a.MR.Addr()), 8, a.MR.LKey()).Flags(verbs.SendSignaled)
	}
	posted := func(what string, n int, errno syscall.Errno, names string) {
		t.Helper()
		got, err := stream.Post(batch, n)
		if got != 0 || !errors.Is(err, errno) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %d, %v, want %v that names %q", what, got, err, errno, names)
		}
		if n, err := a.CQ.PollInto(make([]verbs.WC, 1)); n != 0 || err != nil {
			t.Errorf("%s: %d completions, %v", what, n, err)
		}
	}
	batch.WR(1).SendInv(1, 5)
	posted("not asked for", 3, syscall.EINVAL, "request 1 is a SEND_WITH_INV: this QP was not asked for SEND_WITH_INV")
	mw := must(a.PD.AllocMW(verbs.MWType2))(t)
	if err := mw.Bind(batch.WR(1), 5, verbs.MWBindAttr{MR: a.MR, Addr: uint64(a.MR.Addr()), Length: 8}); err != nil {
		t.Fatal(err)
	}
	if err := mw.Close(); err != nil { // nobody looks at it: no bind is posted
		t.Fatal(err)
	}
	posted("a bind, not asked for", 3, syscall.EINVAL, "request 1 is a BIND_MW: this QP was not asked for BIND_MW")
	batch.WR(1).Write(1, 0, 0)
	posted("more than the batch has", 33, syscall.EINVAL, "33 requests")
	if err := bed.soft.Fail("ibv_wr_complete", 1, syscall.ENOMEM); err != nil {
		t.Fatal(err)
	}
	posted("told to fail", 1, syscall.ENOMEM, "ibv_wr_start")
	batch.WR(1).Write(1, uint64(b.MR.Addr()), b.MR.RKey()).SGE(uint64(a.MR.Addr()), 8, a.MR.LKey())
	if n, err := stream.PostRange(batch.From(1, 0)); n != 0 || err != nil {
		t.Errorf("an empty range: %d, %v", n, err)
	}
	if n, err := stream.Post(batch, 2); n != 2 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
	if wc := must(a.Wait())(t); wc.ID != 0 || wc.Err() != nil {
		t.Errorf("%+v", wc)
	}
}

// TestStreamExplains fills the queue of a stream, posts in a state that takes no request, and a request of too many elements behind a good
// one: the errors say what those of posts say. The first device answers as soft-RoCE, the second as mlx5.
func TestStreamExplains(t *testing.T) {
	for i, b := range []*bed{open(t), open(t, softverbs.LikeMLX5())} {
		a, _, stream, _ := streams(t, b.dev, verbs.QPTypeRC, commands)
		batch := must(verbs.NewSendBatch(1024, 9))(t)
		for i := range batch.Len() {
			batch.WR(i).Write(uint64(i), uint64(a.MR.Addr()), a.MR.RKey())
		}
		n, err := stream.Post(batch, 1024)
		if n != 0 || !errors.Is(err, verbs.ErrQueueFull) || !strings.Contains(err.Error(), "ibv_wr_start: the queue is full") {
			t.Errorf("device %d, a full queue: %d, %v", i, n, err)
		}
		for range 9 {
			batch.WR(1).SGE(uint64(a.MR.Addr()), 8, a.MR.LKey())
		}
		n, err = stream.Post(batch, 2)
		if n != 0 || errors.Is(err, verbs.ErrQueueFull) || err == nil || !strings.Contains(err.Error(), "request 1 (wr_id 1)") ||
			!strings.Contains(err.Error(), "max_send_sge") {
			t.Errorf("device %d, too many elements: %d, %v", i, n, err)
		}
		if err := a.QP.Modify(verbs.NewQPAttr(verbs.QPStateReset)); err != nil {
			t.Fatal(err)
		}
		n, err = stream.Post(batch, 1)
		if n != 0 || err == nil || errors.Is(err, verbs.ErrQueueFull) || !strings.Contains(err.Error(), "ibv_wr_start: request 0 (wr_id 0)") ||
			!strings.Contains(err.Error(), "state RESET: this queue pair takes requests only in RTS") {
			t.Errorf("device %d, in RESET: %d, %v", i, n, err)
		}
		if err := batch.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStreamOfNobody makes no stream where there are no functions, and none after Close.
func TestStreamOfNobody(t *testing.T) {
	dev := open(t).dev
	plain := must(link.NewEnd(dev))(t)
	if _, err := plain.QP.Stream(); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("of a plain queue pair: %v", err)
	}
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeRC, plain.CQ, plain.CQ, plain.PD).MaxSendWR(1).MaxSendSGE(1)
	qp := must(dev.CreateQPEx(attr))(t)
	if qp.PD() != plain.PD {
		t.Error("another domain")
	}
	if _, err := qp.Stream(); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("of a queue pair that was asked for nothing: %v", err)
	}
	if _, err := dev.CreateQPEx(attr.SendOps(verbs.QPOpTSO)); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("asked for what the device cannot: %v", err)
	}
	if err := plain.PD.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the domain: %v", err)
	}
	a, _, stream, _ := streams(t, dev, verbs.QPTypeRC, commands)
	batch := must(verbs.NewSendBatch(1, 1))(t)
	if n := testing.AllocsPerRun(50, func() { stream.Post(batch, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := a.QP.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := stream.Post(batch, 1); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %d, %v", n, err)
	}
	if n := testing.AllocsPerRun(50, func() { stream.Post(batch, 1) }); n != 0 {
		t.Errorf("closed: %v allocations", n)
	}
	for _, s := range []*verbs.QPStream{nil, new(verbs.QPStream)} {
		if n, err := s.Post(batch, 1); n != 0 || err == nil || !strings.Contains(err.Error(), "QPStream is nil") {
			t.Errorf("no stream: %d, %v", n, err)
		}
	}
	if _, err := stream.Post(nil, 1); err == nil {
		t.Error("no batch: posted")
	}
	batch.Close()
	if _, err := stream.Post(batch, 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed batch: %v", err)
	}
}

// TestStreamedQueuePairExplains refuses a plain post to a queue pair of CreateQPEx with the capabilities that it was made with.
func TestStreamedQueuePairExplains(t *testing.T) {
	dev := open(t).dev
	a, _, _, _ := streams(t, dev, verbs.QPTypeRC, commands)
	batch := must(verbs.NewSendBatch(1, 9))(t)
	defer batch.Close()
	for w := batch.WR(0).Send(1); len(w.SGEs()) < 9; {
		w.SGE(1, 2, 3)
	}
	if _, err := a.QP.PostSend(batch, 1); err == nil ||
		!strings.Contains(err.Error(), "wr[0].num_sge 9: num_sge is at most max_send_sge, ") {
		t.Errorf("to a queue pair: %v", err)
	}
}

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

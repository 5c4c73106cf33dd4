//go:build linux

package conformance

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
)

// TestNilByName uses nil handles on the data path: each error names its own kind, whichever comes first.
func TestNilByName(t *testing.T) {
	send := must(verbs.NewSendBatch(1, 1))(t)
	defer send.Close()
	address := (*verbs.AH)(nil).Address(send.WR(0), 1, 1)
	_, post := (*verbs.QP)(nil).PostSend(send, 1)
	for kind, err := range map[string]error{"AH": address, "QP": post} {
		if !errors.Is(err, syscall.EINVAL) || err.Error() != "ibv_post_send: "+kind+" is nil; pass one that is open" {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestPostSRQRecv posts receives to a shared queue, also as a range, until it is full. The error says which was refused.
func TestPostSRQRecv(t *testing.T) {
	dev := open(t).dev
	e := must(link.NewEnd(dev))(t)
	srq := must(e.PD.CreateSRQ(verbs.SRQInitAttr{MaxWR: 3, MaxSGE: 1}))(t)
	room := int(must(srq.Query())(t).MaxWR)
	batch := must(verbs.NewRecvBatch(room+2, 2))(t)
	for i := range batch.Len() {
		batch.WR(i).Recv(uint64(i)).SGE(uint64(e.MR.Addr()), 64, e.MR.LKey())
	}
	if n, err := srq.PostRecvRange(batch.From(1, 2)); n != 2 || err != nil {
		t.Fatalf("a range: %d, %v", n, err)
	}
	n, err := srq.PostRecv(batch, batch.Len())
	if n != room-2 || !errors.Is(err, verbs.ErrQueueFull) || !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("a full queue: %d, %v, want %d", n, err, room-2)
	}
	if n, err := srq.PostRecvRange(batch.From(0, batch.Len()).Rest(n).Rest(1)); n != 0 || !errors.Is(err, verbs.ErrQueueFull) {
		t.Errorf("the rest: %d, %v", n, err)
	}
	allocs.None(t, "a post that is refused", func() { srq.PostRecv(batch, 1) })
	var none *verbs.SRQ
	if _, err := none.PostRecv(batch, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("no queue: %v", err)
	}
	if err := srq.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := srq.PostRecv(batch, 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed queue: %v", err)
	}
	if _, err := srq.PostRecv(nil, 1); err == nil {
		t.Error("no batch: posted")
	}
}

// TestDraining stops a queue pair while a request is under way, which waits for a receive: until it has ended the queue
// pair can only be given up.
func TestDraining(t *testing.T) {
	c := link.Default()
	c.RNRRetry = 7
	dev := open(t).dev
	a, _ := c.Connected(t, dev, dev)
	a.Post(t, func(w verbs.SendWR) { w.Send(1) })
	qp := a.QP
	var err error
	for range 1000 { // a request that has not begun does not stop it
		if err := qp.Modify(verbs.NewQPAttr(verbs.QPStateSQD)); err != nil {
			t.Fatal(err)
		}
		if err = qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS)); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !errors.Is(err, syscall.EINVAL) {
		t.Errorf("RTS while a request is under way: %v", err)
	}
	if err := qp.Modify(verbs.NewQPAttr(verbs.QPStateErr)); err != nil {
		t.Errorf("ERR while a request is under way: %v", err)
	}
}

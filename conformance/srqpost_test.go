//go:build linux

package conformance

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

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
	if n := testing.AllocsPerRun(50, func() { srq.PostRecv(batch, 1) }); n != 0 {
		t.Errorf("%v allocations in a post that is refused", n)
	}
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

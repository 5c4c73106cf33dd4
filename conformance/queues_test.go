//go:build linux

package conformance

import (
	"errors"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// pair returns two connected sides on one device.
func pair(t *testing.T, dev *verbs.Device) (a, b *link.End) {
	t.Helper()
	a, b, err := link.Pair(dev, dev)
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// TestPostRange posts parts of batches: what a full queue did not take, and a receive of the middle.
func TestPostRange(t *testing.T) {
	a, b := pair(t, open(t).dev)
	send, recv := must(verbs.NewSendBatch(24, 1))(t), must(verbs.NewRecvBatch(24, 1))(t)
	for i := range 24 {
		send.WR(i).Send(uint64(i)).Add(a.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
		recv.WR(i).Recv(uint64(i)).Add(b.MR.UncheckedSGE(0, 8))
	}
	rest := recv.From(2, 22)
	for i := 0; i < 22 && rest.Len() > 0; {
		n, err := b.QP.PostRecvRange(rest)
		if rest = rest.Rest(n); err != nil && !errors.Is(err, syscall.ENOMEM) || n == 0 && err == nil {
			t.Fatalf("PostRecvRange: %d, %v", n, err)
		}
		for ; n > 0; n, i = n-1, i+1 {
			must(a.QP.PostSendRange(send.From(i, 1)))(t)
			if wc := must(b.Wait())(t); wc.ID != uint64(2+i) {
				t.Errorf("receive %d is of request %d, want %d", i, wc.ID, 2+i)
			}
			must(a.Wait())(t)
		}
	}
	if rest.Len() != 0 {
		t.Errorf("%d receives are left", rest.Len())
	}
}

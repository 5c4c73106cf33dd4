//go:build linux

package conformance

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// TestPostAndPoll writes as a program does that keeps a queue full: posts what there is room for, and takes completions.
func TestPostAndPoll(t *testing.T) {
	const each, rounds = 32, 25 // twice what the send queue takes: the first post fills it
	const room = 64             // of the completion queue, which must not overflow
	dev := open(t).dev
	a, b := pair(t, dev)
	send := must(verbs.NewSendBatch(each, 1))(t)
	copy(a.Buf, "written with one call")
	for i := range each {
		send.WR(i).Write(uint64(i), b.MR.IOVA(), b.MR.RKey()).Add(a.MR.UncheckedSGE(0, 21)).Flags(verbs.SendSignaled)
	}
	var wcs [8]dpath.WC
	posted, completed, full := 0, 0, 0
	for completed < rounds*each {
		r := send.From(posted%each, min(each-posted%each, rounds*each-posted, room-(posted-completed)))
		p, n, err := a.QP.PostAndPoll(r, a.CQ, wcs[:], 100)
		if errors.Is(err, verbs.ErrQueueFull) {
			full++
		} else if err != nil || p != r.Len() {
			t.Fatalf("%d of %d requests, %d completions, %v", p, r.Len(), n, err)
		}
		for _, wc := range wcs[:n] {
			if wc.Status != 0 || wc.ID != uint64(completed%each) {
				t.Fatalf("completion %d: %+v", completed, wc)
			}
			completed++
		}
		posted += p
	}
	if posted != rounds*each || !bytes.Equal(b.Buf[:21], a.Buf[:21]) {
		t.Errorf("%d requests posted, %q", posted, b.Buf[:21])
	}
	if full == 0 {
		t.Error("the queue was never full")
	}
}

// TestPostAndPollErrors asks whose error is returned, and what was done.
func TestPostAndPollErrors(t *testing.T) {
	b := open(t)
	a, peer := pair(t, b.dev)
	send := must(verbs.NewSendBatch(2, 2))(t)
	send.WR(0).Write(1, peer.MR.IOVA(), peer.MR.RKey()).Add(a.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	send.WR(1).Send(2).Add(a.MR.UncheckedSGE(0, 8)).Add(a.MR.UncheckedSGE(0, 8)) // more elements than the queue takes
	var wcs [4]dpath.WC
	spin := func(r dpath.SendRange, cq *verbs.CQ) (posted, n int, err error) {
		return a.QP.PostAndPoll(r, cq, wcs[:], 1<<20)
	}

	posted, n, err := spin(send.From(0, 2), a.CQ)
	if posted != 1 || n != 1 || wcs[0].ID != 1 || !errors.Is(err, syscall.EINVAL) || !strings.HasPrefix(err.Error(), "ibv_post_send: ") {
		t.Errorf("a bad request: %d, %d, %v", posted, n, err)
	}
	if posted, n, err = a.QP.PostAndPoll(send.From(0, 3), a.CQ, wcs[:], 1); posted != 0 || n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("beyond the batch: %d, %d, %v", posted, n, err)
	}
	if posted, n, err = a.QP.PostAndPoll(send.From(0, 1), nil, wcs[:], 1); posted != 0 || n != 0 ||
		!strings.HasPrefix(err.Error(), "ibv_poll_cq: ") {
		t.Errorf("no CQ: %d, %d, %v", posted, n, err)
	}
	var none *verbs.QP
	if posted, n, err = none.PostAndPoll(send.From(0, 1), a.CQ, wcs[:], 1); posted != 0 || n != 0 ||
		!strings.HasPrefix(err.Error(), "ibv_post_send: ") {
		t.Errorf("no QP: %d, %d, %v", posted, n, err)
	}
	closed := must(b.dev.CreateCQ(4, nil, 0))(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if posted, n, err = spin(send.From(0, 1), closed); posted != 0 || n != 0 || !errors.Is(err, os.ErrClosed) ||
		!strings.HasPrefix(err.Error(), "ibv_poll_cq: ") {
		t.Errorf("a closed CQ: %d, %d, %v", posted, n, err)
	}
	if err := a.QP.Close(); err != nil {
		t.Fatal(err)
	}
	if posted, n, err = spin(send.From(0, 1), a.CQ); posted != 0 || n != 0 || !errors.Is(err, os.ErrClosed) ||
		!strings.HasPrefix(err.Error(), "ibv_post_send: ") {
		t.Errorf("a closed QP: %d, %d, %v", posted, n, err)
	}
}

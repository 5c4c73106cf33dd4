//go:build linux

package conformance

import (
	"bytes"
	"errors"
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

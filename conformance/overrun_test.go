//go:build linux && cgo

package conformance

import (
	"errors"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
)

// TestOverrun polls a queue that has overflowed, from the event of it on: what the queue has comes first, and then an error, each time.
func TestOverrun(t *testing.T) {
	dev := open(t).dev
	cq, other := must(dev.CreateCQ(1, nil, 0))(t), must(dev.CreateCQ(1, nil, 0))(t)
	overflow(t, cq).Done()
	var wcs [4]verbs.WC
	if n, err := cq.PollInto(wcs[:]); n != cq.Size() || err != nil {
		t.Errorf("what it has: %d, %v", n, err)
	}
	for range 2 {
		n, err := cq.PollSpin(wcs[:], 10)
		if n != 0 || !errors.Is(err, verbs.ErrOverrun) || !errors.Is(err, syscall.EIO) {
			t.Errorf("polls after the overrun: %d, %v", n, err)
		}
	}
	const want = "ibv_poll_cq: the CQ failed (event CQ_ERR), and completions are lost, most likely since it was full; " +
		"make a larger one, and new queue pairs for it: input/output error (EIO)"
	if _, err := cq.PollInto(wcs[:]); err == nil || err.Error() != want {
		t.Errorf("error:\n got %v\nwant %s", err, want)
	}
	allocs.None(t, "a poll after an overrun", func() { _, _ = cq.PollInto(wcs[:]) })
	if n, err := other.PollInto(wcs[:]); n != 0 || err != nil {
		t.Errorf("another queue: %d, %v", n, err)
	}
}

// TestReaderOverrun does the same with a reader.
func TestReaderOverrun(t *testing.T) {
	cq := must(open(t).dev.CreateCQEx(verbs.NewCQInitAttrEx(1, standard)))(t)
	overflow(t, cq).Done()
	r := must(cq.Reader(standard))(t)
	var entries [4]verbs.WCEx
	if n, err := r.PollInto(entries[:]); n != cq.Size() || err != nil {
		t.Errorf("what it has: %d, %v", n, err)
	}
	if n, err := r.PollSpin(entries[:], 10); n != 0 || !errors.Is(err, verbs.ErrOverrun) {
		t.Errorf("a poll after the overrun: %d, %v", n, err)
	}
}

// TestFewTries polls an empty queue by a reader with a number of tries below 1: it is polled once.
func TestFewTries(t *testing.T) {
	a, _ := extended(t, open(t).dev, standard)
	r := must(a.CQ.Reader(standard))(t)
	var entries [4]verbs.WCEx
	for _, tries := range []int{1, 0, -1, math.MinInt32 - 1, math.MinInt + 1, math.MinInt} {
		late := time.AfterFunc(time.Minute, func() {
			t.Errorf("PollSpin with %d tries does not end", tries)
			_ = a.Close() // ends the poll
		})
		if n, err := r.PollSpin(entries[:], tries); n != 0 || err != nil {
			t.Fatalf("PollSpin with %d tries = %d, %v", tries, n, err)
		}
		late.Stop()
	}
}

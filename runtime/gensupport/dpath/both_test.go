//go:build linux && cgo

package dpath_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// TestPostAndPoll posts a range and takes completions, of which there may be fewer, or none.
func TestPostAndPoll(t *testing.T) {
	p := provider(t)
	b := sendBatch(t, 8, 1)
	for i := range 8 {
		b.WR(i).Send(uint64(i)).SGE(1, 2, 3)
	}
	for _, c := range []struct{ first, n, room, there, want int }{
		{0, 8, 4, 3, 3}, {2, 3, 4, 4, 4}, {2, 3, 4, 6, 4}, {7, 1, 1, 0, 0}, {0, 0, 4, 2, 2}, {4, 4, 0, 2, 0}, {8, 0, 0, 1, 0},
	} {
		p.Posts(dptest.Record)
		p.Complete(70, c.there, 0, false)
		wcs := make([]dpath.WC, c.room)
		got := dpath.PostAndPoll(p.QP(), b.From(c.first, c.n), p.CQ(), wcs, 3)
		if got != (dpath.Posted{Requests: c.n, Completions: c.want}) {
			t.Errorf("%+v: %+v", c, got)
		}
		for i, wc := range wcs[:c.want] {
			if wc.ID != uint64(70+i) {
				t.Errorf("%+v: completion %d has ID %d", c, i, wc.ID)
			}
		}
		seen := p.Seen()
		if len(seen) != c.n || c.n > 0 && (seen[0].ID != uint64(c.first) || seen[c.n-1].ID != uint64(c.first+c.n-1)) {
			t.Errorf("%+v: posted %+v", c, seen)
		}
	}
}

// TestPostAndPollOnce asks that the two make one post, and as many polls as tries.
func TestPostAndPollOnce(t *testing.T) {
	p := provider(t)
	b := sendBatch(t, 2, 1)
	var wcs [2]dpath.WC
	for _, c := range []struct{ tries, empty, polls int }{{-1, 3, 1}, {0, 3, 1}, {1, 3, 1}, {5, 8, 5}, {200, 300, 200}, {200, 3, 4}} {
		p.Posts(dptest.Record)
		p.Complete(1, 1, c.empty, false)
		got := dpath.PostAndPoll(p.QP(), b.From(0, 2), p.CQ(), wcs[:], c.tries)
		want := dpath.Posted{Requests: 2}
		if c.polls > c.empty {
			want.Completions = 1
		}
		if posts, polls := p.Calls(); got != want || posts != 1 || polls != c.polls {
			t.Errorf("%+v: %+v, %d posts, %d polls", c, got, posts, polls)
		}
	}
}

// TestPostAndPollRefused has a provider refuse each request in turn: the poll is made all the same.
func TestPostAndPollRefused(t *testing.T) {
	p := provider(t)
	b := sendBatch(t, 8, 1)
	var wcs [4]dpath.WC
	for k := range 6 {
		p.Posts(dptest.Record)
		p.Complete(1, 2, 0, false)
		p.Refuse(k, int(syscall.ENOMEM), 0)
		got := dpath.PostAndPoll(p.QP(), b.From(2, 6), p.CQ(), wcs[:], 1)
		if got != (dpath.Posted{Requests: k, PostErrno: syscall.ENOMEM, Completions: 2}) || len(p.Seen()) != k {
			t.Errorf("request %d refused: %+v, %d were taken", k, got, len(p.Seen()))
		}
	}
	p.Posts(dptest.Record)
	p.Break(-1, 0)
	if got := dpath.PostAndPoll(p.QP(), b.From(0, 8), p.CQ(), wcs[:], 1); got != (dpath.Posted{Requests: 8, PollErrno: syscall.EIO}) {
		t.Errorf("a queue that cannot be polled: %+v", got)
	}
}

// TestPostAndPollUnmade asks that nothing is done with a closed queue, and that a bad range is not posted but polled for.
func TestPostAndPollUnmade(t *testing.T) {
	p := provider(t)
	b, closed := sendBatch(t, 2, 1), sendBatch(t, 2, 1)
	check(t, closed.Close())
	var none *dpath.SendBatch
	var gone gate.Gate
	moved := *p.CQ()
	var wcs [4]dpath.WC
	for name, c := range map[string]struct {
		qp, cq *gate.Gate
		r      dpath.SendRange
		want   dpath.Posted
	}{
		"closed QP":    {&gone, p.CQ(), b.From(0, 2), dpath.Posted{PostErrno: fail.ErrnoNeverOpened}},
		"closed CQ":    {p.QP(), &gone, b.From(0, 2), dpath.Posted{PollErrno: fail.ErrnoNeverOpened}},
		"copied CQ":    {p.QP(), &moved, b.From(0, 2), dpath.Posted{PollErrno: fail.ErrnoCopied}},
		"nil QP":       {nil, p.CQ(), b.From(0, 2), dpath.Posted{PostErrno: fail.ErrnoNeverOpened}},
		"closed batch": {p.QP(), p.CQ(), closed.From(0, 2), dpath.Posted{PostErrno: fail.ErrnoBatchClosed, Completions: 3}},
		"nil batch":    {p.QP(), p.CQ(), none.From(0, 2), dpath.Posted{PostErrno: syscall.EINVAL, Completions: 3}},
		"beyond":       {p.QP(), p.CQ(), b.From(1, 2), dpath.Posted{PostErrno: syscall.EINVAL, Completions: 3}},
	} {
		p.Posts(dptest.Record)
		p.Complete(1, 3, 0, false)
		if got := dpath.PostAndPoll(c.qp, c.r, c.cq, wcs[:], 1); got != c.want || len(p.Seen()) != 0 {
			t.Errorf("%s: %+v, %d posted, want %+v", name, got, len(p.Seen()), c.want)
		}
	}
}

//go:build linux && cgo

package dpath_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

func TestPollSpin(t *testing.T) {
	p := provider(t)
	wcs := make([]dpath.WC, 4)
	tests := []struct{ tries, empty, found, polls int }{
		{1, 0, 2, 1}, {1, 1, 0, 1}, {8, 7, 2, 8}, {8, 8, 0, 8}, {0, 1, 0, 1}, {-5, 0, 2, 1}, {1000, 3, 2, 4}}
	for _, tt := range tests {
		p.Complete(1, 2, tt.empty, false)
		n, errno := dpath.PollSpin(p.CQ(), wcs, tt.tries)
		if _, polls := p.Calls(); n != tt.found || errno != 0 || polls != tt.polls {
			t.Errorf("%d tries, %d empty: %d completions, errno %v, %d polls", tt.tries, tt.empty, n, errno, polls)
		}
	}
}

func TestPollErrors(t *testing.T) {
	p := provider(t)
	wcs := make([]dpath.WC, 2, 8)
	p.Complete(1, 4, 0, true)
	for _, tt := range []struct{ code, beyond int }{{-1, 0}, {-2, 0}, {-22, 0}, {0, 1}, {0, 1 << 20}} {
		p.Break(tt.code, tt.beyond)
		if n, errno := dpath.PollSpin(p.CQ(), wcs, 3); n != 0 || errno != syscall.EIO {
			t.Errorf("%+v: %d completions, errno %v", tt, n, errno)
		}
	}
	p.Complete(1, 4, 0, true)
	if n, errno := dpath.PollCQ(new(gate.Gate), wcs); n != 0 || errno != fail.ErrnoNeverOpened {
		t.Errorf("no queue: %d completions, errno %v", n, errno)
	}
	if n, errno := dpath.PollCQ(p.CQ(), nil); n != 0 || errno != 0 {
		t.Errorf("no room: %d completions, errno %v", n, errno)
	}
	if _, polls := p.Calls(); polls != 0 {
		t.Errorf("%d polls were made", polls)
	}
}

func TestReqNotify(t *testing.T) {
	p := provider(t)
	for i, solicited := range []bool{false, true} {
		if errno := dpath.ReqNotify(p.CQ(), solicited); errno != 0 {
			t.Error(errno)
		}
		if times, arg := p.Notified(); times != i+1 || arg != i {
			t.Errorf("asked %d times, solicited %d", times, arg)
		}
	}
	p.Refuse(-1, -1, syscall.ENODEV)
	if errno := dpath.ReqNotify(p.CQ(), false); errno != syscall.ENODEV {
		t.Errorf("refused: %v", errno)
	}
	if errno := dpath.ReqNotify(new(gate.Gate), false); errno != fail.ErrnoNeverOpened {
		t.Errorf("no queue: %v", errno)
	}
}

//go:build linux && cgo

package softverbs_test

import (
	"runtime"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// A send queue is full of unsignaled requests, all of them done, until a completion of a later one is polled.
func TestMLX5SendQueueFills(t *testing.T) {
	b := two(t, softverbs.LikeMLX5())
	x, y := b.pair(plan{caps: harness.Caps5{SendWR: 16, RecvWR: 4, SendSGE: 1, RecvSGE: 1}}, 1)
	for range 15 {
		x.send(write(x, y))
	}
	copy(x.mem, "done")
	last := write(x, y)
	last.Flags = signaled
	x.send(last)
	for string(y.mem[:4]) != "done" {
		runtime.Gosched()
	}
	_, err := b.lib.PostSend(x.qp, write(x, y))
	b.want(syscall.ENOMEM, err)
	b.wait(x.scq, 1)
	for range 16 {
		x.send(write(x, y))
	}
	_, err = b.lib.PostSend(x.qp, last)
	b.want(syscall.ENOMEM, err)
	b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sReset}, aState))
	x.to(plan{typ: rc}, y, sRTS)
	x.send(last)
}

// The same program never fills the queue of the default device.
func TestUnsignaledRequestsLeaveTheDefaultQueue(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{caps: harness.Caps5{SendWR: 15, RecvWR: 4, SendSGE: 1, RecvSGE: 1}}, 1)
	last := write(x, y)
	last.Flags = signaled
	for range 4 {
		for range 14 {
			x.send(write(x, y))
		}
		x.send(last)
		b.wait(x.scq, 1)
	}
}

func TestMLX5ReceivesGoWithTheirCompletions(t *testing.T) {
	b := two(t, softverbs.LikeMLX5())
	x, y := b.pair(plan{caps: harness.Caps5{SendWR: 16, RecvWR: 4, SendSGE: 1, RecvSGE: 1}}, 1)
	for range 4 {
		y.recv(harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 8)}})
	}
	one := send(x, y)
	one.Flags = signaled
	x.send(one)
	b.wait(x.scq, 1) // a receive was used
	_, err := b.lib.PostRecv(y.qp, harness.RecvWR{})
	b.want(syscall.ENOMEM, err)
	b.wait(y.rcq, 1)
	y.recv(harness.RecvWR{})
}

func TestMLX5DeadPeerIsNoticed(t *testing.T) {
	b := two(t, softverbs.LikeMLX5())
	x, y := b.pair(plan{stopAt: sInit, attr: func(a *harness.QPAttr) { a.RetryCnt, a.Timeout = 7, 8 }}, 1)
	x.send(write(x, y))
	if wc := b.wait(x.scq, 1)[0]; wc.Status != wcRetryExc {
		t.Errorf("%+v", wc)
	}
}

func TestMLX5Capacities(t *testing.T) {
	b := open(t, softverbs.LikeMLX5())
	e := b.end(0, plan{typ: rc})
	for _, c := range []struct {
		typ       int
		ask, want harness.Caps5
		err       syscall.Errno
	}{
		{typ: rc, ask: harness.Caps5{SendWR: 10, RecvWR: 5, SendSGE: 1, RecvSGE: 3},
			want: harness.Caps5{SendWR: 16, RecvWR: 8, SendSGE: 1, RecvSGE: 4, Inline: 60}},
		{typ: rc, ask: harness.Caps5{SendWR: 31, RecvWR: 1, SendSGE: 1, RecvSGE: 1, Inline: 64},
			want: harness.Caps5{SendWR: 51, RecvWR: 4, SendSGE: 1, RecvSGE: 1, Inline: 124}},
		{typ: rc, ask: harness.Caps5{SendWR: 1, SendSGE: 1, Inline: 828}, want: harness.Caps5{SendWR: 1, SendSGE: 1, Inline: 828}},
		{typ: rc, ask: harness.Caps5{SendWR: 1, SendSGE: 1, Inline: 829}, err: syscall.EINVAL},
		{typ: ud, ask: harness.Caps5{SendWR: 1, SendSGE: 1, Inline: 956}, want: harness.Caps5{SendWR: 1, SendSGE: 1, Inline: 956}},
		{typ: ud, ask: harness.Caps5{SendWR: 1, SendSGE: 1, Inline: 957}, err: syscall.EINVAL},
		{typ: rc, ask: harness.Caps5{SendWR: 8193, SendSGE: 1}, err: syscall.EINVAL},
		{typ: rc, ask: harness.Caps5{RecvWR: 1}, want: harness.Caps5{RecvWR: 4, RecvSGE: 1}},
	} {
		qp, got, err := b.lib.CreateQP(e.pd, harness.QPInit{SendCQ: e.scq, RecvCQ: e.rcq, Cap: c.ask, Type: c.typ})
		b.want(c.err, err)
		if err != nil {
			continue
		}
		if got != c.want {
			t.Errorf("asked for %+v: %+v, want %+v", c.ask, got, c.want)
		}
		b.ok(b.lib.End("ibv_destroy_qp", qp))
	}
}

func TestMLX5RefusesPosts(t *testing.T) {
	b := open(t, softverbs.LikeMLX5())
	p := plan{typ: rc, caps: harness.Caps5{SendWR: 4, RecvWR: 4, SendSGE: 2, RecvSGE: 1}}
	x, y := b.end(0, p), b.end(0, p)
	post := func(w harness.SendWR) error { _, err := b.lib.PostSend(x.qp, w); return err }
	for i, m := range masks(rc) {
		b.want(syscall.ENOMEM, post(write(x, y)))
		b.want(syscall.ENOMEM, post(harness.SendWR{Opcode: opSend}))
		a := x.attr(p, y)
		a.State = i + 1
		b.ok(b.lib.Modify(x.qp, a, m))
	}
	y.to(p, x, sRTS)
	b.want(syscall.ENOMEM, post(with(write, func(w *harness.SendWR) { w.SGEs = make([]harness.SGE, 3) })(x, y)))
	b.want(syscall.ENOMEM, post(with(write, func(w *harness.SendWR) {
		w.SGEs[0].Len, w.Flags = 4000, inline
	})(x, y)))
	b.want(syscall.EINVAL, post(with(write, func(w *harness.SendWR) { w.Opcode = 77 })(x, y)))
	b.ok(post(with(faa, func(w *harness.SendWR) { w.Addr++ })(x, y)))
	if wc := b.wait(x.scq, 1)[0]; wc.Status != wcRemInvReq {
		t.Errorf("a misaligned atomic: %+v", wc)
	}
}

func TestMLX5RefusesChanges(t *testing.T) {
	b := open(t, softverbs.LikeMLX5())
	x, y := b.pair(plan{}, 1)
	b.want(syscall.EINVAL, b.lib.Modify(x.qp, harness.QPAttr{State: sSQD}, aState))
	b.state(sRTS, x)
	e := b.end(0, plan{typ: rc})
	a := e.attr(plan{typ: rc}, y)
	a.State, a.PKeyIndex = sInit, 1
	b.want(syscall.EINVAL, b.lib.Modify(e.qp, a, maskInit))
	a.PKeyIndex = 0
	b.ok(b.lib.Modify(e.qp, a, maskInit))
	a.State, a.PathMTU = sRTR, 0
	b.want(syscall.EINVAL, b.lib.Modify(e.qp, a, maskRTR))
	a.PathMTU, a.MaxDestRdAtomic = 3, 17
	b.want(syscall.EINVAL, b.lib.Modify(e.qp, a, maskRTR))
	a.MaxDestRdAtomic = 16
	b.ok(b.lib.Modify(e.qp, a, maskRTR))
	a.State, a.MaxRdAtomic = sRTS, 17
	b.want(syscall.EINVAL, b.lib.Modify(e.qp, a, maskRTS))
	a.MaxRdAtomic = 16
	b.ok(b.lib.Modify(e.qp, a, maskRTS))
	b.ok(b.lib.Modify(e.qp, harness.QPAttr{State: sErr}, aState))
}

// What is in the completion queues of a queue pair goes with RESET and with its end; on the default device it stays.
func TestMLX5CleansCompletionQueues(t *testing.T) {
	for want, opt := range map[int]softverbs.Option{0: softverbs.LikeMLX5(), 1: softverbs.Ports(1)} {
		b := two(t, opt)
		x, y := b.pair(plan{}, 1)
		first, second := write(x, y), write(x, y)
		first.Flags, second.Flags, second.RKey = signaled, signaled, 0
		x.send(first, second)
		for state := sRTS; state != sErr; { // until both are done
			a, _, _, err := b.lib.Query(x.qp)
			b.ok(err)
			state = a.State
		}
		b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sReset}, aState))
		if wcs, err := b.lib.Poll(x.scq, 8); err != nil || min(len(wcs), 1) != want {
			t.Errorf("want %d: %+v, %v", want, wcs, err)
		}
	}
}

func TestMLX5DeviceMemory(t *testing.T) {
	b := open(t, softverbs.LikeMLX5(), softverbs.MaxDMSize(128))
	one := b.allocDM(65)
	_, err := b.lib.AllocDM(b.ctx, 1, 0, 0)
	b.want(syscall.ENOMEM, err)
	b.want(syscall.EINVAL, b.lib.ToDM(one, 0, make([]byte, 8), 5))
	b.ok(b.lib.FreeDM(b.ctx, one))
	one = b.allocDM(64)
	two := b.allocDM(64)
	b.ok(b.lib.FreeDM(b.ctx, one))
	b.ok(b.lib.FreeDM(b.ctx, two))
	_, err = b.lib.AllocDM(b.ctx, 1, 13, 0)
	b.want(syscall.EINVAL, err)
}

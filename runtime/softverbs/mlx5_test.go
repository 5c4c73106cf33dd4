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

//go:build linux && cgo

package softverbs_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func signaledWrite(id uint64, x, y *end) harness.SendWR {
	w := write(x, y)
	w.ID, w.Flags = id, signaled
	return w
}

func TestFailRequest(t *testing.T) {
	for _, now := range []bool{false, true} {
		opts := []softverbs.Option{softverbs.FailRequest(2, softverbs.Status(wcRemAccess))}
		if now {
			opts = nil
		}
		b := two(t, opts...)
		x, y := b.pair(plan{}, 1)
		if now {
			b.ok(b.dev.FailRequest(2, softverbs.Status(wcRemAccess)))
		}
		copy(x.mem, "12345678")
		x.send(signaledWrite(1, x, y), write(x, y), signaledWrite(3, x, y))
		for i, want := range []int{wcSuccess, wcRemAccess, wcFlush} {
			if wc := b.wait(x.scq, 1)[0]; wc.Status != want {
				t.Errorf("completion %d: %+v", i+1, wc)
			}
		}
		b.state(sErr, x)
	}
	for _, s := range []softverbs.Status{0, -1, 24} {
		if err := softverbs.New(softverbs.FailRequest(1, s)).Err(); err == nil || !strings.Contains(err.Error(), "not a status of an error") {
			t.Errorf("status %d: %v", int(s), err)
		}
	}
}

// held queue pairs are overtaken by others, and keep their own order.
func TestHoldCompletions(t *testing.T) {
	b := two(t)
	p := plan{typ: rc}
	x, y := b.pair(p, 1)
	init := harness.QPInit{SendCQ: x.scq, RecvCQ: x.rcq, Cap: harness.Caps5{SendWR: 7, RecvWR: 7, SendSGE: 1, RecvSGE: 1}, Type: rc}
	b.ok(b.dev.HoldCompletions("soft0", harness.QPNum(x.qp), true))
	x.send(signaledWrite(1, x, y), signaledWrite(2, x, y))
	y.send(signaledWrite(3, y, x))
	b.wait(y.scq, 1)
	b.none(x.scq)
	b.ok(b.dev.HoldCompletions("soft0", harness.QPNum(x.qp), false))
	if wcs := b.wait(x.scq, 2); wcs[0].ID != 1 || wcs[1].ID != 2 {
		t.Errorf("%+v", wcs)
	}
	if err := b.dev.HoldCompletions("soft0", 0xffffff, true); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("no such queue pair: %v", err)
	}
	if err := b.dev.HoldCompletions("soft7", 1, true); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("no such device: %v", err)
	}
	// what is held back when its queue is destroyed is gone
	qp, _, err := b.lib.CreateQP(x.pd, init)
	b.must(qp, err)
	b.ok(b.dev.HoldCompletions("soft0", harness.QPNum(x.qp), true))
	x.send(signaledWrite(4, x, y))
	y.send(signaledWrite(5, y, x))
	b.wait(y.scq, 1)
	b.ok(b.lib.End("ibv_destroy_qp", qp))
}

// Two queue pairs with one completion queue overtake each other, and no queue pair itself.
func TestDelayCompletions(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{}, 1)
	v, w := b.pair(plan{}, 1)
	b.ok(b.dev.DelayCompletions(0, 5*time.Millisecond))
	for i := range uint64(30) {
		x.send(signaledWrite(2*i, x, y))
		v.send(signaledWrite(2*i+1, v, w))
	}
	for _, e := range []*end{x, v} {
		ids := []uint64{}
		for _, wc := range b.wait(e.scq, 30) {
			ids = append(ids, wc.ID)
		}
		if !slices.IsSorted(ids) {
			t.Errorf("one queue pair: %v", ids)
		}
	}
	b.ok(b.dev.DelayCompletions(time.Hour, time.Hour))
	copy(x.mem, "late")
	x.send(signaledWrite(1, x, y))
	for string(y.mem[:4]) != "late" {
		runtime.Gosched()
	}
	b.state(sRTS, x) // asked under the lock that the thread held until the request was done
	b.none(x.scq)
	b.ok(b.dev.DelayCompletions(0, 0))
	b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sReset}, aState))
	for least, most := range map[time.Duration]time.Duration{-1: 1, 2: 1} {
		if err := b.dev.DelayCompletions(least, most); err == nil {
			t.Errorf("%d to %d was taken", least, most)
		}
	}
}

// Of two queue pairs with one completion queue each keeps its order, and they overtake each other.
func TestDelayedCompletionsOvertake(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{}, 1)
	qp, _, err := b.lib.CreateQP(x.pd, harness.QPInit{SendCQ: x.scq, RecvCQ: x.rcq, Type: rc,
		Cap: harness.Caps5{SendWR: 31, RecvWR: 1, SendSGE: 1, RecvSGE: 1}})
	v, w := *x, b.end(0, plan{typ: rc})
	v.qp = b.must(qp, err)
	v.to(plan{typ: rc}, w, sRTS)
	w.to(plan{typ: rc}, &v, sRTS)
	b.ok(b.dev.DelayCompletions(0, time.Second))
	const each = 20
	post := func(from, to *end, first uint64) { // and see it done
		to.mem[0] = 0
		for i := range uint64(each) {
			from.mem[0] = 0
			w := signaledWrite(first+i, from, to)
			if i == each-1 {
				w.SGEs = []harness.SGE{from.sge(pageSize, 8)}
				from.mem[pageSize] = 1
			}
			from.send(w)
		}
		for to.mem[0] == 0 {
			runtime.Gosched()
		}
	}
	post(x, y, 0)
	post(&v, w, 100)
	last := [2]int{-1, 99}
	for last[1] == 99 { // until the first one of those that were posted later
		id := int(b.wait(x.scq, 1)[0].ID)
		if last[id/100]+1 != id {
			t.Errorf("%d after %d", id, last[id/100])
		}
		last[id/100] = id
	}
	if last[0] == each-1 {
		t.Error("none was overtaken")
	}
	b.ok(b.lib.End("ibv_destroy_qp", v.qp))
}

//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// One key for both uses, and none for peers that may do nothing.
func TestOneKey(t *testing.T) {
	b := open(t, softverbs.OneKey())
	addr, _ := rw(t, pageSize)
	both, local := b.must(b.lib.RegMR(b.pd, addr, 64, localWrite|remoteWrite)), b.must(b.lib.RegMR(b.pd, addr, 64, localWrite))
	m, l := harness.ReadMR(both), harness.ReadMR(local)
	if m.LKey != m.RKey || m.LKey == 0 || l.LKey == m.LKey || l.RKey != 0 {
		t.Errorf("keys %#x and %#x, of the local one %#x and %#x", m.LKey, m.RKey, l.LKey, l.RKey)
	}
	for key, want := range map[uint32]softverbs.Status{
		m.RKey: softverbs.StatusSuccess, 0: softverbs.StatusRemAccess, l.LKey: softverbs.StatusRemAccess,
	} {
		if s, _ := b.dev.Peer().Write(key, uint64(addr), []byte("x")); s != want {
			t.Errorf("by %#x: %v, want %v", key, s, want)
		}
	}
	b.dereg(both)
	b.dereg(local)
}

// Requests that are refused for the state lie in the queue until a post that is taken, as on soft-RoCE.
func TestRefusedRequestsStay(t *testing.T) {
	b := open(t)
	for _, state := range []int{sReset, sInit, sRTR} {
		x, y := b.end(0, plan{typ: rc}), b.end(0, plan{typ: rc})
		a := x.attr(plan{typ: rc}, y)
		post := func(id uint64) error {
			w := write(x, y)
			w.ID, w.Flags = id, signaled
			_, err := b.lib.PostSend(x.qp, w)
			return err
		}
		for i, m := range masks(rc) {
			if i == state {
				b.want(syscall.EINVAL, post(1))
			}
			a.State = i + 1
			b.ok(b.lib.Modify(x.qp, a, m))
		}
		y.to(plan{typ: rc}, x, sRTS)
		b.none(x.scq)
		b.ok(post(2))
		if got := b.wait(x.scq, 2); got[0].ID != 1 || got[1].ID != 2 || got[0].Status != wcSuccess {
			t.Errorf("state %d: %+v", state, got)
		}
		b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sReset}, aState))
		b.want(syscall.EINVAL, post(3))
		b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sReset}, aState)) // drops it
		x.to(plan{typ: rc}, y, sRTS)
		b.ok(b.lib.Modify(y.qp, harness.QPAttr{State: sReset}, aState))
		y.to(plan{typ: rc}, x, sRTS)
		b.ok(post(4))
		if got := b.wait(x.scq, 1); got[0].ID != 4 {
			t.Errorf("state %d, after a reset: %+v", state, got)
		}
	}
}

// A receive that comes later than all retries take is in time for mlx5, and too late for soft-RoCE.
func TestLateReceive(t *testing.T) {
	for _, c := range []struct {
		status  int
		options []softverbs.Option
	}{{wcRetryExc, nil}, {wcSuccess, []softverbs.Option{softverbs.LikeMLX5()}}} {
		b := open(t, append(c.options, softverbs.AnotherDevice("soft1"))...)
		x, y := b.pair(plan{attr: func(a *harness.QPAttr) { a.RNRRetry = 7 }}, 2)
		w := send(x, y)
		w.Flags = signaled
		x.send(w)
		var got []harness.WC
		if c.status == wcSuccess {
			time.Sleep(100 * time.Millisecond) // three timeouts are 12 ms
		} else {
			got = b.wait(x.scq, 1)
		}
		if _, err := b.lib.PostRecv(y.qp, harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 8)}}); err != nil {
			t.Fatal(err)
		}
		if got == nil {
			got = b.wait(x.scq, 1)
		}
		if got[0].Status != c.status {
			t.Errorf("status %d, want %d", got[0].Status, c.status)
		}
	}
}

// A change to ERR or SQD is done when the call is back: queues are flushed, receives first, and an idle one has drained.
func TestChangesAreDoneAtOnce(t *testing.T) {
	b := open(t)
	x, y := b.pair(plan{typ: rc}, 1)
	for range 50 {
		b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sSQD}, aState))
		b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sRTS}, aState))
		_, _, err := b.lib.Async(x.ctx)
		b.ok(err)
		b.lib.AckAsync(5, x.qp)
	}
	y.recv(harness.RecvWR{ID: 1, SGEs: []harness.SGE{y.sge(0, 8)}}, harness.RecvWR{ID: 2})
	b.ok(b.lib.Modify(y.qp, harness.QPAttr{State: sErr}, aState))
	if wcs, err := b.lib.Poll(y.rcq, 8); err != nil || len(wcs) != 2 || wcs[0].ID != 1 || wcs[1].Status != wcFlush {
		t.Errorf("%+v, %v", wcs, err)
	}
}

// Values that no verb has a meaning for, and what soft-RoCE says of them.
func TestOddValues(t *testing.T) {
	b := open(t, softverbs.WithoutRawPackets(), softverbs.CapFlags(0))
	e := b.end(0, plan{typ: rc})
	e.to(plan{typ: rc}, e, sInit)
	a := e.attr(plan{typ: rc}, e)
	a.State, a.PathMTU = sRTR, 6
	b.want(syscall.EINVAL, b.lib.Modify(e.qp, a, maskRTR))
	a.PathMTU = 0
	b.ok(b.lib.Modify(e.qp, a, maskRTR))
	b.want(syscall.EOPNOTSUPP, b.lib.Modify(e.qp, harness.QPAttr{State: sRTS}, maskRTS|1<<25)) // IBV_QP_RATE_LIMIT
	for typ, want := range map[int]syscall.Errno{
		0: syscall.EINVAL, 5: syscall.EINVAL, 8: syscall.EOPNOTSUPP, 9: syscall.EOPNOTSUPP, 10: syscall.EINVAL, 255: syscall.EOPNOTSUPP,
	} {
		_, _, err := b.lib.CreateQP(e.pd, harness.QPInit{SendCQ: e.scq, RecvCQ: e.rcq, Type: typ})
		if b.want(want, err); t.Failed() {
			t.Fatalf("type %d", typ)
		}
	}
}

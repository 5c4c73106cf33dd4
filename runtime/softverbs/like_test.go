//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// One key for both uses, and none for peers that may do nothing.
func TestOneKey(t *testing.T) {
	b := open(t, softverbs.OneKey())
	m, addr, _ := b.region(pageSize, localWrite|verbs.MRAccessRemoteWrite)
	l, _, _ := b.region(pageSize, localWrite)
	if m.LKey() != m.RKey() || m.LKey() == 0 || l.LKey() == m.LKey() || l.RKey() != 0 {
		t.Errorf("keys %#x and %#x, of the local one %#x and %#x", m.LKey(), m.RKey(), l.LKey(), l.RKey())
	}
	for key, want := range map[uint32]softverbs.Status{
		m.RKey(): softverbs.StatusSuccess, 0: softverbs.StatusRemAccess, l.LKey(): softverbs.StatusRemAccess,
	} {
		if s, _ := b.soft.Peer().Write(key, addr, []byte("x")); s != want {
			t.Errorf("by %#x: %v, want %v", key, s, want)
		}
	}
}

// Requests that are refused for the state lie in the queue until a post that is taken, as on soft-RoCE.
func TestRefusedRequestsStay(t *testing.T) {
	b := open(t)
	for _, state := range []verbs.QPState{verbs.QPStateReset, verbs.QPStateInit, verbs.QPStateRTR} {
		x, y := b.end("soft0", plan{}), b.end("soft0", plan{})
		post := func(id uint64) error { return x.op(verbs.WROpcodeRDMAWrite, id, y, verbs.SendSignaled) }
		s := plan{}.of(y)
		for i, change := range []*verbs.QPAttr{s.Init(), s.RTR(), s.RTS()} {
			if verbs.QPState(i) == state {
				b.want(syscall.EINVAL, post(1))
			}
			b.ok(x.qp.Modify(change))
		}
		y.to(plan{}, x, verbs.QPStateRTS)
		b.none(x.scq)
		b.ok(post(2))
		if got := b.wait(x.scq, 2); got[0].ID != 1 || got[1].ID != 2 || got[0].Status != verbs.WCStatusSuccess {
			t.Errorf("state %d: %+v", state, got)
		}
		b.ok(x.change(verbs.QPStateReset))
		b.want(syscall.EINVAL, post(3))
		b.ok(x.change(verbs.QPStateReset)) // drops it
		x.to(plan{}, y, verbs.QPStateRTS)
		b.ok(y.change(verbs.QPStateReset))
		y.to(plan{}, x, verbs.QPStateRTS)
		b.ok(post(4))
		if got := b.wait(x.scq, 1); got[0].ID != 4 {
			t.Errorf("state %d, after a reset: %+v", state, got)
		}
	}
}

// A receive that comes later than all retries take is in time for mlx5, and too late for soft-RoCE.
func TestLateReceive(t *testing.T) {
	for status, opt := range map[verbs.WCStatus]softverbs.Option{
		verbs.WCStatusRetryExcErr: nil, verbs.WCStatusSuccess: softverbs.LikeMLX5(),
	} {
		b := two(t, opt)
		x, y := b.pair(plan{setup: func(s *verbs.RCSetup) { s.RNRRetry = 7 }})
		x.send(1)
		if status == verbs.WCStatusSuccess {
			time.Sleep(100 * time.Millisecond) // three timeouts are 12 ms
			b.ok(y.recv(1, 8))
		}
		b.statuses(x.scq, status)
	}
}

// A change to ERR or SQD is done when the call is back: queues are flushed, receives first, and an idle one has drained.
func TestChangesAreDoneAtOnce(t *testing.T) {
	b := open(t)
	x, y := b.pair(plan{})
	for range 50 {
		b.ok(x.change(verbs.QPStateSQD))
		b.ok(x.change(verbs.QPStateRTS))
		ev := must(x.dev.NextEvent(t.Context()))(t)
		if ev.Done(); ev.Type != verbs.EventTypeSQDrained || ev.QP != x.qp {
			t.Errorf("event %v of %v", ev.Type, ev.QP)
		}
	}
	b.ok(y.recv(1, 8))
	b.ok(y.recv(2, 8))
	b.ok(y.change(verbs.QPStateErr))
	var wcs [8]verbs.WC
	if n, err := y.rcq.PollInto(wcs[:]); n != 2 || err != nil || wcs[0].ID != 1 || wcs[1].Status != verbs.WCStatusWRFlushErr {
		t.Errorf("%+v, %v", wcs[:n], err)
	}
}

// A request that waits for a receive is under way in SQD; one that is posted then waits until the queue may send again.
func TestSendQueueDrained(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{setup: func(s *verbs.RCSetup) { s.RNRRetry, s.Timeout = 7, 0 }})
	x.send(1)
	b.ok(x.change(verbs.QPStateSQD))
	x.send(2)
	b.ok(y.recv(1, 8))
	b.ok(y.recv(2, 8))
	ev := must(x.dev.NextEvent(t.Context()))(t)
	if ev.Done(); ev.Type != verbs.EventTypeSQDrained {
		t.Errorf("event %v", ev.Type)
	}
	var wcs [4]verbs.WC
	sent, err := x.scq.PollInto(wcs[:])
	if b.ok(err); sent > 1 {
		t.Errorf("%d were sent in SQD", sent)
	}
	b.ok(x.change(verbs.QPStateRTS))
	b.wait(x.scq, 2-sent)
}

// A message has at most max_msg_sz bytes, whatever it is.
func TestMaxMsgSize(t *testing.T) {
	for _, op := range []func(w verbs.SendWR, y *end){
		func(w verbs.SendWR, _ *end) { w.Send(1) },
		func(w verbs.SendWR, y *end) { w.Write(1, y.mr.IOVA(), y.mr.RKey()) },
		func(w verbs.SendWR, y *end) { w.Read(1, y.mr.IOVA(), y.mr.RKey()) },
	} {
		b := open(t, softverbs.LikeRXE61(), softverbs.MaxMsgSize(uint32(pageSize)))
		x, y := b.pair(plan{})
		b.ok(y.recv(1, 2*pageSize))
		b.ok(y.recv(2, 2*pageSize))
		for n, want := range []verbs.WCStatus{verbs.WCStatusSuccess, verbs.WCStatusLocLenErr} {
			b.ok(x.post(func(w verbs.SendWR) {
				op(w, y)
				w.Add(x.sge(0, pageSize)).Add(x.sge(pageSize, uint64(n))).Flags(verbs.SendSignaled)
			}))
			b.statuses(x.scq, want)
		}
		if x.state() != verbs.QPStateErr || y.state() != verbs.QPStateRTS {
			t.Errorf("states %v and %v", x.state(), y.state())
		}
	}
}

// A send queue is full of unsignaled requests, all of them done, until a completion of a later one is polled.
func TestMLX5SendQueueFills(t *testing.T) {
	b := open(t, softverbs.LikeMLX5())
	x, y := b.pair(plan{depth: 16})
	quiet := func() error { return x.op(verbs.WROpcodeRDMAWrite, 1, y, 0) }
	for range 15 {
		b.ok(quiet())
	}
	x.mem[0] = 1
	x.write(2, y)
	y.arrives(0, 1)
	b.want(syscall.ENOMEM, quiet())
	b.wait(x.scq, 1)
	for range 16 {
		b.ok(quiet())
	}
	b.want(syscall.ENOMEM, quiet())
	b.ok(x.change(verbs.QPStateReset))
	x.to(plan{}, y, verbs.QPStateRTS)
	b.ok(quiet())
}

func TestMLX5ReceivesGoWithTheirCompletions(t *testing.T) {
	b := open(t, softverbs.LikeMLX5())
	x, y := b.pair(plan{depth: 4})
	for id := range uint64(4) {
		b.ok(y.recv(id, 8))
	}
	x.send(1)
	b.wait(x.scq, 1) // a receive was used
	b.want(syscall.ENOMEM, y.recv(4, 8))
	b.wait(y.rcq, 1)
	b.ok(y.recv(4, 8))
}

func TestMLX5DeadPeerIsNoticed(t *testing.T) {
	b := open(t, softverbs.LikeMLX5())
	x, y := b.pair(plan{second: verbs.QPStateInit, setup: func(s *verbs.RCSetup) { s.RetryCnt, s.Timeout = 7, 8 }})
	x.write(1, y)
	b.statuses(x.scq, verbs.WCStatusRetryExcErr)
}

// What is in the completion queues of a queue pair goes with RESET and with its end; on the default device it stays.
func TestMLX5CleansCompletionQueues(t *testing.T) {
	for want, opt := range map[int]softverbs.Option{0: softverbs.LikeMLX5(), 2: nil} {
		b := open(t, opt)
		x, y := b.pair(plan{})
		x.write(1, y)
		b.ok(x.post(func(w verbs.SendWR) { w.Write(2, y.mr.IOVA(), 0).Add(x.sge(0, 8)).Flags(verbs.SendSignaled) }))
		for x.state() != verbs.QPStateErr { // until both are done
		}
		b.ok(x.change(verbs.QPStateReset))
		var wcs [8]verbs.WC
		if n, err := x.scq.PollInto(wcs[:]); err != nil || n != want {
			t.Errorf("want %d: %+v, %v", want, wcs[:n], err)
		}
	}
}

func TestModifySRQOfFixedSize(t *testing.T) {
	b := open(t, softverbs.CapFlags(1<<12))
	srq := must(b.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 10, MaxSGE: 2}))(t)
	b.want(syscall.EINVAL, srq.Modify(verbs.NewSRQAttr().MaxWR(20)))
	b.ok(srq.Modify(verbs.NewSRQAttr().Limit(1)))
}

// A device without XRC, such as soft-RoCE, makes no sender.
func TestXRCSender(t *testing.T) {
	for _, opt := range []softverbs.Option{nil, softverbs.LikeRXE61(), softverbs.CapFlags(0)} {
		b := open(t, opt)
		cq := must(b.dev.CreateCQ(7, nil, 0))(t)
		//verbsgen:ignore VR-ibv_create_qp-qp_type-0298 the software device makes one this way, too
		_, err := b.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeXRCSend, SendCQ: cq, MaxSendWR: 16, MaxSendSGE: 1})
		want := syscall.Errno(0)
		if opt != nil {
			want = syscall.EOPNOTSUPP
		}
		b.want(want, err)
	}
}

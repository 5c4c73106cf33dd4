//go:build linux && cgo

package softverbs_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func sizes(sendWR, recvWR, sendSGE, recvSGE, inline uint32) harness.Caps5 {
	return harness.Caps5{SendWR: sendWR, RecvWR: recvWR, SendSGE: sendSGE, RecvSGE: recvSGE, Inline: inline}
}

func TestCreateQPVerdicts(t *testing.T) {
	b := open(t, softverbs.WithoutRawPackets())
	cq := b.must(b.lib.CreateCQ(b.ctx, 7, 0, nil, 0))
	other := b.openDevice(0)
	foreign := b.must(b.lib.CreateCQ(other, 7, 0, nil, 0))
	caps := harness.Caps5{SendWR: 16, RecvWR: 16, SendSGE: 1, RecvSGE: 1}
	for _, c := range []struct {
		what   string
		change func(*harness.QPInit)
		want   syscall.Errno
	}{
		{"as it should be", func(*harness.QPInit) {}, 0},
		{"the most of all", func(q *harness.QPInit) { q.Cap = sizes(1<<20, 1<<20, 32, 32, 512) }, 0},
		{"nothing", func(q *harness.QPInit) { q.Cap = harness.Caps5{} }, 0},
		{"UC", func(q *harness.QPInit) { q.Type = uc }, 0},
		{"UD", func(q *harness.QPInit) { q.Type = ud }, 0},
		{"raw packets", func(q *harness.QPInit) { q.Type = 8 }, syscall.EOPNOTSUPP},
		{"the receiver of XRC", func(q *harness.QPInit) { q.Type = 10 }, syscall.EINVAL},
		{"no send CQ", func(q *harness.QPInit) { q.SendCQ = nil }, syscall.EINVAL},
		{"no receive CQ", func(q *harness.QPInit) { q.RecvCQ = nil }, syscall.EINVAL},
		{"CQ of another context", func(q *harness.QPInit) { q.RecvCQ = foreign }, syscall.EINVAL},
		{"send queue too long", func(q *harness.QPInit) { q.Cap.SendWR = 1<<20 + 1 }, syscall.EINVAL},
		{"receive queue too long", func(q *harness.QPInit) { q.Cap.RecvWR = 1<<20 + 1 }, syscall.EINVAL},
		{"too many SGEs to send", func(q *harness.QPInit) { q.Cap.SendSGE = 33 }, syscall.EINVAL},
		{"too many SGEs to receive", func(q *harness.QPInit) { q.Cap.RecvSGE = 33 }, syscall.EINVAL},
		{"too much inline", func(q *harness.QPInit) { q.Cap.Inline = 513 }, syscall.EINVAL},
	} {
		in := harness.QPInit{SendCQ: cq, RecvCQ: cq, Cap: caps, Type: rc}
		c.change(&in)
		qp, got, err := b.lib.CreateQP(b.pd, in)
		t.Log(c.what)
		b.want(c.want, err)
		if err == nil {
			if got.SendWR < in.Cap.SendWR || got.RecvWR < in.Cap.RecvWR || got.SendSGE < in.Cap.SendSGE ||
				got.RecvSGE < in.Cap.RecvSGE || got.Inline < in.Cap.Inline {
				t.Errorf("granted %+v for %+v", got, in.Cap)
			}
			b.want(syscall.EBUSY, b.lib.End("ibv_destroy_cq", cq))
			b.want(syscall.EBUSY, b.lib.End("ibv_dealloc_pd", b.pd))
			b.ok(b.lib.End("ibv_destroy_qp", qp))
			b.want(syscall.EINVAL, b.lib.End("ibv_destroy_qp", qp))
		}
	}
	qp, got, err := b.lib.CreateQP(b.pd, harness.QPInit{SendCQ: cq, RecvCQ: cq, Cap: sizes(16, 16, 1, 1, 400), Type: rc})
	if b.ok(err); got != sizes(31, 31, 25, 1, 400) { // inline bytes and SGEs share their place
		t.Errorf("granted %+v", got)
	}
	if _, typ, scq, err := b.lib.Query(qp); typ != rc || scq != cq || err != nil {
		t.Errorf("type %d, cq %v, %v", typ, scq, err)
	}
	b.ok(b.lib.End("ibv_destroy_qp", qp))
	b.ok(b.lib.End("ibv_destroy_cq", foreign))
	b.lib.CloseDevice(other)
	b.ok(b.lib.End("ibv_destroy_cq", cq))
}

// bring takes a queue pair to a state; the peer is itself.
func (e *end) bring(typ, state int) {
	e.b.Helper()
	p := plan{typ: typ}
	switch state {
	case sSQD:
		e.to(p, e, sRTS)
		e.b.ok(e.b.lib.Modify(e.qp, harness.QPAttr{State: sSQD}, aState))
		_, _, err := e.b.lib.Async(e.ctx) // drained
		e.b.ok(err)
		e.b.lib.AckAsync(5, e.qp)
	case sErr:
		e.to(p, e, sInit)
		e.b.ok(e.b.lib.Modify(e.qp, harness.QPAttr{State: sErr}, aState))
	default:
		e.to(p, e, state)
	}
}

func TestTransitions(t *testing.T) {
	need := map[int]map[[2]int]int{ // what each transition with attributes needs; all others need none
		rc: {{sReset, sInit}: maskInit, {sInit, sRTR}: maskRTR, {sRTR, sRTS}: maskRTS},
		uc: {{sReset, sInit}: maskInit, {sInit, sRTR}: maskRTRUC, {sRTR, sRTS}: maskRTSUC},
		ud: {{sReset, sInit}: maskInitUD, {sInit, sRTR}: aState, {sRTR, sRTS}: maskRTSUC},
	}
	valid := map[[2]int]bool{
		{sReset, sReset}: true, {sReset, sInit}: true, {sInit, sInit}: true, {sInit, sRTR}: true, {sRTR, sRTS}: true,
		{sRTS, sRTS}: true, {sRTS, sSQD}: true, {sSQD, sRTS}: true, {sSQD, sSQD}: true,
	}
	for _, from := range []int{sInit, sRTR, sRTS, sSQD, sErr} {
		valid[[2]int{from, sReset}], valid[[2]int{from, sErr}] = true, true
	}
	b := open(t)
	for typ, needs := range need {
		for _, from := range []int{sReset, sInit, sRTR, sRTS, sSQD, sErr} {
			for _, to := range []int{sReset, sInit, sRTR, sRTS, sSQD, sErr} {
				t.Run(fmt.Sprintf("type %d from %d to %d", typ, from, to), func(t *testing.T) {
					b.transition(t, typ, from, to, needs[[2]int{from, to}]|aState, valid[[2]int{from, to}])
				})
			}
		}
	}
}

func (b *bench) transition(t *testing.T, typ, from, to, mask int, valid bool) {
	inner := &bench{T: t, dev: b.dev, lib: b.lib}
	e := inner.end(0, plan{typ: typ})
	e.bring(typ, from)
	a := e.attr(plan{typ: typ}, e)
	a.State = to
	for bit := 2; bit <= mask; bit <<= 1 { // each needed attribute once left out
		if mask&bit != 0 {
			inner.want(syscall.EINVAL, b.lib.Modify(e.qp, a, mask&^bit))
		}
	}
	inner.want(syscall.EINVAL, b.lib.Modify(e.qp, a, mask|aCap)) // an attribute that has no place there
	inner.state(from, e)
	var want syscall.Errno
	if !valid {
		want = syscall.EINVAL
	}
	inner.want(want, b.lib.Modify(e.qp, a, mask))
	if !valid {
		to = from
	}
	if inner.state(to, e); harness.QPState(e.qp) != to {
		t.Errorf("qp->state %d, want %d", harness.QPState(e.qp), to)
	}
	if valid && to == sSQD { // it drains, anew too
		_, _, err := b.lib.Async(e.ctx)
		inner.ok(err)
		b.lib.AckAsync(5, e.qp)
	}
}

func TestModifyVerdicts(t *testing.T) {
	b := open(t)
	for _, c := range []struct {
		what   string
		state  int
		mask   int
		change func(*harness.QPAttr)
		want   syscall.Errno
	}{
		{"port 0", sReset, maskInit, func(a *harness.QPAttr) { a.Port = 0 }, syscall.EINVAL},
		{"port 2", sReset, maskInit, func(a *harness.QPAttr) { a.Port = 2 }, syscall.EINVAL},
		{"MTU beyond 4096", sInit, maskRTR, func(a *harness.QPAttr) { a.PathMTU = 6 }, syscall.EINVAL},
		{"path without GIDs", sInit, maskRTR, func(a *harness.QPAttr) { a.AH.Global = false }, syscall.EINVAL},
		{"path from a port 0", sInit, maskRTR, func(a *harness.QPAttr) { a.AH.Port = 0 }, syscall.EINVAL},
		{"empty GID entry", sInit, maskRTR, func(a *harness.QPAttr) { a.AH.SGIDIndex = 3 }, syscall.ENODATA},
		{"unanswering address", sInit, maskRTR, func(a *harness.QPAttr) { a.AH.DGID = [16]byte{10: 0xff, 0xff, 10, 1, 2, 3} }, syscall.ETIMEDOUT},
		{"timeout 32", sRTR, maskRTS, func(a *harness.QPAttr) { a.Timeout = 32 }, syscall.EINVAL},
		{"too many reads", sRTR, maskRTS, func(a *harness.QPAttr) { a.MaxRdAtomic = 129 }, syscall.EINVAL},
		{"state that does not exist", sInit, aState, func(a *harness.QPAttr) { a.State = 9 }, syscall.EINVAL},
		{"current state said wrongly", sRTR, maskRTS | aCur, func(a *harness.QPAttr) { a.CurState = sInit }, syscall.EINVAL},
		{"current state said rightly", sRTR, maskRTS | aCur, func(a *harness.QPAttr) { a.CurState = sRTR }, 0},
	} {
		e := b.end(0, plan{typ: rc})
		e.bring(rc, c.state)
		a := e.attr(plan{typ: rc}, e)
		a.State = c.state + 1
		c.change(&a)
		t.Log(c.what)
		b.want(c.want, b.lib.Modify(e.qp, a, c.mask))
	}
}

func TestQueryQPTellsWhatWasSet(t *testing.T) {
	b := open(t)
	e := b.end(0, plan{typ: rc})
	e.to(plan{typ: rc}, e, sRTS)
	got, _, _, err := b.lib.Query(e.qp)
	b.ok(err)
	want := e.attr(plan{typ: rc}, e)
	want.State, want.CurState, want.AH, want.QKey = sRTS, sRTS, harness.AH{}, 0
	want.Cap = harness.Caps5{SendWR: 31, RecvWR: 31, SendSGE: 4, RecvSGE: 4, Inline: 64}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPostVerdicts(t *testing.T) {
	b := open(t)
	for _, state := range []int{sReset, sInit, sRTR} {
		e := b.end(0, plan{typ: rc})
		e.bring(rc, state)
		bad, err := b.lib.PostSend(e.qp, harness.SendWR{Opcode: opSend}, harness.SendWR{Opcode: opSend})
		if b.want(syscall.EINVAL, err); bad != -1 {
			t.Errorf("state %d: bad_wr is request %d", state, bad)
		}
		bad, err = b.lib.PostRecv(e.qp, harness.RecvWR{})
		if state == sReset {
			b.want(syscall.EINVAL, err)
		} else {
			b.want(0, err)
		}
		if bad != -1 {
			t.Errorf("state %d: bad_wr of the receive is %d", state, bad)
		}
	}
	e := b.end(0, plan{typ: rc, caps: harness.Caps5{SendWR: 31, RecvWR: 3, SendSGE: 2, RecvSGE: 2, Inline: 32}})
	e.to(plan{typ: rc}, e, sRTS)
	three := []harness.SGE{{}, {}, {}}
	good := harness.SendWR{Opcode: opWrite}
	for what, wr := range map[string]harness.SendWR{
		"too many SGEs":         {Opcode: opSend, SGEs: three},
		"too much inline":       {Opcode: opSend, Flags: inline, SGEs: []harness.SGE{e.sge(0, 33)}},
		"atomic on 4 bytes":     {Opcode: opFAA, Atomic: true, SGEs: []harness.SGE{e.sge(0, 4)}},
		"atomic not aligned":    {Opcode: opCAS, Atomic: true, Addr: 4, SGEs: []harness.SGE{e.sge(0, 8)}},
		"atomic without a SGEs": {Opcode: opCAS, Atomic: true},
	} {
		bad, err := b.lib.PostSend(e.qp, good, wr, good)
		if b.want(syscall.EINVAL, err); bad != 1 {
			t.Errorf("%s: bad_wr is request %d", what, bad)
		}
	}
	bad, err := b.lib.PostRecv(e.qp, harness.RecvWR{}, harness.RecvWR{SGEs: three})
	if b.want(syscall.EINVAL, err); bad != 1 {
		t.Errorf("bad_wr is request %d", bad)
	}
	bad, err = b.lib.PostRecv(e.qp, harness.RecvWR{}, harness.RecvWR{}, harness.RecvWR{})
	if b.want(syscall.ENOMEM, err); bad != 2 {
		t.Errorf("full: bad_wr is request %d", bad)
	}
}

func TestSendQueueFull(t *testing.T) {
	b := open(t)
	x, _ := b.pair(plan{caps: harness.Caps5{SendWR: 3, RecvWR: 1}, attr: func(a *harness.QPAttr) { a.Timeout = 0 }, stopAt: sInit}, 1)
	w := harness.SendWR{Opcode: opWrite} // to a peer that does not answer
	bad, err := b.lib.PostSend(x.qp, w, w, w, w, w)
	if b.want(syscall.ENOMEM, err); bad != 3 {
		t.Errorf("bad_wr is request %d", bad)
	}
}

func TestQueueLeaksAreNamed(t *testing.T) {
	dev := softverbs.New()
	b := &bench{T: t, dev: dev, lib: harness.Load(dev.Symbol)}
	ctx := b.openDevice(0)
	pd := b.must(b.lib.AllocPD(ctx))
	ch := b.must(b.lib.CreateChannel(ctx))
	cq := b.must(b.lib.CreateCQ(ctx, 4, 0, ch, 0))
	qp, _, err := b.lib.CreateQP(pd, harness.QPInit{SendCQ: cq, RecvCQ: cq, Type: ud})
	b.must(qp, err)
	g, err := b.lib.GID(ctx, 1, 0)
	b.ok(err)
	b.must(b.lib.CreateAH(pd, harness.AH{DGID: g, Port: 1, Global: true}))
	if n := len(dev.Leaks()); n != 6 {
		t.Errorf("open: %q", dev.Leaks())
	}
	b.ok(b.lib.Notify(cq, false))
	b.ok(b.lib.Modify(qp, harness.QPAttr{State: sInit, Port: 1}, maskInitUD))
	_, err = b.lib.PostRecv(qp, harness.RecvWR{})
	b.ok(err)
	b.ok(b.lib.Modify(qp, harness.QPAttr{State: sErr}, aState))
	b.lib.CloseDevice(ctx)
	all := strings.Join(dev.Leaks(), "\n")
	for _, want := range []string{
		"QP (handle 2, number 0x11): left behind", "CQ (handle 1, 7 entries): left", "completion channel: left", "AH (handle 3): left",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

func TestQueuesOfAParentDomain(t *testing.T) {
	b := open(t)
	arena := harness.NewArena(harness.AnswerMemory)
	defer arena.Free()
	parent := b.must(b.lib.AllocParentDomain(b.ctx, b.pd, nil, arena, 0))
	cq := b.must(b.lib.CreateCQ(b.ctx, 4, 0, nil, 0))
	in := harness.QPInit{SendCQ: cq, RecvCQ: cq, Type: rc}
	qp, _, err := b.lib.CreateQP(parent, in)
	b.must(qp, err)
	if allocs, frees, _ := arena.Counts(); allocs != 1 || frees != 0 {
		t.Errorf("%d allocs, %d frees", allocs, frees)
	}
	b.want(syscall.EBUSY, b.lib.End("ibv_dealloc_pd", parent))
	b.ok(b.lib.End("ibv_destroy_qp", qp))
	in.Cap.Inline = 1000
	_, _, err = b.lib.CreateQP(parent, in)
	b.want(syscall.EINVAL, err)
	in.Cap.Inline, in.SendCQ = 0, parent // no CQ: found out after the allocation
	_, _, err = b.lib.CreateQP(parent, in)
	b.want(syscall.EINVAL, err)
	if allocs, frees, bad := arena.Counts(); allocs != 2 || frees != 2 || bad != 0 {
		t.Errorf("%d allocs, %d frees, %d of them wrong", allocs, frees, bad)
	}
	g, err := b.lib.GID(b.ctx, 1, 0)
	b.ok(err)
	ah := b.must(b.lib.CreateAH(parent, harness.AH{DGID: g, Port: 1, Global: true}))
	b.want(syscall.EBUSY, b.lib.End("ibv_dealloc_pd", parent))
	b.ok(b.lib.End("ibv_destroy_ah", ah))
	b.ok(b.lib.End("ibv_destroy_cq", cq))
	b.ok(b.lib.End("ibv_dealloc_pd", parent))
}

// Queues work on the contexts of older releases too, and each verb can be told to fail.
func TestQueuesOfOlderReleases(t *testing.T) {
	for _, release := range []string{"33.2", "44.0", "56.1"} {
		b := two(t, softverbs.Release(release))
		x, y := b.pair(plan{}, 2)
		w := write(x, y)
		w.Flags = signaled
		x.send(w)
		b.wait(x.scq, 1)
	}
}

func TestQueueVerbsFailOnOrder(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{}, 2)
	for verb, call := range map[string]func() error{
		"ibv_create_comp_channel": func() error { _, err := b.lib.CreateChannel(b.ctx); return err },
		"ibv_create_cq":           func() error { _, err := b.lib.CreateCQ(b.ctx, 1, 0, nil, 0); return err },
		"ibv_resize_cq":           func() error { return b.lib.ResizeCQ(x.scq, 63) },
		"ibv_poll_cq":             func() error { _, err := b.lib.Poll(x.scq, 1); return err },
		"ibv_req_notify_cq":       func() error { return b.lib.Notify(x.scq, false) },
		"ibv_destroy_cq":          func() error { return b.lib.End("ibv_destroy_cq", x.scq) },
		"ibv_create_qp": func() error {
			_, _, err := b.lib.CreateQP(x.pd, harness.QPInit{SendCQ: x.scq, RecvCQ: x.rcq, Type: rc})
			return err
		},
		"ibv_modify_qp":       func() error { return b.lib.Modify(x.qp, harness.QPAttr{State: sErr}, aState) },
		"ibv_query_qp":        func() error { _, _, _, err := b.lib.Query(x.qp); return err },
		"ibv_destroy_qp":      func() error { return b.lib.End("ibv_destroy_qp", x.qp) },
		"ibv_post_send":       func() error { _, err := b.lib.PostSend(x.qp, write(x, y)); return err },
		"ibv_post_recv":       func() error { _, err := b.lib.PostRecv(x.qp, harness.RecvWR{}); return err },
		"ibv_create_ah":       func() error { _, err := b.lib.CreateAH(x.pd, harness.AH{Port: 1, Global: true}); return err },
		"ibv_query_gid":       func() error { _, err := b.lib.GID(x.ctx, 1, 0); return err },
		"ibv_query_pkey":      func() error { _, err := b.lib.PKey(x.ctx, 1, 0); return err },
		"ibv_get_async_event": func() error { _, _, err := b.lib.Async(x.ctx); return err },
	} {
		b.ok(b.dev.Fail(verb, 1, syscall.EDOM))
		t.Log(verb)
		b.want(syscall.EDOM, call())
	}
}

//go:build linux && cgo

package softverbs_test

import (
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
		{"unanswering address", sInit, maskRTR, func(a *harness.QPAttr) { a.AH.SGIDIndex, a.AH.DGID = 1, [16]byte{10: 0xff, 0xff, 10, 1, 2, 3} },
			syscall.ETIMEDOUT},
		{"address of another family", sInit, maskRTR, func(a *harness.QPAttr) { a.AH.DGID = [16]byte{10: 0xff, 0xff, 10, 0, 0, 1} },
			syscall.EINVAL},
		{"timeout 32", sRTR, maskRTS, func(a *harness.QPAttr) { a.Timeout = 32 }, syscall.EINVAL},
		{"too many reads", sRTR, maskRTS, func(a *harness.QPAttr) { a.MaxRdAtomic = 129 }, syscall.EINVAL},
		{"state that does not exist", sInit, aState, func(a *harness.QPAttr) { a.State = 9 }, syscall.EINVAL},
		{"current state said wrongly", sRTR, maskRTS | aCur, func(a *harness.QPAttr) { a.CurState = sInit }, syscall.EINVAL},
		{"current state said rightly", sRTR, maskRTS | aCur, func(a *harness.QPAttr) { a.CurState = sRTR }, 0},
	} {
		e := b.end(0, plan{typ: rc})
		e.to(plan{typ: rc}, e, c.state)
		a := e.attr(plan{typ: rc}, e)
		a.State = c.state + 1
		c.change(&a)
		t.Log(c.what)
		b.want(c.want, b.lib.Modify(e.qp, a, c.mask))
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

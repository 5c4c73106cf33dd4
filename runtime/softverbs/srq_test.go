//go:build linux && cgo

package softverbs_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

const (
	mMaxWR, mLimit = 1, 2 // enum ibv_srq_attr_mask
	srqLimit       = 15   // IBV_EVENT_SRQ_LIMIT_REACHED
)

func (b *bench) srq(pd harness.Obj, max uint32) harness.Obj {
	b.Helper()
	srq, _, err := b.lib.CreateSRQ(pd, harness.SRQAttr{MaxWR: max, MaxSGE: 2})
	return b.must(srq, err)
}

// tells compares what a queue answers.
func (b *bench) tells(srq harness.Obj, want harness.SRQAttr) {
	b.Helper()
	if got, err := b.lib.QuerySRQ(srq); err != nil || got != want {
		b.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestCreateSRQVerdicts(t *testing.T) {
	b := open(t)
	for _, c := range []struct {
		ask, get harness.SRQAttr
		want     syscall.Errno
	}{
		{harness.SRQAttr{MaxWR: 10, MaxSGE: 3}, harness.SRQAttr{MaxWR: 15, MaxSGE: 3}, 0},
		{harness.SRQAttr{MaxWR: 1}, harness.SRQAttr{MaxWR: 1, MaxSGE: 1}, 0},
		{harness.SRQAttr{MaxWR: 1 << 20, MaxSGE: 1}, harness.SRQAttr{MaxWR: 1<<21 - 1, MaxSGE: 1}, 0},
		{harness.SRQAttr{MaxWR: 7, MaxSGE: 27, Limit: 4}, harness.SRQAttr{MaxWR: 7, MaxSGE: 27, Limit: 4}, 0},
		{harness.SRQAttr{MaxSGE: 1}, harness.SRQAttr{}, syscall.EINVAL},
		{harness.SRQAttr{MaxWR: 1<<20 + 1, MaxSGE: 1}, harness.SRQAttr{}, syscall.EINVAL},
		{harness.SRQAttr{MaxWR: 7, MaxSGE: 28}, harness.SRQAttr{}, syscall.EINVAL},
	} {
		srq, got, err := b.lib.CreateSRQ(b.pd, c.ask)
		if b.want(c.want, err); err != nil {
			continue
		}
		if got != c.get {
			t.Errorf("%+v for %+v, want %+v", got, c.ask, c.get)
		}
		b.tells(srq, c.get)
		b.want(syscall.EBUSY, b.lib.End("ibv_dealloc_pd", b.pd))
		b.ok(b.lib.End("ibv_destroy_srq", srq))
		b.want(syscall.EINVAL, b.lib.End("ibv_destroy_srq", srq))
	}
	_, _, err := b.lib.CreateSRQ(b.ctx, harness.SRQAttr{MaxWR: 1})
	b.want(syscall.EINVAL, err)
}

func TestModifySRQ(t *testing.T) {
	b := open(t)
	srq := b.srq(b.pd, 10)
	for _, c := range []struct {
		a    harness.SRQAttr
		mask int
		want syscall.Errno
		is   harness.SRQAttr
	}{
		{harness.SRQAttr{MaxWR: 99, Limit: 99}, 0, 0, harness.SRQAttr{MaxWR: 15, MaxSGE: 2}},
		{harness.SRQAttr{Limit: 16}, mLimit, syscall.EINVAL, harness.SRQAttr{MaxWR: 15, MaxSGE: 2}},
		{harness.SRQAttr{Limit: 15}, mLimit, 0, harness.SRQAttr{MaxWR: 15, MaxSGE: 2, Limit: 15}},
		{harness.SRQAttr{MaxWR: 14}, mMaxWR, syscall.EINVAL, harness.SRQAttr{MaxWR: 15, MaxSGE: 2, Limit: 15}},
		{harness.SRQAttr{}, mLimit, 0, harness.SRQAttr{MaxWR: 15, MaxSGE: 2}},
		{harness.SRQAttr{}, mMaxWR, syscall.EINVAL, harness.SRQAttr{MaxWR: 15, MaxSGE: 2}},
		{harness.SRQAttr{MaxWR: 1<<20 + 1}, mMaxWR, syscall.EINVAL, harness.SRQAttr{MaxWR: 15, MaxSGE: 2}},
		{harness.SRQAttr{MaxWR: 20, Limit: 16}, mMaxWR | mLimit, syscall.EINVAL, harness.SRQAttr{MaxWR: 15, MaxSGE: 2}},
		{harness.SRQAttr{MaxWR: 20, Limit: 5}, mMaxWR | mLimit, 0, harness.SRQAttr{MaxWR: 31, MaxSGE: 2, Limit: 5}},
	} {
		b.want(c.want, b.lib.ModifySRQ(srq, c.a, c.mask))
		b.tells(srq, c.is)
	}
	b.ok(b.lib.End("ibv_destroy_srq", srq))
	b.want(syscall.EINVAL, b.lib.ModifySRQ(srq, harness.SRQAttr{}, 0))

	fixed := open(t, softverbs.CapFlags(1<<12))
	srq = fixed.srq(fixed.pd, 10)
	fixed.want(syscall.EINVAL, fixed.lib.ModifySRQ(srq, harness.SRQAttr{MaxWR: 20}, mMaxWR))
	fixed.ok(fixed.lib.ModifySRQ(srq, harness.SRQAttr{Limit: 1}, mLimit))
	fixed.ok(fixed.lib.End("ibv_destroy_srq", srq))
}

// sharers are two connections whose receiving ends take their receives from one queue.
type sharers struct {
	*bench
	x, y [2]*end
	srq  harness.Obj
}

func share(t *testing.T) *sharers {
	b := open(t)
	s := &sharers{bench: b}
	for i := range s.x {
		s.x[i], s.y[i] = b.end(0, plan{typ: rc}), b.end(0, plan{typ: rc})
	}
	// both receiving ends live in one context
	first, second := s.y[0], s.y[1]
	s.srq = b.srq(first.pd, 10)
	b.ok(b.lib.End("ibv_destroy_qp", second.qp))
	b.ok(b.lib.End("ibv_destroy_qp", first.qp))
	second.gone = true
	s.y[1] = &end{b: b, ctx: first.ctx, pd: first.pd, scq: first.scq, rcq: first.rcq, mr: first.mr, mem: first.mem}
	for i, y := range s.y {
		qp, caps, err := b.lib.CreateQP(y.pd, harness.QPInit{SendCQ: y.scq, RecvCQ: y.rcq, SRQ: s.srq, Type: rc,
			Cap: harness.Caps5{SendWR: 7, RecvWR: 5, SendSGE: 1, RecvSGE: 99, Inline: 8}})
		y.qp = b.must(qp, err)
		if caps.RecvWR != 5 || caps.RecvSGE != 99 {
			t.Errorf("room for receives that means nothing: %+v", caps)
		}
		y.to(plan{typ: rc}, s.x[i], sRTS)
		s.x[i].to(plan{typ: rc}, y, sRTS)
	}
	return s
}

// end ends the second receiving end; the first is ended by its own cleanup, and the queue after it.
func (s *sharers) end() {
	s.Helper()
	s.want(syscall.EBUSY, s.lib.End("ibv_destroy_srq", s.srq))
	s.ok(s.lib.End("ibv_destroy_qp", s.y[1].qp))
	s.want(syscall.EBUSY, s.lib.End("ibv_destroy_srq", s.srq))
	s.ok(s.lib.End("ibv_destroy_qp", s.y[0].qp))
	s.y[0].gone = true
	s.ok(s.lib.End("ibv_destroy_srq", s.srq))
}

// post posts receives of 16 bytes with the IDs from..to-1, each to its own place.
func (s *sharers) post(from, to uint64) {
	s.Helper()
	for id := from; id < to; id++ {
		_, err := s.lib.PostSRQRecv(s.srq, harness.RecvWR{ID: id, SGEs: []harness.SGE{s.y[0].sge(16*id, 16)}})
		s.ok(err)
	}
}

// message sends one by connection i, and checks that the receive of the given ID took it.
func (s *sharers) message(i int, text string, id uint64) {
	s.Helper()
	x, y := s.x[i], s.y[i]
	copy(x.mem, text)
	x.send(harness.SendWR{Opcode: opSend, Flags: signaled, SGEs: []harness.SGE{x.sge(0, uint64(len(text)))}})
	if wc := s.wait(y.rcq, 1)[0]; wc.ID != id || wc.Status != wcSuccess || wc.QPN != harness.QPNum(y.qp) {
		s.Errorf("%q: %+v", text, wc)
	}
	if got := string(y.mem[16*id : 16*id+uint64(len(text))]); got != text {
		s.Errorf("%q arrived, want %q", got, text)
	}
	s.wait(x.scq, 1)
}

func TestSharedReceives(t *testing.T) {
	s := share(t)
	bad, err := s.lib.PostRecv(s.y[0].qp, harness.RecvWR{ID: 1})
	if s.want(syscall.EINVAL, err); bad != -1 {
		t.Errorf("request %d is named", bad)
	}
	if a, _, _, err := s.lib.Query(s.y[0].qp); err != nil || a.Cap.RecvWR != 0 || a.Cap.RecvSGE != 0 {
		t.Errorf("%+v, %v", a.Cap, err)
	}
	s.post(0, 15)
	bad, err = s.lib.PostSRQRecv(s.srq, harness.RecvWR{ID: 99})
	if s.want(syscall.ENOMEM, err); bad != 0 {
		t.Errorf("request %d is named", bad)
	}
	for id := range uint64(10) {
		s.message(int(id%2), "for both", id)
	}
	three := make([]harness.SGE, 3)
	bad, err = s.lib.PostSRQRecv(s.srq, harness.RecvWR{ID: 15}, harness.RecvWR{ID: 16, SGEs: three})
	if s.want(syscall.EINVAL, err); bad != 1 {
		t.Errorf("request %d is named", bad)
	}
	s.end()
}

// A queue pair in ERR leaves the receives to the others.
func TestSharedReceivesStay(t *testing.T) {
	s := share(t)
	s.post(0, 3)
	s.ok(s.lib.Modify(s.y[0].qp, harness.QPAttr{State: sErr}, aState))
	s.none(s.y[0].rcq)
	s.message(1, "the first", 0)
	s.ok(s.lib.Modify(s.y[0].qp, harness.QPAttr{State: sReset}, aState))
	s.message(1, "the second", 1)
	// its sender cannot read its own memory: the receive is still there
	bad := s.x[1].sge(0, 8)
	bad.LKey++
	s.x[1].send(harness.SendWR{Opcode: opSend, Flags: signaled, SGEs: []harness.SGE{bad}})
	s.wait(s.x[1].scq, 1)
	s.none(s.y[1].rcq)
	s.end()
}

// Without a receive the sender waits, and gives up.
func TestSharedReceivesRunOut(t *testing.T) {
	s := share(t)
	s.post(0, 1)
	s.message(0, "one", 0)
	s.x[1].send(harness.SendWR{Opcode: opSend, Flags: signaled})
	if wc := s.wait(s.x[1].scq, 1)[0]; wc.Status != wcRNRExc {
		t.Errorf("%+v", wc)
	}
	s.end()
}

func TestResizeKeepsReceives(t *testing.T) {
	s := share(t)
	s.post(0, 12)
	s.message(0, "before", 0)
	s.want(syscall.EINVAL, s.lib.ModifySRQ(s.srq, harness.SRQAttr{MaxWR: 10}, mMaxWR)) // 11 are in it
	s.tells(s.srq, harness.SRQAttr{MaxWR: 15, MaxSGE: 2})
	s.ok(s.lib.ModifySRQ(s.srq, harness.SRQAttr{MaxWR: 40}, mMaxWR))
	s.tells(s.srq, harness.SRQAttr{MaxWR: 63, MaxSGE: 2})
	for id := uint64(1); id < 12; id++ {
		s.message(int(id%2), "after", id)
	}
	s.end()
}

// The event of the limit comes once, when fewer receives are left than that, and holds the queue until it is acknowledged.
func TestSRQLimit(t *testing.T) {
	s := share(t)
	ctx := s.y[0].ctx
	s.ok(unix.SetNonblock(harness.AsyncFD(ctx), true))
	s.ok(s.lib.ModifySRQ(s.srq, harness.SRQAttr{Limit: 3}, mLimit))
	s.post(0, 5)
	s.message(0, "four are left", 0)
	s.message(1, "three are left", 1)
	_, _, err := s.lib.Async(ctx)
	s.want(syscall.EAGAIN, err)
	s.tells(s.srq, harness.SRQAttr{MaxWR: 15, MaxSGE: 2, Limit: 3})
	s.message(0, "two are left", 2)
	typ, element, err := s.lib.Async(ctx)
	if s.ok(err); typ != srqLimit || element != uintptr(s.srq) {
		t.Errorf("event %d of %#x", typ, element)
	}
	s.tells(s.srq, harness.SRQAttr{MaxWR: 15, MaxSGE: 2})
	s.message(1, "one is left", 3)
	_, _, err = s.lib.Async(ctx)
	s.want(syscall.EAGAIN, err)

	go func() {
		time.Sleep(10 * time.Millisecond)
		s.lib.AckAsync(typ, s.srq)
	}()
	s.end() // waits for the acknowledgement
}

// A queue that is left behind with its queue pair goes with the device, and is named.
func TestSRQLeftBehind(t *testing.T) {
	dev := softverbs.New()
	b := &bench{T: t, dev: dev, lib: harness.Load(dev.Symbol)}
	ctx := b.openDevice(0)
	pd, cq := b.must(b.lib.AllocPD(ctx)), b.must(b.lib.CreateCQ(ctx, 4, 0, nil, 0))
	srq := b.srq(pd, 3)
	qp, _, err := b.lib.CreateQP(pd, harness.QPInit{SendCQ: cq, RecvCQ: cq, SRQ: srq, Type: rc})
	b.must(qp, err)
	_, err = b.lib.PostSRQRecv(srq, harness.RecvWR{ID: 1})
	b.ok(err)
	b.lib.CloseDevice(ctx)
	if all := strings.Join(dev.Leaks(), "\n"); !strings.Contains(all, "SRQ (handle 2): left behind") {
		t.Errorf("leaks: %s", all)
	}
	_, err = b.lib.QuerySRQ(srq)
	b.want(syscall.EINVAL, err)
	b.ok(dev.Close())
}

func TestSRQFails(t *testing.T) {
	b := open(t)
	srq := b.srq(b.pd, 3)
	for verb, call := range map[string]func() error{
		"ibv_create_srq":    func() error { _, _, err := b.lib.CreateSRQ(b.pd, harness.SRQAttr{MaxWR: 1}); return err },
		"ibv_modify_srq":    func() error { return b.lib.ModifySRQ(srq, harness.SRQAttr{}, 0) },
		"ibv_query_srq":     func() error { _, err := b.lib.QuerySRQ(srq); return err },
		"ibv_destroy_srq":   func() error { return b.lib.End("ibv_destroy_srq", srq) },
		"ibv_post_srq_recv": func() error { _, err := b.lib.PostSRQRecv(srq, harness.RecvWR{}); return err },
	} {
		b.ok(b.dev.Fail(verb, 1, syscall.ENOSPC))
		if b.want(syscall.ENOSPC, call()); t.Failed() {
			t.Fatal(verb)
		}
	}
	b.ok(b.lib.End("ibv_destroy_srq", srq))
}

//go:build linux && cgo

package softverbs_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

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
	_, err = b.lib.PostSRQRecv(b.srq(pd, 3), harness.RecvWR{ID: 1})
	b.ok(err)
	if n := len(dev.Leaks()); n != 7 {
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
		"SRQ (handle 4): left",
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

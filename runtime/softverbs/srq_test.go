//go:build linux && cgo

package softverbs_test

import (
	"strings"
	"syscall"
	"testing"

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

func TestModifySRQOfFixedSize(t *testing.T) {
	fixed := open(t, softverbs.CapFlags(1<<12))
	srq := fixed.srq(fixed.pd, 10)
	fixed.want(syscall.EINVAL, fixed.lib.ModifySRQ(srq, harness.SRQAttr{MaxWR: 20}, mMaxWR))
	fixed.ok(fixed.lib.ModifySRQ(srq, harness.SRQAttr{Limit: 1}, mLimit))
	fixed.ok(fixed.lib.End("ibv_destroy_srq", srq))
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

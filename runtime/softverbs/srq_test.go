//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

const mMaxWR, mLimit = 1, 2 // enum ibv_srq_attr_mask

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

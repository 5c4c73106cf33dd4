//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// A device without XRC, such as soft-RoCE, makes no sender.
func TestXRCSender(t *testing.T) {
	const sender = 9
	for _, c := range []struct {
		opts []softverbs.Option
		want syscall.Errno
	}{
		{nil, 0},
		{[]softverbs.Option{softverbs.LikeRXE61()}, syscall.EOPNOTSUPP},
		{[]softverbs.Option{softverbs.CapFlags(0)}, syscall.EOPNOTSUPP},
	} {
		b := open(t, c.opts...)
		cq := b.must(b.lib.CreateCQ(b.ctx, 7, 0, nil, 0))
		caps := harness.Caps5{SendWR: 16, RecvWR: 16, SendSGE: 1, RecvSGE: 1}
		qp, got, err := b.lib.CreateQP(b.pd, harness.QPInit{SendCQ: cq, Cap: caps, Type: sender})
		b.want(c.want, err)
		if err == nil {
			if got.RecvWR != 0 || got.RecvSGE != 0 {
				t.Errorf("a sender got room for receives: %+v", got)
			}
			b.ok(b.lib.End("ibv_destroy_qp", qp))
		}
		b.ok(b.lib.End("ibv_destroy_cq", cq))
	}
}

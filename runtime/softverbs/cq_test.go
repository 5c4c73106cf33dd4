//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func TestCreateCQVerdicts(t *testing.T) {
	b := open(t)
	for _, c := range []struct {
		cqe, vector, got int
		want             syscall.Errno
	}{
		{1, 0, 1, 0}, {4, 0, 7, 0}, {32767, 0, 32767, 0}, {0, 0, 0, syscall.EINVAL}, {-1, 0, 0, syscall.EINVAL},
		{32768, 0, 0, syscall.EINVAL}, {4, 99, 0, syscall.EINVAL}, {4, -1, 0, syscall.EINVAL},
	} {
		cq, err := b.lib.CreateCQ(b.ctx, c.cqe, 0, nil, c.vector)
		b.want(c.want, err)
		if err == nil {
			if got := harness.CQE(cq); got != c.got {
				t.Errorf("cqe %d for %d", got, c.cqe)
			}
			b.ok(b.lib.End("ibv_destroy_cq", cq))
			b.want(syscall.EINVAL, b.lib.End("ibv_destroy_cq", cq))
		}
	}
	other := b.openDevice(0)
	ch := b.must(b.lib.CreateChannel(other))
	_, err := b.lib.CreateCQ(b.ctx, 4, 0, ch, 0)
	b.want(syscall.EINVAL, err)
	b.ok(b.lib.End("ibv_destroy_comp_channel", ch))
	b.lib.CloseDevice(other)
}

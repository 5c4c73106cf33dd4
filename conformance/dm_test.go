//go:build linux

package conformance

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestOddCopies asks that a copy which a device refuses for its offset or its length says that these are multiples of 4, however the device
// memory is reached. The error is made once.
func TestOddCopies(t *testing.T) {
	for name, opts := range map[string][]softverbs.Option{"rxe": {softverbs.DMCopyAlign(4)}, "mlx5": {softverbs.LikeMLX5()}} {
		t.Run(name, func(t *testing.T) {
			dm := must(open(t, opts...).dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
			for _, c := range []struct {
				off int64
				n   int
			}{{0, 3}, {2, 4}, {1, 7}} {
				p := make([]byte, c.n)
				for verb, copies := range map[string]func([]byte, int64) (int, error){"ibv_memcpy_to_dm": dm.WriteAt, "ibv_memcpy_from_dm": dm.ReadAt} {
					n, err := copies(p, c.off)
					if n != 0 || !errors.Is(err, syscall.EINVAL) || !strings.HasPrefix(err.Error(), verb) ||
						!strings.Contains(err.Error(), "multiples of 4") {
						t.Errorf("%d bytes at %d: %d, %v", c.n, c.off, n, err)
					}
					if _, again := copies(p, c.off); again != err {
						t.Errorf("%d bytes at %d: the error is made anew", c.n, c.off)
					}
				}
			}
		})
	}
}

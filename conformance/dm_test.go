//go:build linux

package conformance

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestDeviceMemory goes the whole way: allocate, copy, register, and let a peer use the region.
func TestDeviceMemory(t *testing.T) {
	b := open(t)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(4096).LogAlignReq(6)))(t)
	out := bytes.Repeat([]byte("0123456789abcdef"), 256)
	if n, err := dm.WriteAt(out, 0); n != 4096 || err != nil {
		t.Fatalf("WriteAt = %d, %v", n, err)
	}
	back := make([]byte, 4096)
	if n, err := dm.ReadAt(back, 0); n != 4096 || err != nil || !bytes.Equal(back, out) {
		t.Fatalf("ReadAt = %d, %v, equal %t", n, err, bytes.Equal(back, out))
	}
	pd := must(b.dev.AllocPD())(t)
	mr := must(pd.RegDMMR(dm, 0, 4096, verbs.DMAccessZeroBased|verbs.DMAccessLocalWrite|verbs.DMAccessRemoteRead|verbs.DMAccessRemoteWrite))(t)
	if s, err := b.soft.Peer().Write(mr.RKey(), 64, []byte("from a peer.")); s != softverbs.StatusSuccess || err != nil {
		t.Fatalf("peer write: %v, %v", s, err)
	}
	if _, err := dm.ReadAt(back[:12], 64); err != nil || string(back[:12]) != "from a peer." {
		t.Fatalf("after the peer's write: %q, %v", back[:12], err)
	}
	if s, _ := b.soft.Peer().Read(mr.RKey(), 4090, back[:12]); s == softverbs.StatusSuccess {
		t.Error("a peer read past the end")
	}
	if err := dm.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "MR") {
		t.Errorf("Close of a registered DM: %v", err)
	}
}

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

//go:build linux && cgo

package conformance

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// provided opens a software device whose device memory comes from a provider built for the test, as a user would meet
// it: by its name and by what it exports.
func provided(t *testing.T, k fakeprov.Kind) (*bed, *fakeprov.Provider) {
	t.Helper()
	path, err := fakeprov.Build(t.TempDir(), k, true)
	if err != nil {
		t.Fatal(err)
	}
	p := must(fakeprov.Load(path))(t)
	return open(t, softverbs.Override("alloc_dm", p.Op("alloc_dm")), softverbs.Override("free_dm", p.Op("free_dm"))), p
}

// TestDirect goes from AllocDM to WriteAt on a provider that is mlx5 by all that can be seen: the copy is made from Go,
// without its callbacks.
func TestDirect(t *testing.T) {
	for name, k := range map[string]fakeprov.Kind{"MLX5_1.2": fakeprov.MLX5, "MLX5_1.0 alone": fakeprov.MLX5Old} {
		t.Run(name, func(t *testing.T) {
			b, p := provided(t, k)
			dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
			if dm.Mode() != devmem.Direct4 {
				t.Fatalf("mode %v", dm.Mode())
			}
			out := bytes.Repeat([]byte("direct4."), 512)
			if n, err := dm.WriteAt(out, 0); n != len(out) || err != nil {
				t.Fatalf("WriteAt = %d, %v", n, err)
			}
			back := make([]byte, len(out))
			if n, err := dm.ReadAt(back, 0); n != len(back) || err != nil || !bytes.Equal(back, out) {
				t.Fatalf("ReadAt = %d, %v", n, err)
			}
			if err := dm.PutUint32(8, 0x01020304); err != nil {
				t.Error(err)
			}
			if v, err := dm.GetUint32(8); v != 0x01020304 || err != nil {
				t.Errorf("GetUint32 = %#x, %v", v, err)
			}
			if err := dm.PutUint64(12, 0x0102030405060708); err != nil {
				t.Error(err)
			}
			if v, err := dm.GetUint64(12); v != 0x0102030405060708 || err != nil {
				t.Errorf("GetUint64 = %#x, %v", v, err)
			}
			dm.Flush()
			if to, _ := p.Calls(); to != 0 {
				t.Errorf("the write callback ran %d times", to)
			}
			copyErrors(t, dm)
		})
	}
}

// TestShim makes the same copies on a provider that tells no mapping, and on the software device itself.
func TestShim(t *testing.T) {
	b, p := provided(t, fakeprov.Words)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
	if dm.Mode() != devmem.Shim {
		t.Fatalf("mode %v", dm.Mode())
	}
	if _, err := dm.WriteAt(make([]byte, 64), 0); err != nil {
		t.Error(err)
	}
	if to, _ := p.Calls(); to != 1 {
		t.Errorf("the write callback ran %d times, want 1", to)
	}
	copyErrors(t, dm)
	soft := must(open(t).dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
	copyErrors(t, soft)
}

// copyErrors makes copies that must be refused, in the order in which the provider checks: range, then alignment.
func copyErrors(t *testing.T, dm *verbs.DM) {
	t.Helper()
	for _, c := range []struct {
		off  int64
		n    int
		want syscall.Errno
	}{
		{4096, 4, syscall.EFAULT}, {4092, 8, syscall.EFAULT}, {-4, 8, syscall.EFAULT}, {math.MaxInt64 &^ 3, 8, syscall.EFAULT},
		{4095, 3, syscall.EFAULT},
		{2, 4, syscall.EINVAL}, {0, 3, syscall.EINVAL}, {1, 1, syscall.EINVAL},
	} {
		for name, call := range map[string]func([]byte, int64) (int, error){"WriteAt": dm.WriteAt, "ReadAt": dm.ReadAt} {
			n, err := call(make([]byte, c.n), c.off)
			if n != 0 || !errors.Is(err, c.want) && !(c.off < 0 && err != nil) || errors.Is(err, io.EOF) {
				t.Errorf("%v: %s of %d at %d = %d, %v; want %v", dm.Mode(), name, c.n, c.off, n, err, c.want)
			}
		}
	}
	if err := dm.PutUint32(2, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("PutUint32 at 2: %v", err)
	}
	if _, err := dm.GetUint32(4096); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("GetUint32 at the end: %v", err)
	}
}

// TestUntrusted meets providers whose copy callbacks must not be called: each is refused with the reason, and with
// nothing called.
func TestUntrusted(t *testing.T) {
	for _, c := range []struct {
		name string
		kind fakeprov.Kind
		says string
	}{
		{"SW_ICM", fakeprov.MLX5SWICM, "SW_ICM"},
		{"MANA", fakeprov.MANA, "libmana"},
		{"garbage", fakeprov.Garbage, ""},
		{"another object", fakeprov.Elsewhere, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := provided(t, c.kind)
			dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
			if dm.Mode() != devmem.Refused {
				t.Errorf("mode %v", dm.Mode())
			}
			n, err := dm.WriteAt(make([]byte, 64), 0)
			if n != 0 || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("WriteAt = %d, %v; does not say %q", n, err, c.says)
			}
			t.Log(err)
		})
	}
}

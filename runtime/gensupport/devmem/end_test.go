//go:build linux && cgo

package devmem_test

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

// TestEnd copies while a device memory ends, after that failed, and after it succeeded.
func TestEnd(t *testing.T) {
	f := open(t, load(t, fakeprov.MLX5), 64)
	mode := f.Mode()
	during := func(result error) func() error {
		return func() error {
			wantIs(t, second(f.WriteAt(make([]byte, 4), 0)), os.ErrClosed)
			return result
		}
	}
	wantIs(t, f.End("ibv_free_dm", "DM", time.Minute, during(syscall.EBUSY)), syscall.EBUSY)
	if length, known := f.Length(); f.Mode() != mode || length != 64 || !known {
		t.Errorf("after a failure: mode %v, length %d, %t", f.Mode(), length, known)
	}
	if _, err := f.WriteAt(make([]byte, 4), 0); err != nil {
		t.Errorf("a copy after a failure: %v", err)
	}
	if err := f.End("ibv_free_dm", "DM", time.Minute, during(nil)); err != nil || f.Mode() != devmem.Detached {
		t.Errorf("End: %v, mode %v", err, f.Mode())
	}
}

func TestGoneHints(t *testing.T) {
	if got := devmem.GoneHints(syscall.ENOENT); len(got) != 1 ||
		got[0] != "another context has destroyed the memory; give the handle up with Unimport" {
		t.Errorf("ENOENT: %q", got)
	}
	if got := devmem.GoneHints(syscall.EINVAL); got != nil {
		t.Errorf("EINVAL: %q", got)
	}
}

// TestEndDuringUse ends device memory while copies are made: the provider unmaps it, so that a copy that is not over ends the
// process. Long copies are in pieces, between which the memory may go.
func TestEndDuringUse(t *testing.T) {
	const length = 1 << 16
	for _, kind := range []fakeprov.Kind{fakeprov.MLX5, fakeprov.Words} {
		p := load(t, kind)
		for name, do := range map[string]func(d *devmem.DM, p []byte) error{
			"write":      func(d *devmem.DM, p []byte) error { _, err := d.WriteAt(p[:4096], 0); return err },
			"read":       func(d *devmem.DM, p []byte) error { _, err := d.ReadAt(p[:256], 0); return err },
			"long write": func(d *devmem.DM, p []byte) error { _, err := d.WriteAt(p, 0); return err },
			"long read":  func(d *devmem.DM, p []byte) error { _, err := d.ReadAt(p, 0); return err },
			"put":        func(d *devmem.DM, p []byte) error { return d.PutUint32(64, 1) },
			"get":        func(d *devmem.DM, p []byte) error { _, err := d.GetUint32(64); return err },
			"wide":       func(d *devmem.DM, p []byte) error { _, err := d.Wide().WriteAt(p, 0); return err },
			"wide read":  func(d *devmem.DM, p []byte) error { _, err := d.Wide().ReadAt(p, 0); return err },
			"pieces": func(d *devmem.DM, p []byte) error {
				var v [100]devmem.Piece
				for i := range v {
					v[i] = devmem.Piece{Off: int64(i) * 64, At: i * 64, Len: 64}
				}
				_, err := d.WriteV(p, v[:])
				return err
			},
			"mode": func(d *devmem.DM, p []byte) error {
				if n, known := d.Length(); n != length || !known {
					return errors.New("another length")
				}
				if d.Mode() == devmem.Detached {
					return os.ErrClosed
				}
				return nil
			},
		} {
			t.Run(kind.File+" "+name, func(t *testing.T) {
				for range 60 {
					object, err := p.Alloc(length)
					check(t, err)
					var d devmem.DM
					check(t, d.Attach(object, length, true))
					var begun atomic.Bool
					var wg sync.WaitGroup
					wg.Go(func() {
						buf := make([]byte, length)
						for err == nil {
							err = do(&d, buf)
							begun.Store(true)
						}
					})
					for !begun.Load() {
						runtime.Gosched()
					}
					if err := d.End("ibv_free_dm", "DM", time.Minute, func() error { p.Free(object); return nil }); err != nil {
						t.Errorf("End: %v", err)
					}
					wg.Wait()
					if !errors.Is(err, os.ErrClosed) {
						t.Fatalf("the copies end with %v", err)
					}
				}
			})
		}
	}
}

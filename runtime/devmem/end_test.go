//go:build linux && cgo

package devmem_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/devmem"
)

// TestEnd copies while a device memory ends, after that failed, and after it succeeded.
func TestEnd(t *testing.T) {
	f := open(t, load(t, fakeprov.MLX5), 64)
	mode := f.Mode()
	during := func(result error) func() error {
		return func() error {
			if _, err := f.WriteAt(make([]byte, 4), 0); !errors.Is(err, os.ErrClosed) {
				t.Errorf("a copy while the memory ends: %v", err)
			}
			return result
		}
	}
	if err := f.End("ibv_free_dm", during(syscall.EBUSY)); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("End: %v", err)
	}
	if length, known := f.Length(); f.Mode() != mode || length != 64 || !known {
		t.Errorf("after a failure: mode %v, length %d, %t", f.Mode(), length, known)
	}
	if _, err := f.WriteAt(make([]byte, 4), 0); err != nil {
		t.Errorf("a copy after a failure: %v", err)
	}
	if err := f.End("ibv_free_dm", during(nil)); err != nil || f.Mode() != devmem.Detached {
		t.Errorf("End: %v, mode %v", err, f.Mode())
	}
}

func TestGoneHints(t *testing.T) {
	if got := devmem.GoneHints(syscall.ENOENT); len(got) != 1 || got[0] != "another context has destroyed the memory; give the handle up with Unimport" {
		t.Errorf("ENOENT: %q", got)
	}
	if got := devmem.GoneHints(syscall.EINVAL); got != nil {
		t.Errorf("EINVAL: %q", got)
	}
}

//go:build cgo && (amd64 || arm64)

package dl

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestCutShort opens a library of which the end is missing: an error, where the loader alone would let the process die.
func TestCutShort(t *testing.T) {
	var data []byte
	for _, pattern := range []string{"/lib/*/libm.so.6", "/usr/lib/*/libm.so.6", "/lib64/libm.so.6"} {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && len(b) > 1<<16 {
				data = b
			}
		}
	}
	if data == nil {
		t.Skip("no libm.so.6 on this machine to cut short")
	}
	path := filepath.Join(t.TempDir(), "libcut.so.1")
	if err := os.WriteFile(path, data[:len(data)/3], 0o755); err != nil {
		t.Fatal(err)
	}
	err := whole(path, int64(len(data)/3))
	var e *verr.LoadError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("whole: %v", err)
	}
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := whole(path, int64(len(data))); err != nil {
		t.Errorf("a whole library: %v", err)
	}
}

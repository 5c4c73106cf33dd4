//go:build cgo && !asan

package dl

// The address sanitizer has to be the first library of a process, so this is not for it.

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestLinked has a libibverbs in the process that Open did not load, as when a program or another binding links it.
func TestLinked(t *testing.T) {
	linked := fake(t, filepath.Join(t.TempDir(), DefaultName))
	other := fake(t, filepath.Join(t.TempDir(), DefaultName))
	t.Setenv("LD_PRELOAD", linked)
	want := fmt.Sprintf("unsupported=false absent=false load %s: this process has loaded another libibverbs, %s, and what "+
		"depends on it works with that one only; use one libibverbs in a process\n%s release=\"\" %s", other, linked, linked, fine)
	if got := run(t, "", other, "default"); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

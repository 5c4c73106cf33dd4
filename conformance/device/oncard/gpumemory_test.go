//go:build linux && cgo

package oncard

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
)

// TestGPUMemory runs the example of memory of GPUs on the real libmlx5, with memfds, which the card takes for dma-bufs.
func TestGPUMemory(t *testing.T) {
	program := filepath.Join(t.TempDir(), "gpumemory")
	build := exec.Command("go", "build", "-o", program, "github.com/verbsgen/verbsgen/examples/gpumemory")
	build.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "LD_PRELOAD=") })
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	said, err := exec.Command(program, "-device", card.Devices[0], "-memory", "memfd").CombinedOutput()
	if want := "\"from one GPU to another\" is in the other memfd, by RDMA WRITE\n"; err != nil || string(said) != want {
		t.Errorf("%v: %q, want %q", err, said, want)
	}
}

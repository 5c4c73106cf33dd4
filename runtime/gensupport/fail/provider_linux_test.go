package fail

import (
	"os"
	"path/filepath"
	"testing"
)

// real stands for a library that was loaded from a file.
type real struct{}

func (real) Path() string { return "/usr/lib/libibverbs.so.1" }

// TestDivisor passes 1 in place of 0 to the provider that divides by it, and leaves all other numbers, devices and libraries alone.
func TestDivisor(t *testing.T) {
	sys := t.TempDir()
	t.Setenv("SYSFS_PATH", sys)
	for device, driver := range map[string]string{"a": "efa", "b": "mlx5_core"} {
		at := filepath.Join(sys, "class/infiniband", device, "device")
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../drivers/"+driver, filepath.Join(at, "driver")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		src     any
		device  string
		n, want uint32
	}{{real{}, "a", 0, 1}, {real{}, "a", 3, 3}, {real{}, "b", 0, 0}, {real{}, "c", 0, 0}, {nil, "a", 0, 0}} {
		if got := Divisor(c.src, c.device, "efa", c.n); got != c.want {
			t.Errorf("%T, device %s: %d is passed as %d, want %d", c.src, c.device, c.n, got, c.want)
		}
	}
}

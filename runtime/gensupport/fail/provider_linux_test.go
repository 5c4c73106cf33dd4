package fail

import (
	"os"
	"path/filepath"
	"strings"
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

// TestABI compares the version of a kernel driver's interface with those that its provider takes.
func TestABI(t *testing.T) {
	for _, c := range []struct{ provider, version, want string }{
		{"mlx5", "1", ""}, {"irdma", "5", ""}, {"irdma", "", ""}, {"hns", "99", ""},
		{"irdma", "6", "the kernel's driver has version 6 of its interface (abi_version), and the provider irdma takes 0 to 5; install "},
		{"qedr", "9", "the kernel's driver has version 9 of its interface (abi_version), and the provider qedr takes 8 to 8; install "},
	} {
		if got := abiText(c.provider, c.version); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

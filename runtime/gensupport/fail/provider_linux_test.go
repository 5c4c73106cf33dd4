package fail

import (
	"errors"
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
	driver(t, sys, "a", "efa")
	driver(t, sys, "b", "mlx5_core")
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
	for _, c := range []struct{ provider, version, vendors, want string }{
		{"mlx5", "1", "x", ""}, {"irdma", "5", "", ""}, {"irdma", "", "", ""}, {"hns", "99", "", ""},
		{"irdma", "6", "", "the kernel's driver has version 6 of its interface (abi_version), and the provider irdma takes 0 to 5; install the " +
			"rdma-core that belongs to the driver, or the driver of the kernel"},
		{"mlx5", "2", "mlx5_core 5.8-1.0.1, of MLNX_OFED or DOCA", "the kernel's driver has version 2 of its interface (abi_version), and the " +
			"provider mlx5 takes 1 to 1; the driver is mlx5_core 5.8-1.0.1, of MLNX_OFED or DOCA: install their libibverbs and providers"},
	} {
		if got := abiText(c.provider, c.version, c.vendors); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// leftOut is a system with the provider of a device that libibverbs leaves out, and more files of sysfs.
func leftOut(t *testing.T, sys map[string]string) system {
	t.Helper()
	files := map[string]string{"conf/mlx5.driver": "driver mlx5", "lib/libibverbs/libmlx5-rdmav34.so": ""}
	for name, text := range sys {
		files["sys/"+name] = text
	}
	root := folder(t, files)
	driver(t, filepath.Join(root, "sys"), "mlx5_0", "mlx5_core")
	return system{sysfs: filepath.Join(root, "sys"), conf: filepath.Join(root, "conf"), library: filepath.Join(root, "lib/libibverbs.so.1")}
}

// driver gives a device its driver in sysfs.
func driver(t *testing.T, sys, device, name string) {
	t.Helper()
	at := filepath.Join(sys, "class/infiniband", device, "device")
	check(t, errors.Join(os.MkdirAll(at, 0o755), os.Symlink("../drivers/"+name, filepath.Join(at, "driver"))))
}

// TestUnlistedABI compares the versions of a device that libibverbs leaves out, although its provider is installed.
func TestUnlistedABI(t *testing.T) {
	for version, want := range map[string]string{
		"1": "its node can be opened and its provider (mlx5, of the kernel's driver mlx5_core) is installed; its warnings",
		"2": "the kernel's driver has version 2 of its interface (abi_version), and the provider mlx5 takes 1 to 1; install the rdma-core",
		"":  "its node can be opened and its provider",
	} {
		s := leftOut(t, map[string]string{"class/infiniband_verbs/uverbs0/abi_version": version})
		if got := s.provider("mlx5_0", "uverbs0"); !strings.HasPrefix(got, want) {
			t.Errorf("version %q: %q, want %q", version, got, want)
		}
	}
}

// TestVendors tells the drivers of MLNX_OFED and DOCA from those of Linux by the versions of their modules, and names them when libibverbs
// leaves a device out.
func TestVendors(t *testing.T) {
	const vendors = "; its driver is mlx5_core 25.04-0.6.0, of MLNX_OFED or DOCA: libibverbs and its providers must be theirs, too (the " +
		"version of the package has mlnx)"
	for version, want := range map[string]string{
		"25.04-0.6.0": vendors, "5.8-1.0.1": strings.Replace(vendors, "25.04-0.6.0", "5.8-1.0.1", 1),
		"": "", "5.0-0": "", "5.4.0-216-generic": "", "6.12.107+deb13-amd64": "", "5.10.0-16": "",
	} {
		s := leftOut(t, map[string]string{"module/mlx5_core/version": version, "class/infiniband_verbs/uverbs0/abi_version": "1"})
		if got, want := s.provider("mlx5_0", "uverbs0"), "(IBV_SHOW_WARNINGS=1 for more)"+want; !strings.HasSuffix(got, want) {
			t.Errorf("version %q: %q, want %q at its end", version, got, want)
		}
	}
}

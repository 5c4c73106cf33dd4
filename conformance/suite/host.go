//go:build linux

package suite

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
)

// emulated returns the kernel's release that conformance/card emulates. It is empty if the device is not one of that.
func emulated(device string) string {
	text, err := os.ReadFile(sysfs.Path("class/infiniband", device, "device/emulated"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// kernelRelease returns the kernel's release, or the one that conformance/card emulates. It is empty if uname fails.
func kernelRelease(device string) string {
	if release := emulated(device); release != "" {
		return release + " (emulated, and the card too)"
	}
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// hostName is empty for a machine without a name, and where all that a report is about is emulated.
func hostName(kernel string) string {
	name, _ := os.Hostname()
	if name == "(none)" || strings.Contains(kernel, "(emulated") {
		return ""
	}
	return name
}

// provider names the kernel driver of a device, by what sysfs shows of it.
func provider(name string) string {
	dir := sysfs.Path("class/infiniband", name)
	if driver, err := os.Readlink(filepath.Join(dir, "device", "driver")); err == nil {
		return filepath.Base(driver)
	}
	if _, err := os.Stat(filepath.Join(dir, "parent")); err == nil { // the network device below soft-RoCE
		return "rdma_rxe"
	}
	return strings.TrimRight(name, "0123456789_")
}

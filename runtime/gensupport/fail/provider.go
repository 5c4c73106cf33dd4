package fail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// providers are the providers of kernel drivers whose names differ.
var providers = map[string]string{
	"mlx5_core": "mlx5", "mlx4_core": "mlx4", "bnxt_en": "bnxt_re", "iw_cxgb4": "cxgb4", "hfi1": "hfi1verbs", "hns3": "hns",
	"hns_roce_hw_v2": "hns", "ice": "irdma", "i40e": "irdma", "ib_mthca": "mthca", "qede": "qedr", "be2net": "ocrdma", "ib_qib": "ipathverbs",
}

// abis are the versions of its kernel driver's interface that a provider takes, of those that look at it (match_min_abi_version and
// match_max_abi_version in providers/* of rdma-core 65.0).
var abis = map[string][2]uint64{
	"bnxt_re": {1, 1}, "efa": {1, 1}, "erdma": {0, 1}, "irdma": {0, 5}, "mana": {1, 1}, "mlx4": {2, 4}, "mlx5": {1, 1}, "ocrdma": {2, 2},
	"qedr": {8, 8}, "rxe": {1, 2}, "siw": {1, 1}, "vmw_pvrdma": {3, 3},
}

// ofVendor matches the versions of modules of MLNX_OFED and DOCA: 25.04-0.6.0. Those of Linux have none, or 5.0-0 in older kernels.
var ofVendor = regexp.MustCompile(`^[0-9]+\.[0-9]+-[0-9]+(\.[0-9]+)+$`)

// vendors names a kernel's driver that is that of MLNX_OFED or DOCA; it is empty for other drivers.
func (s system) vendors(driver string) string {
	if version := line(s.sysfs, "module", driver, "version"); strings.HasPrefix(driver, "mlx") && ofVendor.MatchString(version) {
		return driver + " " + version + ", of MLNX_OFED or DOCA"
	}
	return ""
}

// abiText says that a provider does not take the version of the kernel's driver, as sysfs has it. vendors names a driver of a vendor.
func abiText(provider, version, vendors string) string {
	n, err := strconv.ParseUint(version, 10, 64)
	takes, known := abis[provider]
	if err != nil || !known || n >= takes[0] && n <= takes[1] {
		return ""
	}
	do := "install the rdma-core that belongs to the driver, or the driver of the kernel"
	if vendors != "" {
		do = "the driver is " + vendors + ": install their libibverbs and providers"
	}
	return fmt.Sprintf("the kernel's driver has version %d of its interface (abi_version), and the provider %s takes %d to %d; %s", n,
		provider, takes[0], takes[1], do)
}

const packages = "install its provider (Debian, Ubuntu: ibverbs-providers; Fedora, RHEL: libibverbs)"

// provider says what is missing of the provider of a device whose node can be opened.
func (s system) provider(device, char string) string {
	name, driver := s.driver(device, char)
	if name == "" {
		return "its node can be opened, so no provider in " + s.conf + " fits it; " + packages
	}
	of := name
	if driver != "" && driver != name {
		of += ", of the kernel's driver " + driver
	}
	if !s.configured(name) {
		return "no file of " + s.conf + " names its provider (" + of + "); " + packages
	}
	if s.library != "" {
		folder := filepath.Join(filepath.Dir(s.library), "libibverbs")
		pattern := "lib" + name + "-rdmav*.so"
		if found, _ := filepath.Glob(filepath.Join(folder, pattern)); len(found) == 0 {
			return "there is no " + filepath.Join(folder, pattern) + ", the provider of its driver (" + of + "); " + packages
		}
	}
	vendors := s.vendors(driver)
	if text := abiText(name, line(s.class(char), "abi_version"), vendors); text != "" {
		return text
	}
	text := "its node can be opened and its provider (" + of + ") is installed; its warnings on stderr say why (IBV_SHOW_WARNINGS=1 for more)"
	if vendors != "" {
		text += "; its driver is " + vendors + ": libibverbs and its providers must be theirs, too (the version of the package has mlnx)"
	}
	return text
}

// OpenQP returns the error of a queue pair that must not be opened: libmlx5 makes a handle that it cannot destroy. It does so in
// rdma-core 44.0, 56.1 and 65.0: mlx5_destroy_qp gives the doorbell record, which such a handle does not have, to mlx5_free_db.
func OpenQP(verb string, src any, device string) error {
	if !Is(src, device, "mlx5") {
		return nil
	}
	return &verr.Error{Verb: verb, Refused: true, Err: errors.ErrUnsupported,
		Msg: "libmlx5 ends the process when a handle of this call is closed; use the queue pair by the handle that made it"}
}

// Singly returns the bit that readers of completions have beside their fields on a device whose completions have to be read one at a
// time, each with a start and an end: soft-RoCE. In rdma-core before 55.0 its ibv_end_poll skips an entry when ibv_next_poll has found
// none (providers/rxe/rxe.c), and the queue is full of completions that never were.
func Singly(src any, device string) uint64 {
	if Is(src, device, "rxe") {
		return 1 << 63
	}
	return 0
}

// Divisor returns n, or 1 in place of 0 on a device of the provider, which divides by n without looking at it. libefa ends the process so
// when a queue pair that only sends has no elements for receives (providers/efa/verbs.c, efa_setup_qp).
func Divisor[T uint8 | uint16 | uint32 | uint64](src any, device, provider string, n T) T {
	if n == 0 && Is(src, device, provider) {
		return 1
	}
	return n
}

// Is reports whether a device is one of the provider, as far as sysfs says.
func Is(src any, device, provider string) bool {
	s, ok := systemOf(src)
	if !ok {
		return false
	}
	of, _ := s.driver(device, "")
	return of == provider
}

// driver returns the provider of a device and the kernel's driver, from sysfs; both are empty where it does not say.
func (s system) driver(device, char string) (provider, driver string) {
	if _, err := os.Stat(filepath.Join(s.sysfs, "class/infiniband", device, "parent")); err == nil && device != "" {
		return "rxe", "" // whatever its name and the driver of its network interface; no other driver has this file
	}
	for _, at := range []string{s.class(char), filepath.Join(s.sysfs, "class/infiniband", device)} {
		if link, err := os.Readlink(filepath.Join(at, "device/driver")); err == nil {
			driver = filepath.Base(link)
			if p, ok := providers[driver]; ok {
				return p, driver
			}
			return driver, driver
		}
	}
	for _, soft := range []string{"rxe", "siw"} { // they have no hardware, and are called so
		if strings.HasPrefix(device, soft) {
			return soft, ""
		}
	}
	return "", ""
}

// configured reports whether a file of the configuration names a provider.
func (s system) configured(provider string) bool {
	for _, file := range names(s.conf) {
		text, _ := os.ReadFile(filepath.Join(s.conf, file))
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) == 2 && f[0] == "driver" && filepath.Base(f[1]) == provider {
				return true
			}
		}
	}
	return false
}

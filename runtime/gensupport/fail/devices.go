package fail

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Unlisted explains why libibverbs does not list a device that the kernel has: the wanted one, or if the kernel does not have that, all
// that are not in listed. It returns "" if there are none, and for a source that is not a real library.
func Unlisted(src any, wanted string, listed []string) string {
	s, ok := systemOf(src)
	if !ok {
		return ""
	}
	return s.unlisted(wanted, listed)
}

func (s system) unlisted(wanted string, listed []string) string {
	chars := s.chars()
	for _, device := range names(filepath.Join(s.sysfs, "class/infiniband")) {
		if _, ok := chars[device]; !ok {
			chars[device] = ""
		}
	}
	missing := []string{wanted}
	if _, ok := chars[wanted]; !ok {
		missing = slices.DeleteFunc(slices.Sorted(maps.Keys(chars)), func(d string) bool { return slices.Contains(listed, d) })
	}
	var whys []string
	of := map[string][]string{} // devices, by their cause
	for _, device := range missing[:min(len(missing), mostNamed)] {
		why := s.whyUnlisted(device, chars[device])
		if len(of[why]) == 0 {
			whys = append(whys, why)
		}
		of[why] = append(of[why], device)
	}
	for i, why := range whys {
		whys[i] = "libibverbs leaves out " + strings.Join(of[why], ", ") + ", which the kernel has: " + why
	}
	return strings.Join(whys, "; ")
}

// chars returns the verbs nodes that sysfs has, by the name of the device.
func (s system) chars() map[string]string {
	out := map[string]string{}
	for _, char := range names(filepath.Join(s.sysfs, "class/infiniband_verbs")) {
		if device, err := os.ReadFile(filepath.Join(s.class(char), "ibdev")); err == nil {
			out[strings.TrimSpace(string(device))] = char
		}
	}
	return out
}

func (s system) class(char string) string {
	return filepath.Join(s.sysfs, "class/infiniband_verbs", char)
}

// whyUnlisted returns the first cause that it finds, in the order in which libibverbs needs things.
func (s system) whyUnlisted(device, char string) string {
	if char == "" {
		return "it has no verbs node (" + filepath.Join(s.sysfs, "class/infiniband_verbs") + "); load the module ib_uverbs"
	}
	if _, text := s.tryNode(char, "ib_uverbs", s.class(char)); text != "" {
		return text
	}
	return s.provider(device, char)
}

// NotOpened returns the error of ibv_open_device, which failed with errno. libibverbs looks for the node in several places, and its errno
// is that of the last one; the error has the errno of the node.
func NotOpened(verb string, src any, device, char string, errno syscall.Errno) error {
	if s, ok := systemOf(src); ok && char != "" {
		if at, text := s.tryNode(char, "ib_uverbs", s.class(char)); text != "" {
			return &verr.Error{Verb: verb, Errno: at, Msg: "device " + device + ": " + text}
		}
	}
	return Failed(verb, errno, nil)
}

// NoRDMA explains why libibverbs finds no RDMA in the kernel (ENOSYS).
func NoRDMA(src any) string {
	s, ok := systemOf(src)
	if !ok {
		return ""
	}
	class := filepath.Join(s.sysfs, "class/infiniband_verbs")
	devices := names(filepath.Join(s.sysfs, "class/infiniband"))
	_, here := os.Stat(filepath.Join(class, "abi_version"))
	_, mounted := os.Stat(filepath.Join(s.sysfs, "class"))
	switch {
	case here == nil:
		return "there is RDMA in the kernel (" + class + "), but libibverbs could not use it"
	case mounted != nil:
		return "there is no " + filepath.Join(s.sysfs, "class") + ", where the kernel lists its devices; mount sysfs (in a container, start it " +
			"with /sys)"
	case len(devices) > 0:
		return "the kernel has " + strings.Join(devices, ", ") + ", but no " + class + "; load the module ib_uverbs"
	}
	return "the kernel has no RDMA (there is no " + class + "); load the modules of the device and ib_uverbs"
}

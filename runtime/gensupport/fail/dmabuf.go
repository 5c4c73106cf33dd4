package fail

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// DMABuf is a mem.DMABuf: package mem uses this one.
type DMABuf struct {
	FD             int
	Offset, Length uint64
}

// errnoNotSupp is ENOTSUPP of the kernel, as drivers and exporters return it.
const errnoNotSupp syscall.Errno = 524

// Explain says what is wrong with the descriptor, or which side cannot do it. src is the source of functions.
func (b DMABuf) Explain(src any, errno syscall.Errno) []string {
	return b.explain(src, errno, "/proc/self")
}

// explain does so by the folder of the process in /proc.
func (b DMABuf) explain(src any, errno syscall.Errno, proc string) []string {
	sys, kernel := systemOf(src)
	fd := strconv.Itoa(b.FD)
	file, err := os.Readlink(filepath.Join(proc, "fd", fd))
	info := line(proc, "fdinfo", fd)
	if err != nil {
		if errno == syscall.EBADF {
			return []string{fmt.Sprintf("fd %d is not open; keep it open until the region is registered", b.FD)}
		}
		return nil // without /proc
	}
	exporter := field(info, "exp_name")
	size, sized := b.size(filepath.Join(proc, "fd", fd), info)
	if errno == syscall.EINVAL && kernel && exporter == "" && !strings.HasPrefix(file, "/dmabuf:") {
		return []string{fmt.Sprintf("fd %d is %s, not a dma-buf; pass a descriptor that the driver of the memory exported", b.FD, file)}
	}
	if errno == syscall.EINVAL && sized && (b.Offset > size || b.Length > size-b.Offset) {
		return []string{fmt.Sprintf("the dma-buf has %d bytes, and the region is to have %d from offset %d on; register less", size, b.Length,
			b.Offset)}
	}
	if !kernel {
		return nil
	}
	return texts(unable(errno, exporter, line(filepath.Dir(proc), "sys", "kernel", "osrelease"), sys.sysfs))
}

// size is the size of the dma-buf, or of the file that stands for one on a software device.
func (b DMABuf) size(path, info string) (size uint64, known bool) {
	if n, err := strconv.ParseUint(field(info, "size"), 10, 64); err == nil {
		return n, true
	}
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		return uint64(st.Size()), true
	}
	return 0, false
}

// unable says who may be unable to share the memory. release is that of the kernel.
func unable(errno syscall.Errno, exporter, release, sysfs string) string {
	of := "the exporter of the dma-buf"
	if exporter != "" {
		of += " (" + exporter + ")"
	}
	switch errno {
	case errnoNotSupp:
		return of + " cannot share this memory with the device: they may be behind different PCI host bridges, or the memory cannot move; " +
			"look at the topology (nvidia-smi topo -m), or copy through host memory"
	case syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EPROTONOSUPPORT:
		who := "the driver of the device, or " + of + ", knows no dma-bufs"
		if older(release, 5, 12) {
			who = "Linux " + release + " may be too old, as dma-bufs came with 5.12; or " + who
		}
		return who + byAddress(exporter, sysfs)
	}
	return ""
}

// byAddress says how else the memory of a GPU of NVIDIA can be registered. An exporter that is not known may be its driver.
func byAddress(exporter, sysfs string) string {
	if exporter != "" && exporter != "nv_dmabuf" {
		return "; copy through host memory"
	}
	if _, err := os.Stat(filepath.Join(sysfs, "module", "nvidia_peermem")); err == nil {
		return "; the module nvidia-peermem is loaded: CUDA memory can be registered by its address (RegMRFrom)"
	}
	return "; load nvidia-peermem and register CUDA memory by its address (RegMRFrom), or copy through host memory"
}

// older reports whether a release of Linux is known to be older than major.minor.
func older(release string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(release, "%d.%d", &a, &b); n != 2 {
		return false
	}
	return a < major || a == major && b < minor
}

// field is a value of a file in fdinfo, whose lines are NAME:, a tab and the value.
func field(info, name string) string {
	for l := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(l, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

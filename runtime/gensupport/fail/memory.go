package fail

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// writable are the access flags of regions that a device may write to: LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC and MW_BIND. The kernel
// then pins the pages as one who writes to them.
const writable = 1 | 2 | 8 | 16

// onDemand is the access flag ON_DEMAND, with which no page is pinned.
const onDemand = 1 << 6

// MemoryHints explains why memory could not be registered with a device.
func MemoryHints(src any, device string, errno syscall.Errno, addr, length, access uint64) []string {
	var hint string
	switch errno {
	case syscall.ENOMEM:
		pinned := pages(addr, length)
		hint = memlockHint(pinned)
		if soft, ok := src.(interface {
			Memlock(device string) (limit, pinned uint64)
		}); ok {
			limit, before := soft.Memlock(device)
			hint = memlockText(limit, limit == 0, memState{pinned: before / 1024}, pinned)
		}
	case syscall.EFAULT, syscall.EINVAL, syscall.EOPNOTSUPP:
		hint = mappings(errno, addr, length, access)
	}
	return texts(hint)
}

// pages returns how many bytes the pages of memory have, unknownSize if the length is not known or reaches the end of the address space.
func pages(addr, length uint64) uint64 {
	page := PageSize()
	end := addr + length + page - 1
	if length == 0 || end < addr || end < length {
		return unknownSize
	}
	return end&^(page-1) - addr&^(page-1)
}

// mapping is a part of the address space of the process.
type mapping struct {
	from, to uint64
	perms    string // "rw-p"
	path     string
}

// wrong says what is wrong with the first part of a range whose pages cannot be pinned; "" if it finds nothing. Other
// errnos than EFAULT say something of special mappings alone.
func wrong(maps []mapping, errno syscall.Errno, addr, length, access uint64) string {
	end := addr + length
	if end < addr {
		return ""
	}
	at := addr
	for _, m := range maps {
		if m.to <= at {
			continue
		}
		if m.from > at || at >= end {
			break
		}
		if text := m.wrong(errno, access); text != "" {
			return fmt.Sprintf("bytes 0x%x to 0x%x of it are ", max(m.from, addr), min(m.to, end)-1) + text
		}
		at = m.to
	}
	if at >= end || errno != syscall.EFAULT {
		return ""
	}
	to := end
	for _, m := range maps {
		if m.from > at {
			to = min(to, m.from)
			break
		}
	}
	return fmt.Sprintf("bytes 0x%x to 0x%x of it are not mapped; register memory that is mapped, and keep it so until the region is closed",
		at, to-1)
}

func (m mapping) wrong(errno syscall.Errno, access uint64) string {
	if text := m.special(); text != "" || errno == syscall.EINVAL {
		return text
	}
	named := ""
	if m.path != "" {
		named = " (" + m.path + ")"
	}
	file := m.path != "" && m.path[0] == '/'
	switch {
	case errno == syscall.EOPNOTSUPP && file && access&onDemand == 0 && !withoutDAX(m.path):
		return "a mapping of a file" + named + ", which the kernel does not pin for long on a file system with dax; register it ON_DEMAND, or " +
			"use other memory"
	case errno == syscall.EOPNOTSUPP:
		return ""
	case m.perms[0] != 'r':
		return "mapped without read permission" + named + "; map them with PROT_READ"
	case m.perms[1] != 'w' && access&writable != 0:
		return "mapped read-only" + named + "; register them without LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC and MW_BIND, or map them with " +
			"PROT_WRITE"
	case m.perms[3] == 's' && file:
		return "a shared mapping of a file" + named + ": pages behind its end cannot be registered, and newer kernels let no device write to " +
			"a file on disk; register no more than the file has, map it MAP_PRIVATE, or use a file of tmpfs or hugetlbfs"
	case file:
		return "a mapping of a file" + named + ", and pages behind its end cannot be registered; register no more than the file has"
	}
	return ""
}

// special says which device's, or the kernel's, memory is mapped, of which the kernel pins no page (mm/gup.c, check_vma_flags).
func (m mapping) special() string {
	is := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(m.path, p) })
	}
	switch {
	case is("/dev/nvidia", "/dev/dri/", "/dev/kfd", "/dev/accel/"):
		return "memory of a GPU (" + m.path + "); export it as a dma-buf and register that by RegDMABufMR"
	case is("/sys/") && strings.Contains(m.path, "/resource"), is("/dev/mem", "/dev/vfio/", "/dev/uio", "/dev/infiniband/"):
		return "memory of a device (" + m.path + "), which the kernel does not pin; where its driver exports a dma-buf, register that by " +
			"RegDMABufMR"
	case is("[vvar", "[vsyscall"):
		return "the kernel's own (" + m.path + "), which it does not pin; copy what is there"
	case is("/secretmem", "/memfd:secret"):
		return "secret memory (memfd_secret), which the kernel does not pin; use a memfd"
	}
	return ""
}

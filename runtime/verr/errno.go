package verr

import (
	"cmp"
	"strconv"
	"syscall"
)

// ErrnoName returns the C name of an errno, "EINVAL", or "errno 4711" for one without a name.
func ErrnoName(errno syscall.Errno) string {
	if name := cmp.Or(names[errno], systemName(errno)); name != "" {
		return name
	}
	return "errno " + strconv.Itoa(int(errno))
}

// names are those of the errnos that verbs are known to answer, first of all those with two names on some system: the one that manual
// pages and libibverbs use is given.
var names = map[syscall.Errno]string{
	syscall.EOPNOTSUPP: "EOPNOTSUPP", syscall.EAGAIN: "EAGAIN", syscall.EINVAL: "EINVAL", syscall.ENOMEM: "ENOMEM", syscall.ENOSYS: "ENOSYS",
	syscall.EPROTONOSUPPORT: "EPROTONOSUPPORT", syscall.EBUSY: "EBUSY", syscall.EFAULT: "EFAULT", syscall.EPERM: "EPERM",
	syscall.EACCES: "EACCES", syscall.ENOENT: "ENOENT", syscall.ENODEV: "ENODEV", syscall.ENOSPC: "ENOSPC", syscall.EIO: "EIO",
	errnoNotSupp: "ENOTSUPP",
}

// errnoNotSupp is ENOTSUPP of the kernel, which is not meant for programs, and which some drivers and exporters of dma-bufs return all the
// same (include/linux/errno.h).
const errnoNotSupp syscall.Errno = 524

// errnoText returns "invalid argument (EINVAL)".
func errnoText(errno syscall.Errno) string {
	if errno == errnoNotSupp {
		return "operation not supported by the driver (ENOTSUPP)"
	}
	return errno.Error() + " (" + ErrnoName(errno) + ")"
}

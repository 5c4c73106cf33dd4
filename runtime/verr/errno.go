package verr

import (
	"strconv"
	"syscall"
)

// ErrnoName returns the C name of an errno, "EINVAL", or "errno 4711" for one without a name.
func ErrnoName(errno syscall.Errno) string {
	if name := rdmaName(errno); name != "" {
		return name
	}
	if name := systemName(errno); name != "" {
		return name
	}
	return "errno " + strconv.Itoa(int(errno))
}

// rdmaName names the errnos that verbs are known to answer, first of all those with two names on some system: the one
// that manual pages and libibverbs use is given.
func rdmaName(errno syscall.Errno) string {
	switch errno {
	case syscall.EOPNOTSUPP:
		return "EOPNOTSUPP"
	case syscall.EAGAIN:
		return "EAGAIN"
	case syscall.EINVAL:
		return "EINVAL"
	case syscall.ENOMEM:
		return "ENOMEM"
	case syscall.ENOSYS:
		return "ENOSYS"
	case syscall.EPROTONOSUPPORT:
		return "EPROTONOSUPPORT"
	case syscall.EBUSY:
		return "EBUSY"
	case syscall.EFAULT:
		return "EFAULT"
	case syscall.EPERM:
		return "EPERM"
	case syscall.EACCES:
		return "EACCES"
	case syscall.ENOENT:
		return "ENOENT"
	case syscall.ENODEV:
		return "ENODEV"
	case syscall.ENOSPC:
		return "ENOSPC"
	case syscall.EIO:
		return "EIO"
	}
	if errno == errnoNotSupp {
		return "ENOTSUPP"
	}
	return ""
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

// The error numbers are enumerators and not macros, so that the name survives in the bodies of inline functions.
#ifndef VG_ERRNO_H
#define VG_ERRNO_H

extern int errno;

enum {
	EPERM = 1,
	ENOENT = 2,
	EINTR = 4,
	EIO = 5,
	ENXIO = 6,
	EBADF = 9,
	EAGAIN = 11,
	ENOMEM = 12,
	EACCES = 13,
	EFAULT = 14,
	EBUSY = 16,
	EEXIST = 17,
	ENODEV = 19,
	EINVAL = 22,
	ENFILE = 23,
	EMFILE = 24,
	ENOSPC = 28,
	ERANGE = 34,
	ENOSYS = 38,
	ENODATA = 61,
	EPROTO = 71,
	EOVERFLOW = 75,
	EMSGSIZE = 90,
	EPROTONOSUPPORT = 93,
	EOPNOTSUPP = 95,
	ENOTSUP = 95,
	ETIMEDOUT = 110
};

#endif

// The calls of the C library that libibverbs and its providers reach their device with. LD_PRELOAD puts these before glibc's.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <linux/netlink.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cm/cm.h"
#include "libc/config.h"
#include "libc/file.h"
#include "uverbs/provider.h"
#include "wire/wire.h"

#define EXPORT __attribute__((visibility("default")))
#define MOVED(path) config_path(path, (char[PATH_MAX]){0})

// REAL declares glibc's function, which it looks up once.
#define REAL(name) static __typeof__(name) *glibc; glibc = glibc ? glibc : dlsym(RTLD_NEXT, #name)

static int open_path(int folder, const char *path, int flags, mode_t mode)
{
	int device = file_device(path);

	if (cm_is(path))
		return cm_open(flags);
	return device < 0 ? (int)syscall(SYS_openat, folder, MOVED(path), flags, mode) : file_open(device, flags);
}

// A mode follows the flags only if the call can make a file.
#define MODE(flags) ({ \
	va_list args; \
	mode_t mode; \
	va_start(args, flags); \
	mode = (flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0; \
	va_end(args); \
	mode; \
})

EXPORT int open(const char *path, int flags, ...)
{
	return open_path(AT_FDCWD, path, flags, MODE(flags));
}

EXPORT int open64(const char *path, int flags, ...) __attribute__((alias("open")));

EXPORT int openat(int folder, const char *path, int flags, ...)
{
	return open_path(folder, path, flags, MODE(flags));
}

EXPORT int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));

// Programs that were compiled with _FORTIFY_SOURCE call these.
EXPORT int __open_2(const char *path, int flags)
{
	return open_path(AT_FDCWD, path, flags, 0);
}

EXPORT int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));

// stat_of makes st that of a device, or of the connection manager.
static void stat_of(int device, struct stat *st)
{
	if (device < 0)
		cm_stat(st);
	else
		file_stat(device, st);
}

EXPORT int fstatat(int folder, const char *path, struct stat *st, int flags)
{
	int device = file_device(path);

	if (device < 0 && !cm_is(path))
		return (int)syscall(SYS_newfstatat, folder, MOVED(path), st, flags);
	memset(st, 0, sizeof *st);
	stat_of(device, st);
	return 0;
}

EXPORT int stat(const char *path, struct stat *st)
{
	return fstatat(AT_FDCWD, path, st, 0);
}

EXPORT int lstat(const char *path, struct stat *st)
{
	return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int fstatat64(int folder, const char *path, struct stat64 *st, int flags) __attribute__((alias("fstatat")));
EXPORT int stat64(const char *path, struct stat64 *st) __attribute__((alias("stat")));
EXPORT int lstat64(const char *path, struct stat64 *st) __attribute__((alias("lstat")));

EXPORT int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *to)
{
	struct stat st = {0};
	int device = file_device(path);

	if (device < 0 && !cm_is(path))
		return (int)syscall(SYS_statx, folder, MOVED(path), flags, mask, to);
	memset(to, 0, sizeof *to);
	stat_of(device, &st);
	to->stx_mask = STATX_TYPE | STATX_MODE | STATX_INO;
	to->stx_mode = (uint16_t)st.st_mode;
	to->stx_ino = st.st_ino;
	to->stx_rdev_major = major(st.st_rdev);
	to->stx_rdev_minor = minor(st.st_rdev);
	return 0;
}

EXPORT int faccessat(int folder, const char *path, int mode, int flags)
{
	if (file_device(path) >= 0 || cm_is(path))
		return mode & X_OK ? (errno = EACCES, -1) : 0;
	return (int)syscall(flags ? SYS_faccessat2 : SYS_faccessat, folder, MOVED(path), mode, flags);
}

EXPORT int access(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, 0);
}

EXPORT ssize_t readlink(const char *path, char *to, size_t n)
{
	return syscall(SYS_readlinkat, AT_FDCWD, MOVED(path), to, n);
}

EXPORT char *realpath(const char *path, char *to)
{
	REAL(realpath);

	return glibc(MOVED(path), to);
}

EXPORT int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
	int (*compare)(const struct dirent **, const struct dirent **))
{
	REAL(scandir);

	return glibc(MOVED(path), list, filter, compare);
}

EXPORT DIR *opendir(const char *path)
{
	REAL(opendir);

	return glibc(MOVED(path));
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	REAL(fopen);

	return glibc(MOVED(path), mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

EXPORT int fstat(int fd, struct stat *st)
{
	const int err = fd_stat(fd, st) ? 0 : -1;
	struct context *ctx = err ? NULL : file_adopt(fd, st);

	if (ctx)
		file_stat(ctx->dev->index, st);
	else if (!err && cm_open_file(fd))
		cm_stat(st);
	return err;
}

EXPORT int fstat64(int fd, struct stat64 *st) __attribute__((alias("fstat")));

EXPORT int close(int fd)
{
	REAL(close);
	const bool device = file_find(fd);
	struct cm_file *manager = cm_open_file(fd);
	int err, saved;

	channel_closing(fd);
	err = glibc(fd);
	saved = errno;

	if (device)
		file_closed();
	if (manager)
		cm_closed(manager);
	errno = saved;
	return err;
}

static __typeof__(write) *real_write;

// Handlers of signals write, and must not look the function up.
__attribute__((constructor)) static void find_write(void)
{
	real_write = dlsym(RTLD_NEXT, "write");
}

EXPORT ssize_t write(int fd, const void *from, size_t n)
{
	ssize_t done;

	if (!real_write)
		find_write();
	return cm_write(fd, from, n, &done) ? done : real_write(fd, from, n);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct context *ctx;
	va_list args;
	void *arg;
	int err;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	ctx = request == RDMA_VERBS_IOCTL ? file_find(fd) : NULL;
	if (!ctx)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	err = dispatch(ctx, arg);
	engine_wake();
	if (!err)
		return 0;
	errno = err;
	return -1;
}

EXPORT void *mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset)
{
	struct context *ctx = flags & MAP_ANONYMOUS ? NULL : file_find(fd);
	int err;

	if (ctx) {
		pthread_mutex_lock(&lock);
		err = flags & MAP_SHARED ? ctx->dev->provider->map(ctx, length, prot, offset) : EINVAL;
		pthread_mutex_unlock(&lock);
		note("mmap offset %#lx length %zu: %d\n", (long)offset, length, err);
		if (err) {
			errno = err;
			return MAP_FAILED;
		}
	}
	return (void *)syscall(SYS_mmap, at, length, prot, flags, fd, offset);
}

EXPORT void *mmap64(void *at, size_t length, int prot, int flags, int fd, off_t offset) __attribute__((alias("mmap")));

// Without netlink of RDMA, libibverbs reads the list of devices from the folder that SYSFS_PATH names.
EXPORT int socket(int domain, int type, int protocol)
{
	REAL(socket);

	if (domain == AF_NETLINK && protocol == NETLINK_RDMA) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return glibc(domain, type, protocol);
}

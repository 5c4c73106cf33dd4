#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "libc/file.h"
#include "uverbs/object.h"

// The numbers of uverbs0 in Linux (uverbs_main.c, IB_UVERBS_MAJOR and IB_UVERBS_BASE_MINOR).
enum { MAJOR = 231, FIRST_MINOR = 192 };

int file_device(const char *path)
{
	int n, end = 0;

	if (!path || sscanf(path, "/dev/infiniband/uverbs%d%n", &n, &end) != 1 || path[end] || n < 0 || n >= ndevices)
		return -1;
	return n;
}

void file_stat(int device, struct stat *st)
{
	st->st_mode = S_IFCHR | 0666;
	st->st_rdev = makedev(MAJOR, (unsigned)(FIRST_MINOR + device));
	st->st_size = 0;
}

int file_open(int device, int flags)
{
	const int fd = memfd_create("uverbs", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	struct context *ctx;

	if (fd < 0)
		return -1;
	pthread_mutex_lock(&lock);
	ctx = context_new(&devices[device], fd);
	pthread_mutex_unlock(&lock);
	if (ctx)
		return fd;
	syscall(SYS_close, fd); // close is interposed
	errno = ENOMEM;
	return -1;
}

struct context *file_find(int fd)
{
	struct context *ctx;
	struct stat st;

	if (fd < 0 || !context_any() || !fd_stat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	pthread_mutex_lock(&lock);
	ctx = context_at(&st);
	pthread_mutex_unlock(&lock);
	return ctx;
}

struct context *file_adopt(int fd, const struct stat *st)
{
	struct context *ctx = file_find(fd);

	if (ctx || !S_ISREG(st->st_mode) || st->st_nlink)
		return ctx;
	pthread_mutex_lock(&lock);
	ctx = context_adopt(fd, st->st_size);
	pthread_mutex_unlock(&lock);
	return ctx;
}

static bool is_of(int fd, const void *ctx)
{
	struct stat st;

	return fd_stat(fd, &st) && context_at(&st) == ctx;
}

static void end_closed(struct context *ctx)
{
	if (!fd_any(is_of, ctx))
		context_end(ctx);
}

void file_closed(void)
{
	if (forked_away())
		return;
	pthread_mutex_lock(&lock);
	context_each(end_closed);
	pthread_mutex_unlock(&lock);
}

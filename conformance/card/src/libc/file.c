#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "libc/file.h"
#include "uverbs/object.h"

// The numbers of uverbs0 in Linux (uverbs_main.c, IB_UVERBS_MAJOR and IB_UVERBS_BASE_MINOR).
enum { MAJOR = 231, FIRST_MINOR = 192 };

struct file {
	struct file *next;
	ino_t inode;
	dev_t where;
	struct context *ctx;
};

static struct file *files;
static atomic_int count;

// The system calls themselves, as the functions of these names are interposed.
static int real_fstat(int fd, struct stat *st)
{
	return (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
}

static int real_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

bool file_any(void)
{
	return atomic_load(&count) > 0;
}

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

// add keeps the context of an open file. It returns false without one.
static bool add(struct file *f, const struct stat *st, struct context *ctx)
{
	if (!ctx) {
		free(f);
		return false;
	}
	*f = (struct file){files, st->st_ino, st->st_dev, ctx};
	files = f;
	atomic_fetch_add(&count, 1);
	return true;
}

int file_open(int device, int flags)
{
	struct file *f = calloc(1, sizeof *f);
	struct stat st;
	bool ok;
	int fd;

	if (!f)
		return -1;
	fd = memfd_create("uverbs", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (fd < 0 || real_fstat(fd, &st)) {
		free(f);
		return -1;
	}
	pthread_mutex_lock(&lock);
	ok = add(f, &st, context_new(&devices[device], fd));
	pthread_mutex_unlock(&lock);
	if (!ok) {
		real_close(fd);
		errno = ENOMEM;
		return -1;
	}
	return fd;
}

static struct file *of_inode(const struct stat *st)
{
	struct file *f = files;

	while (f && (f->inode != st->st_ino || f->where != st->st_dev))
		f = f->next;
	return f;
}

struct context *file_find(int fd)
{
	struct context *ctx = NULL;
	struct file *f;
	struct stat st;

	if (fd < 0 || !file_any() || real_fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	pthread_mutex_lock(&lock);
	f = of_inode(&st);
	if (f)
		ctx = f->ctx;
	pthread_mutex_unlock(&lock);
	return ctx;
}

struct context *file_adopt(int fd, const struct stat *st)
{
	struct context *ctx = file_find(fd);
	struct file *f;

	if (ctx || !S_ISREG(st->st_mode) || st->st_nlink)
		return ctx;
	pthread_mutex_lock(&lock);
	f = calloc(1, sizeof *f);
	ctx = f ? context_adopt(fd, st->st_size) : NULL;
	if (f)
		add(f, st, ctx);
	pthread_mutex_unlock(&lock);
	return ctx;
}

// open_descriptors marks the files that a descriptor of this process is open in.
static bool open_descriptors(struct file **marked, int n, bool *open)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *e;
	struct stat st;

	if (!dir)
		return false;
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.' || real_fstat(atoi(e->d_name), &st))
			continue;
		for (int i = 0; i < n; i++)
			if (marked[i]->inode == st.st_ino && marked[i]->where == st.st_dev)
				open[i] = true;
	}
	closedir(dir);
	return true;
}

void file_closed(void)
{
	enum { MOST = 256 };
	struct file *list[MOST], **p, *f;
	bool open[MOST] = {false};
	int n = 0;

	if (forked_away())
		return;
	pthread_mutex_lock(&lock);
	for (f = files; f && n < MOST; f = f->next)
		list[n++] = f;
	if (open_descriptors(list, n, open))
		for (int i = 0; i < n; i++) {
			if (open[i])
				continue;
			for (p = &files; *p != list[i]; p = &(*p)->next)
				;
			*p = list[i]->next;
			atomic_fetch_sub(&count, 1);
			if (list[i]->ctx)
				context_end(list[i]->ctx);
			free(list[i]);
		}
	pthread_mutex_unlock(&lock);
}

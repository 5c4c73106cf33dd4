// The open files. Each is a pipe, which has a word in it while there are events: its inode identifies it, and poll needs no help.
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cm/commands.h"

enum { MAJOR = 10, MINOR = 122 }; // of a miscellaneous device, whose number Linux chooses

// The places of open files, which are not freed: they are looked at without a lock. A place without an inode is free.
struct place {
	struct place *next;
	_Atomic ino_t inode;
	dev_t where;
	struct cm_file *file;
};

static struct place *_Atomic places;
static atomic_int count;

static bool is_pipe(int fd, struct stat *st)
{
	return fd_stat(fd, st) && S_ISFIFO(st->st_mode);
}

static struct place *place_of(const struct stat *st)
{
	struct place *p = atomic_load(&places);

	while (p && (atomic_load(&p->inode) != st->st_ino || p->where != st->st_dev))
		p = p->next;
	return p;
}

struct cm_file *cm_open_file(int fd)
{
	struct place *p = NULL;
	struct stat st;

	if (fd >= 0 && atomic_load(&count) && is_pipe(fd, &st))
		p = place_of(&st);
	return p ? p->file : NULL;
}

static bool take_place(struct cm_file *f, const struct stat *st)
{
	struct place *p = atomic_load(&places);

	while (p && atomic_load(&p->inode))
		p = p->next;
	if (!p) {
		p = calloc(1, sizeof *p);
		if (!p)
			return false;
		p->next = atomic_load(&places);
		atomic_store(&places, p);
	}
	p->where = st->st_dev;
	p->file = f;
	atomic_store(&p->inode, st->st_ino);
	atomic_fetch_add(&count, 1);
	return true;
}

bool cm_is(const char *path)
{
	return path && !strcmp(path, "/dev/infiniband/rdma_cm") && ndevices;
}

void cm_stat(struct stat *st)
{
	st->st_mode = S_IFCHR | 0666;
	st->st_rdev = makedev(MAJOR, MINOR);
	st->st_size = 0;
}

// open_file makes a pipe. Its ends that stay here are not the one that the program closes.
static int open_file(struct cm_file *f, int flags)
{
	const int fd = pipe_new(&f->ch.in, &f->ch.out);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!is_pipe(fd, &st) || !take_place(f, &st)) {
		syscall(SYS_close, fd);
		syscall(SYS_close, f->ch.in);
		syscall(SYS_close, f->ch.out);
		return -1;
	}
	if (!(flags & O_CLOEXEC))
		fcntl(fd, F_SETFD, 0);
	if (flags & O_NONBLOCK)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

int cm_open(int flags)
{
	struct cm_file *f = calloc(1, sizeof *f);
	struct scm_machine *m = NULL;
	int fd = -1;

	if (!f)
		return -1;
	scm_lock_all();
	m = cm_machine();
	if (m)
		fd = open_file(f, flags);
	if (fd >= 0) {
		f->ch.m = m;
		STAILQ_INIT(&f->ch.events);
		LIST_INIT(&f->ch.ids);
		LIST_INSERT_HEAD(&m->channels, &f->ch, link);
	} else {
		free(f);
	}
	scm_unlock_all();
	return fd;
}

// is_of reports whether a descriptor is one that the program has of a file. One that dup2 replaced is not missed before the process ends.
static bool is_of(int fd, const void *file)
{
	const struct cm_file *f = file;

	return fd != f->ch.in && fd != f->ch.out && cm_open_file(fd) == f;
}

// ucma_close
void cm_file_end(struct cm_file *f)
{
	struct scm_id *id;

	if (!f->closed || f->waiting)
		return;
	while ((id = LIST_FIRST(&f->ch.ids))) {
		scm_id_end(id);
		scm_id_free(id);
	}
	LIST_REMOVE(&f->ch, link);
	syscall(SYS_close, f->ch.in);
	syscall(SYS_close, f->ch.out);
	free(f);
}

void cm_closed(struct cm_file *f)
{
	struct place *p = atomic_load(&places);

	if (forked_away())
		return;
	scm_lock_all();
	while (p && (p->file != f || !atomic_load(&p->inode))) // another thread may have ended it
		p = p->next;
	if (p && !fd_any(is_of, f)) {
		atomic_store(&p->inode, 0);
		atomic_fetch_sub(&count, 1);
		f->closed = true;
		cm_file_end(f);
	}
	scm_unlock_all();
}

// A child of fork has the descriptors, and nothing of what its parent did with them.
void cm_forking(bool before, bool child)
{
	if (before) {
		scm_lock_all();
		return;
	}
	if (!child) {
		scm_unlock_all();
		return;
	}
	for (struct place *p = atomic_load(&places); p; p = p->next)
		atomic_store(&p->inode, 0);
	atomic_store(&count, 0);
	cm_machine_forked();
	scm_lock_forked();
}

//go:build linux && cgo

// Buffers: ordinary memory; of a parent domain that is to give memory outside a guest's protection, a memfd, which stands for a dma-buf.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "entry.h"
#include "domain.h"

static void unmap(struct svb_obj *o)
{
	struct svb_buf *b = SVB_OF(o, struct svb_buf);

	if (b->addr)
		munmap(b->addr, b->mapped);
	if (b->fd >= 0)
		close(b->fd);
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	snprintf(buf, n, "buffer of %zu bytes", SVB_OF(o, struct svb_buf)->size);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_BUF, svb_buf), .free = unmap, .name = name};

static int map(struct svb_buf *b, size_t size, bool shared)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *addr;

	b->fd = -1;
	b->size = size;
	if (b->size > SIZE_MAX / 2)
		return ENOMEM;
	b->mapped = b->size ? (b->size + page - 1) & ~(page - 1) : page;
	if (shared) {
		b->fd = memfd_create("softverbs-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (b->fd < 0 || ftruncate(b->fd, (off_t)b->mapped) || fcntl(b->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
			return errno;
	}
	addr = mmap(NULL, b->mapped, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, b->fd, 0);
	if (addr == MAP_FAILED)
		return errno;
	b->addr = addr;
	return 0;
}

void *svb_alloc_buf(struct ibv_pd *pub, size_t size, struct ibv_buf **buf)
{
	int err;
	struct svb_pd *pd = svb_begin(pub, SVB_T_PD, SVB_ALLOC_BUF, &err);
	struct svb_buf *b = err ? NULL : svb_new_obj(&kind, pd->obj.ctx, &err);

	if (!err)
		err = map(b, size, pd->unprotected);
	if (!err) {
		b->pd = pd;
		svb_need(&b->obj, &pd->obj);
		*buf = (struct ibv_buf *)(void *)b;
	}
	return svb_made(b, err) ? b->addr : NULL;
}

void svb_free_buf(struct ibv_buf *pub)
{
	svb_unimport(pub, SVB_T_BUF);
}

int svb_export_buf_dmabuf_fd(struct ibv_buf *pub)
{
	struct svb_buf *b;
	int fd = -1, err;

	svb_lock_all();
	b = svb_live(pub, SVB_T_BUF);
	err = b ? svb_fails_locked(b->obj.inst, SVB_EXPORT_BUF) : EINVAL;
	if (!err && b->fd < 0)
		err = ENODATA;
	if (!err) {
		fd = fcntl(b->fd, F_DUPFD_CLOEXEC, 0);
		err = fd < 0 ? errno : 0;
	}
	svb_end(err);
	return fd;
}

//go:build linux && cgo

// Registration by descriptor. A kernel takes a dma-buf; here any descriptor that mmap takes stands for one:
// a memfd, a udmabuf, a file, or what ibv_dm_export_dmabuf_fd gave.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "region.h"

#define ALLOWED \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_RELAXED_ORDERING)

static int check(const struct svb_dev *d, uint64_t offset, uint64_t length, uint64_t iova, int fd, uint32_t access)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct stat st;

	if (d->cfg.no_dmabuf)
		return EOPNOTSUPP;
	if ((offset ^ iova) & (page - 1))
		return EINVAL;
	if (access & ~(uint32_t)ALLOWED)
		return EINVAL;
	if (svb_check_access(d, access))
		return EINVAL;
	if (fstat(fd, &st))
		return EBADF;
	if (length == 0 || length > d->cfg.max_mr_size)
		return EINVAL;
	if (st.st_size < 0 || offset > (uint64_t)st.st_size || length > (uint64_t)st.st_size - offset)
		return EINVAL;
	return 0;
}

struct ibv_mr *svb_map_mr(struct svb_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, uint32_t access)
{
	const uint64_t skip = offset & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	struct svb_span span = {.where = SVB_MAPPED, .length = length, .iova = iova, .mapped = length + skip};
	int err = check(pd->obj.ctx->dev, offset, length, iova, fd, access);

	if (err)
		return svb_null(err);
	span.map = mmap(NULL, span.mapped, PROT_READ | (access & IBV_ACCESS_LOCAL_WRITE ? PROT_WRITE : 0), MAP_SHARED, fd,
			(off_t)(offset - skip));
	if (span.map == MAP_FAILED)
		return NULL; // errno of mmap: EACCES for a descriptor that cannot be written
	span.start = (char *)span.map + skip;
	// Its address is, as libibverbs has it, the offset: never to be followed.
	return svb_mr_enter(pd, &span, (void *)(uintptr_t)offset, access, NULL, false);
}

//go:build linux && cgo

// Memory that stands for a device's own: a mapping of a memfd, so that it can be exported. Who has its descriptor cannot make it shorter,
// as with a dma-buf.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"

struct svb_mem *svb_mem_get(uint64_t length, uint64_t align)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t size = (length + page - 1) / page * page, slack = align > page ? align : 0;
	struct svb_mem *m = calloc(1, sizeof *m);
	uintptr_t at;

	if (!m)
		return NULL;
	m->refs = 1;
	m->length = length;
	m->mapped = size + slack;
	m->fd = memfd_create("softverbs-dm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	m->base = m->fd < 0 ? MAP_FAILED : mmap(NULL, m->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->base == MAP_FAILED)
		goto fail;
	at = ((uintptr_t)m->base + align - 1) / align * align;
	if (ftruncate(m->fd, (off_t)size) || fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) ||
	    mmap((void *)at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, m->fd, 0) == MAP_FAILED) {
		munmap(m->base, m->mapped);
		goto fail;
	}
	m->addr = (char *)at;
	return m;
fail:
	if (m->fd >= 0)
		close(m->fd);
	free(m);
	return NULL;
}

void svb_mem_put(struct svb_mem *m)
{
	if (--m->refs)
		return;
	munmap(m->base, m->mapped);
	close(m->fd);
	free(m);
}

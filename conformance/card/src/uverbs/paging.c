// Memory that is not pinned: pages on demand and advice on them, DMA-bufs. Linux 6.1, drivers/infiniband/core/uverbs_std_types_mr.c,
// umem_odp.c and umem_dmabuf.c; hw/mlx5/odp.c and mr.c.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uverbs/provider.h"

// Beside the checks of the range, mmu_interval_notifier_insert wants a page at least, which ib_init_umem_odp looks for first.
void memory_check(uint64_t start, uint64_t length, uint64_t iova, unsigned access)
{
	const uint64_t end = start + length, last = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (!(access & IBV_ACCESS_ON_DEMAND))
		check(memory_pin(start, length, access));
	else if (!start && length == UINT64_MAX)
		refuse_if(iova || access & IBV_ACCESS_HUGETLB, EINVAL); // ib_umem_odp_alloc_implicit
	else
		check(end < start || last < PAGE ? EOVERFLOW : last == (start & ~(uint64_t)(PAGE - 1)) ? EINVAL : 0);
}

// advised looks up the region of one element (get_prefetchable_mr): only those that are paged are in the table, with DMA-bufs.
static void advised(const struct call *c, const struct pd *pd, uint64_t advice, const struct ib_uverbs_sge *s)
{
	const struct key *k = key_find(s->lkey);

	refuse_if(!k || k->kind != KEY_REGION || k->dev != c->dev || !(k->access & IBV_ACCESS_ON_DEMAND || OF(k, struct mr, key)->view), ENOENT);
	refuse_if(k->pd != pd, EPERM);
	refuse_if(advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE && !(k->access & ACCESS_WRITES), EPERM);
}

// fetch brings the pages of one element. Advice that must not fault takes the pages that are there.
static int fetch(const struct ib_uverbs_sge *s, uint64_t advice)
{
	const struct reach reach = {key_find(s->lkey)->dev, NULL, 0, 0};
	struct piece p = {.addr = s->addr, .length = s->length, .key = s->lkey};

	if (!key_reach(&p, &reach))
		return EFAULT;
	if (advice == IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT || !s->length || p.process)
		return 0;
	return memory_pin((uintptr_t)p.memory, s->length, advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE ? IBV_ACCESS_LOCAL_WRITE : 0);
}

// mlx5_ib_advise_mr_prefetch: without FLUSH, all regions are looked up at once, and the pages come later, without an answer.
static void advise(const struct call *c)
{
	const uint64_t advice = attr_number(c, UVERBS_ATTR_ADVISE_MR_ADVICE, 0), flags = attr_number(c, UVERBS_ATTR_ADVISE_MR_FLAGS, 0);
	size_t length;
	const struct ib_uverbs_sge *s = attr_pointer(c, UVERBS_ATTR_ADVISE_MR_SGE_LIST, &length);
	const struct pd *pd = attr_object(c, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, UVERBS_OBJECT_PD);

	refuse_if(!c->dev->provider->on_demand, EOPNOTSUPP);
	refuse_if(length < sizeof *s || length % sizeof *s || flags & ~(uint64_t)IBV_ADVISE_MR_FLAG_FLUSH, EINVAL);
	refuse_if(advice > IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, EOPNOTSUPP);
	for (size_t i = 0; i < length / sizeof *s; i++) {
		advised(c, pd, advice, &s[i]);
		if (flags)
			check(fetch(&s[i], advice));
	}
	for (size_t i = 0; !flags && i < length / sizeof *s; i++)
		fetch(&s[i], advice);
}

// A memfd stands for a DMA-buf here, as only a kernel with a module makes those. A descriptor of another file is EINVAL (dma_buf_get).
static uint64_t size_of(int fd)
{
	char name[64], link[32];
	struct stat st;
	ssize_t n;

	if (!fd_stat(fd, &st)) // not fstat, which would take the lock
		refuse(EBADF);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof name - 1);
	name[MAX(n, 0)] = 0;
	refuse_if(strncmp(name, "/memfd:", 7) != 0 && strncmp(name, "/dmabuf:", 8) != 0, EINVAL);
	return (uint64_t)(name[1] == 'd' ? lseek(fd, 0, SEEK_END) : st.st_size);
}

// map puts the part of a DMA-buf that a region has into this process (ib_umem_dmabuf_get).
static void *map(int fd, uint64_t offset, uint64_t length, uint64_t *mapped)
{
	const uint64_t from = offset & ~(uint64_t)(PAGE - 1), end = offset + length;
	void *at;

	refuse_if(end < offset || !within(offset, length, size_of(fd)) || end == from, EINVAL);
	at = (void *)syscall(SYS_mmap, NULL, end - from, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
	if (at == MAP_FAILED)
		refuse(errno);
	*mapped = end - from;
	return at;
}

static void reg_dmabuf(const struct call *c)
{
	const uint64_t offset = attr_number(c, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 0), iova = attr_number(c, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 0);
	const unsigned access = (unsigned)attr_number(c, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 0);
	const uint64_t length = attr_number(c, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 0);
	struct pd *pd = attr_object(c, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, UVERBS_OBJECT_PD);
	uint64_t mapped;
	struct mr *mr;
	void *view;

	refuse_if(offset % PAGE != iova % PAGE || access & ~(unsigned)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
		IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_RELAXED_ORDERING), EINVAL);
	memory_access(c->dev, access);
	view = map((int)attr_number(c, UVERBS_ATTR_REG_DMABUF_MR_FD, 0), offset, length, &mapped);
	mr = memory_region(c, pd, access);
	mr->view = view;
	mr->view_length = mapped;
	memory_place(mr, (uintptr_t)view + offset % PAGE, length, iova);
	memory_publish(mr);
	attr_created(c, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, mr->o.handle);
	attr_out32(c, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, mr->key.value);
	attr_out32(c, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, mr->key.value);
}

const struct method paging_methods[] = {
	{UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, advise},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, reg_dmabuf},
	{0},
};

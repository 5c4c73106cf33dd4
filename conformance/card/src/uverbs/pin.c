// Linux 6.1, drivers/infiniband/core/umem.c, ib_umem_get. The limit of locked memory is not modelled: these tests run without it.
#include <sys/mman.h>

#include "uverbs/provider.h"

// More than this is not touched, only looked up in the list of mappings.
static const uint64_t touch = 64u << 20;

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

bool mapping_next(FILE *maps, struct mapping *m)
{
	char line[512];

	return fgets(line, sizeof line, maps) &&
		sscanf(line, "%lx-%lx %7s %lx %x:%x %lu", &m->start, &m->end, m->can, &m->offset, &m->major, &m->minor, &m->inode) == 7;
}

bool mapping_holds(const struct mapping *m, uint64_t start, uint64_t length)
{
	return m->start <= start && within(start - m->start, length, m->end - m->start);
}

// mapped reports whether all of a range is mapped and can be read, or written.
static bool mapped(uint64_t from, uint64_t to, bool write)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping m;

	if (!maps)
		return false;
	while (from < to && mapping_next(maps, &m))
		if (mapping_holds(&m, from, 1)) {
			if (m.can[write ? 1 : 0] == '-')
				break;
			from = m.end;
		}
	fclose(maps);
	return from >= to;
}

int memory_pin(uint64_t start, uint64_t length, unsigned access)
{
	const bool write = access & ACCESS_WRITES;
	const uint64_t from = start & ~(uint64_t)(PAGE - 1), end = start + length, to = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (end < start || to < end || to == from || (to - from) / PAGE > UINT32_MAX)
		return EINVAL;
	if (to - from > touch)
		return mapped(from, to, write) ? 0 : EFAULT;
	if (madvise((void *)(uintptr_t)from, to - from, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0)
		return 0;
	if (errno == EINVAL && mapped(from, to, write)) // memory that cannot be populated, or a kernel before 5.14
		return 0;
	return EFAULT;
}

// The pages of the device: Linux 6.1, drivers/infiniband/hw/efa/efa_verbs.c, efa_user_mmap_entry_insert and __efa_mmap.
#include "efa/efa.h"

static LIST_HEAD(, region) regions[DEVICES];
static bool taken[DEVICES][PAGES];

static uint64_t pages_of(uint64_t size)
{
	return (size + PAGE - 1) / PAGE;
}

static uint8_t *region_memory(const struct region *r)
{
	return r->ctx->pages + r->at;
}

// Offset 0 is of no region.
static struct region *region_new(struct context *ctx, uint64_t size)
{
	const int d = ctx->dev->index;
	const uint64_t n = pages_of(size);
	struct region *r = calloc(1, sizeof *r);
	uint64_t run = 0;

	for (uint64_t i = 1; r && i < PAGES; i++) {
		run = taken[d][i] ? 0 : run + 1;
		if (run < n)
			continue;
		*r = (struct region){.ctx = ctx, .at = (i + 1 - n) * PAGE, .size = n * PAGE};
		LIST_INSERT_HEAD(&regions[d], r, link);
		memset(&taken[d][i + 1 - n], true, n);
		memset(region_memory(r), 0, r->size);
		return r;
	}
	free(r);
	return NULL;
}

static void region_end(struct region *r)
{
	if (!r)
		return;
	LIST_REMOVE(r, link);
	memset(&taken[r->ctx->dev->index][r->at / PAGE], false, r->size / PAGE);
	free(r);
}

static int efa_map(struct context *ctx, size_t length, int prot, off_t offset)
{
	const struct region *r;

	(void)prot;
	LIST_FOREACH(r, &regions[ctx->dev->index], link)
		if (r->ctx == ctx && r->at == (uint64_t)offset)
			return pages_of(length) * PAGE == r->size ? 0 : EINVAL;
	return EINVAL;
}

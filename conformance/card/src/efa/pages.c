// The pages of the device: Linux 6.1, drivers/infiniband/hw/efa/efa_verbs.c, efa_user_mmap_entry_insert and __efa_mmap.
#include "efa/efa.h"

static struct region *regions[DEVICES];
static bool taken[DEVICES][PAGES];

static uint64_t pages_of(uint64_t size)
{
	return (size + PAGE - 1) / PAGE;
}

// Offset 0 is of no region.
struct region *region_new(struct context *ctx, uint64_t size)
{
	const int d = ctx->dev->index;
	const uint64_t n = pages_of(size);
	struct region *r = calloc(1, sizeof *r);
	uint64_t run = 0;

	for (uint64_t i = 1; r && i < PAGES; i++) {
		run = taken[d][i] ? 0 : run + 1;
		if (run < n)
			continue;
		*r = (struct region){.next = regions[d], .ctx = ctx, .at = (i + 1 - n) * PAGE, .size = n * PAGE};
		regions[d] = r;
		memset(&taken[d][i + 1 - n], true, n);
		memset(region_memory(r), 0, r->size);
		return r;
	}
	free(r);
	return NULL;
}

void region_end(struct region *r)
{
	const int d = r ? r->ctx->dev->index : 0;
	struct region **p = &regions[d];

	if (!r)
		return;
	while (*p != r)
		p = &(*p)->next;
	*p = r->next;
	memset(&taken[d][r->at / PAGE], false, r->size / PAGE);
	free(r);
}

uint8_t *region_memory(const struct region *r)
{
	return r->ctx->pages + r->at;
}

int efa_map(struct context *ctx, size_t length, int prot, off_t offset)
{
	const struct region *r = regions[ctx->dev->index];

	(void)prot;
	while (r && (r->ctx != ctx || r->at != (uint64_t)offset))
		r = r->next;
	return r && pages_of(length) * PAGE == r->size ? 0 : EINVAL;
}

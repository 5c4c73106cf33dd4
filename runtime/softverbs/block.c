//go:build linux && cgo

// Memory for what the software provider keeps per region and queue pair of a parent domain. With an allocator they get it there, as a
// provider does for the buffers of its queues. Called without svb_lock: the allocator may be Go and may use verbs itself.

#include "domain.h"

#define USE_DEFAULT ((void *)UINTPTR_MAX) // answer of an allocator: "use your own memory"
#define BLOCK_ALIGN 64

static bool zeroed(const unsigned char *p, size_t n)
{
	while (n--)
		if (*p++)
			return false;
	return true;
}

static int fill(struct svb_pd *pd, uint32_t code, size_t size, struct svb_block *b)
{
	b->resource = (uint64_t)pd->obj.ctx->dev->cfg.driver << 32 | code;
	b->ptr = USE_DEFAULT;
	if (pd->alloc)
		b->ptr = pd->alloc(&pd->pub, pd->arg, size, BLOCK_ALIGN, b->resource);
	if (b->ptr == USE_DEFAULT) {
		b->ptr = aligned_alloc(BLOCK_ALIGN, (size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN);
		if (!b->ptr)
			return ENOMEM;
		memset(b->ptr, 0, size);
		return 0;
	}
	if (!b->ptr)
		return ENOMEM;
	b->custom = true;
	// What an allocator owes: the alignment it was asked for, and zeroes.
	if ((uintptr_t)b->ptr % BLOCK_ALIGN || !zeroed(b->ptr, size))
		return EINVAL;
	memset(b->ptr, 0xa5, size); // it really is written to
	return 0;
}

int svb_block_get(struct svb_pd *pd, uint32_t code, size_t size, struct svb_block *b)
{
	int err;

	svb_lock_all();
	err = svb_live(&pd->pub, SVB_T_PD) ? 0 : EINVAL;
	if (!err && pd->inner) {
		pd->obj.users++;
		b->holder = pd;
	}
	svb_unlock_all();
	if (!err && b->holder && size)
		err = fill(pd, code, size, b);
	if (err)
		svb_block_put(b);
	return err;
}

void svb_block_give(struct svb_pd *pd, struct svb_block *b)
{
	if (!b->custom)
		free(b->ptr);
	else if (pd->free)
		pd->free(&pd->pub, pd->arg, b->ptr, b->resource);
}

void svb_block_drop(struct svb_block *b)
{
	if (!b->custom)
		free(b->ptr);
	if (b->holder)
		b->holder->obj.users--;
	*b = (struct svb_block){.ptr = NULL};
}

void svb_block_put(struct svb_block *b)
{
	svb_block_give(b->holder, b);
	b->custom = false;
	b->ptr = NULL;
	SVB_LOCKED;
	svb_block_drop(b);
}

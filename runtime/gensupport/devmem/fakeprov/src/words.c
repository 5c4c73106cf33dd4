// Callbacks that follow the rules of mlx5: range before alignment, four bytes at a time in ascending order, and a range
// check whose sum can wrap, which callers have to prevent.
#include "provider.h"

int fake_to_dm(struct ibv_dm *dm, uint64_t off, const void *host, size_t len)
{
	struct fake_dm *d = (struct fake_dm *)dm;
	uint32_t *to = (uint32_t *)(d->start + off);
	const uint32_t *from = host;
	size_t i;

	FAKE_CALL(0);
	if (off + len > d->length)
		return EFAULT;
	if (off % 4 != 0 || len % 4 != 0)
		return EINVAL;
	for (i = 0; i < len / 4; i++)
		__atomic_store_n(to + i, from[i], __ATOMIC_RELAXED);
	return 0;
}

int fake_from_dm(void *host, struct ibv_dm *dm, uint64_t off, size_t len)
{
	struct fake_dm *d = (struct fake_dm *)dm;
	const uint32_t *from = (const uint32_t *)(d->start + off);
	uint32_t *to = host;
	size_t i;

	FAKE_CALL(1);
	if (off + len > d->length)
		return EFAULT;
	if (off % 4 != 0 || len % 4 != 0)
		return EINVAL;
	for (i = 0; i < len / 4; i++)
		to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
	return 0;
}

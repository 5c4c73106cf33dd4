#include <infiniband/verbs.h>

#include "wire/format.h"
#include "wire/key.h"

enum { KEYS = 1 << 16, FIRST = 0x10 };

static struct key *keys[KEYS];
uint8_t key_nowhere[1];

// The variant changes with each key, so that a key that was destroyed is not the next one
// (Linux 6.1, drivers/infiniband/hw/mlx5/mr.c, assign_mkey_variant).
int key_new(struct key *k)
{
	static uint32_t last = FIRST;
	static uint8_t variant;

	for (int i = 0; i < KEYS; i++) {
		last = last + 1 < KEYS ? last + 1 : FIRST;
		if (!keys[last]) {
			keys[last] = k;
			k->value = last << 8 | variant++;
			return 0;
		}
	}
	return ENOMEM;
}

void key_end(struct key *k)
{
	key_unbind(k);
	keys[k->value >> 8] = NULL;
}

struct key *key_find(uint32_t value)
{
	struct key *k = value >> 8 < KEYS ? keys[value >> 8] : NULL;

	return k && k->value == value ? k : NULL;
}

uint8_t *key_reach(uint32_t value, uint64_t addr, uint64_t length, const struct reach *r)
{
	const struct key *k = key_find(value);

	if (k && k->kind == KEY_NOWHERE)
		return k->dev == r->dev && !(r->access & ~(unsigned)IBV_ACCESS_LOCAL_WRITE) ? key_nowhere : NULL;
	if (!k || k->dev != r->dev || (r->pd && k->pd != r->pd) || (k->access & r->access) != r->access)
		return NULL;
	if (k->kind != KEY_REGION && !k->region)
		return NULL;
	if (k->kind == KEY_WINDOW_2 && k->qpn != r->qpn)
		return NULL;
	if (addr < k->iova || !within(addr - k->iova, length, k->length))
		return NULL;
	return k->memory + (addr - k->iova);
}

// spread puts the pieces that a key leads to in the place of one of it.
static bool spread(const struct key *k, struct piece *all, int *n, int at, const struct reach *r)
{
	uint64_t skip = all[at].addr - k->iova, left = all[at].length;
	struct piece parts[PIECES];
	int m = 0;

	if (k->dev != r->dev || k->pd != r->pd || all[at].addr < k->iova || !within(skip, left, k->length))
		return false;
	for (int i = 0; i < k->n && left; i++) {
		struct piece p = k->list[i];

		if (skip >= p.length) {
			skip -= p.length;
			continue;
		}
		p.addr += skip;
		p.length = (uint32_t)MIN(p.length - skip, left);
		skip = 0;
		left -= p.length;
		parts[m++] = p;
	}
	if (left || *n - 1 + m > PIECES)
		return false;
	memmove(&all[at + m], &all[at + 1], (size_t)(*n - at - 1) * sizeof *all);
	memcpy(&all[at], parts, (size_t)m * sizeof *all);
	*n += m - 1;
	return true;
}

bool key_gather(struct piece *all, int *n, const struct reach *r)
{
	for (int i = 0; i < *n; i++) {
		const struct key *k = all[i].memory ? NULL : key_find(all[i].key);

		if (k && k->kind == KEY_LIST && !spread(k, all, n, i, r))
			return false;
		if (!all[i].memory)
			all[i].memory = key_reach(all[i].key, all[i].addr, all[i].length, r);
		if (!all[i].memory)
			return false;
	}
	return true;
}

void key_unbind(struct key *k)
{
	if (!k->region)
		return;
	k->region->windows--;
	k->region = NULL;
}

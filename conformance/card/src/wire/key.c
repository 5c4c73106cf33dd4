#include <stdatomic.h>

#include "wire/key.h"
#include "wire/segment.h"

enum { KEYS = 1 << 16, FIRST = DEVICES }; // a provider can have one of each device below

static struct key *keys[KEYS]; // by the lower 16 bits of the index: the upper 8 are of a process
uint8_t key_nowhere[1];

static struct key **place(uint32_t value)
{
	return &keys[value >> 8 & (KEYS - 1)];
}

void key_put(struct key *k)
{
	k->next = *place(k->value);
	*place(k->value) = k;
}

// The variant changes with each key, so that a key that was destroyed is not the next one
// (Linux 6.1, drivers/infiniband/hw/mlx5/mr.c, assign_mkey_variant).
int key_new(struct key *k)
{
	static uint32_t last = FIRST;
	static uint8_t variant;
	uint32_t life;
	const uint32_t process = segment_self(&life) - 1;

	for (int i = 0; i < KEYS; i++) {
		last = last + 1 < KEYS ? last + 1 : FIRST;
		if (!keys[last]) {
			k->value = (process << 16 | last) << 8 | (uint8_t)(variant++ + 37 * life); // 37: unlike those of a process that was before
			key_put(k);
			return 0;
		}
	}
	return ENOMEM;
}

void key_end(struct key *k)
{
	struct key **p = place(k->value);

	key_unbind(k);
	for (int i = 0; k->windows && i < KEYS; i++) // another process ended the region
		for (struct key *w = keys[i]; w; w = w->next)
			if (w->region == k)
				key_unbind(w);
	while (*p != k)
		p = &(*p)->next;
	*p = k->next;
}

static bool current(const struct key *k)
{
	return !k->now || atomic_load(k->now) == k->then;
}

struct key *key_find(uint32_t value)
{
	struct key *k = *place(value);

	while (k && (k->value != value || !current(k)))
		k = k->next;
	return k ? k : key_shared(value);
}

bool key_reach(struct piece *p, const struct reach *r)
{
	struct key *k = key_find(p->key);
	uint64_t at;

	if (k && k->kind == KEY_NOWHERE) {
		p->memory = key_nowhere;
		return k->dev == r->dev && !(r->access & ~(unsigned)IBV_ACCESS_LOCAL_WRITE);
	}
	if (!k || k->dev != r->dev || (r->pd && k->pd != r->pd) || (k->access & r->access) != r->access)
		return false;
	if (k->kind != KEY_REGION && !k->region)
		return false;
	if (k->kind == KEY_WINDOW_2 && k->qpn != r->qpn)
		return false;
	if (p->addr < k->iova || !within(p->addr - k->iova, p->length, k->length))
		return false;
	at = p->addr - k->iova;
	if (k->region) {
		at += k->start - k->region->iova;
		k = k->region;
	}
	p->process = 0;
	if (k->locate && !k->locate(k, &p->process))
		return false;
	p->memory = k->memory + at;
	return true;
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
		if (!all[i].memory && !key_reach(&all[i], r))
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

//go:build linux && cgo

// The slots of machines.
#include "machine.h"

static struct scm_machine slots[SCM_SLOTS];

struct scm_machine *scm_slot(int slot)
{
	return slot < 0 || slot >= SCM_SLOTS || !slots[slot].used || slots[slot].ending ? NULL : &slots[slot];
}

struct scm_machine *scm_slot_take(void)
{
	int i;

	for (i = 0; i < SCM_SLOTS; i++)
		if (!slots[i].used) {
			memset(&slots[i], 0, sizeof slots[i]);
			slots[i].used = true;
			slots[i].slot = i;
			return &slots[i];
		}
	return NULL;
}

struct scm_dev *scm_device_named(struct scm_machine *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->ndevs; i++)
		if (!strcmp(m->devs[i].name, name))
			return &m->devs[i];
	return NULL;
}

// The same numbers in each run of a program (an xorshift generator).
uint32_t scm_random(struct scm_machine *m)
{
	uint32_t x = m->random ? m->random : 0x2545f491;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return m->random = x;
}

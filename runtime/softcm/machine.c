//go:build linux && cgo

// The slots of machines.
#include "library.h"

pthread_cond_t scm_acked = PTHREAD_COND_INITIALIZER;

static struct lib_machine slots[SCM_SLOTS];

struct lib_machine *scm_slot(int slot)
{
	return slot < 0 || slot >= SCM_SLOTS || !slots[slot].used || slots[slot].k.ending ? NULL : &slots[slot];
}

struct lib_machine *scm_slot_take(void)
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

struct lib_dev *scm_device_named(int slot, const char *name)
{
	struct lib_machine *m = scm_slot(slot);
	size_t i;

	for (i = 0; m && i < m->k.ndevs; i++)
		if (!strcmp(m->all[i].k.name, name))
			return &m->all[i];
	return NULL;
}

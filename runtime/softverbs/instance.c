//go:build linux && cgo

// The slots of instances.

#include "instance.h"

static struct svb_inst slots[SVB_SLOTS];

struct svb_inst *svb_slot(int slot)
{
	if (slot < 0 || slot >= SVB_SLOTS || !slots[slot].used || slots[slot].ending)
		return NULL;
	return &slots[slot];
}

struct svb_inst *svb_slot_take(void)
{
	int i;

	for (i = 0; i < SVB_SLOTS; i++)
		if (!slots[i].used) {
			memset(&slots[i], 0, sizeof slots[i]);
			slots[i].used = true;
			slots[i].slot = i;
			return &slots[i];
		}
	return NULL;
}

struct svb_dev *svb_device_named(int slot, const char *name)
{
	struct svb_inst *in = svb_slot(slot);
	int i;

	for (i = 0; in && i < in->ndevs; i++)
		if (!strcmp(name, in->devs[i].pub.name))
			return &in->devs[i];
	return NULL;
}

void svb_leak(struct svb_inst *in, const char *text)
{
	char **grown = realloc(in->leaks, (in->nleaks + 1) * sizeof *grown);

	if (!grown)
		return;
	in->leaks = grown;
	grown[in->nleaks] = strdup(text);
	if (grown[in->nleaks])
		in->nleaks++;
}

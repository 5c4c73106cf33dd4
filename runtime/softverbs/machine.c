//go:build linux && cgo

// The making and the end of an instance.
#include <stdio.h>

#include "control.h"
#include "objects.h"
#include "worker.h"

static bool fill_device(struct svb_dev *d, struct svb_inst *in, const struct svb_devcfg *cfg)
{
	d->inst = in;
	d->cfg = *cfg;
	TAILQ_INIT(&d->srqs);
	d->next_qpn = 16 + 256 * (uint32_t)cfg->index; // numbers of one device are rarely good on another
	TAILQ_INIT(&d->qps);
	TAILQ_INIT(&d->late);
	TAILQ_INIT(&d->flows);
	d->pub.node_type = IBV_NODE_CA;
	d->pub.transport_type = IBV_TRANSPORT_IB;
	// Paths that cannot exist: whoever asks sysfs about this device gets no answer, rather than that of
	// real hardware with the same name.
	snprintf(d->pub.name, sizeof d->pub.name, "%s", cfg->name);
	snprintf(d->pub.dev_name, sizeof d->pub.dev_name, "softverbs%d", cfg->index);
	snprintf(d->pub.dev_path, sizeof d->pub.dev_path, "/dev/null/softverbs%d", cfg->index);
	snprintf(d->pub.ibdev_path, sizeof d->pub.ibdev_path, "/dev/null/%s", cfg->name);
	d->port_down = calloc(cfg->ports + 1, sizeof *d->port_down);
	return d->port_down;
}

static void free_devices(struct svb_dev *devs, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		free(devs[i].keys);
		svb_numbers_free(&devs[i].numbers);
		free(devs[i].port_down);
	}
	free(devs);
}

int svb_new(const struct svb_config *cfg)
{
	SVB_LOCKED;
	struct svb_inst *in = svb_slot_take();
	struct svb_dev *devs = in ? calloc((size_t)cfg->ndevs + 1, sizeof *devs) : NULL;
	int i;

	if (!in)
		return -EMFILE;
	in->cfg = *cfg;
	in->cfg.devs = NULL;
	in->devs = devs;
	in->ndevs = cfg->ndevs;
	in->used = devs;
	for (i = 0; i < cfg->ndevs && in->used; i++)
		in->used = fill_device(&devs[i], in, &cfg->devs[i]);
	if (in->used)
		return in->slot;
	free_devices(devs, devs ? cfg->ndevs : 0);
	return -ENOMEM;
}

int svb_close(int slot)
{
	SVB_LOCKED;
	struct svb_inst *in = svb_slot(slot);
	size_t i;

	if (!in)
		return EINVAL;
	svb_file_sweep(in);
	if (in->nctx || in->files || svb_count(in, SVB_T_LIST))
		return EBUSY;
	svb_disarm(in);
	for (i = 0; i < in->nleaks; i++)
		free(in->leaks[i]);
	free(in->leaks);
	in->ending = true;
	for (i = 0; i < (size_t)in->ndevs; i++)
		svb_worker_stop(&in->devs[i]);
	free_devices(in->devs, in->ndevs);
	in->used = false;
	return 0;
}

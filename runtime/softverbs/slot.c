//go:build linux && cgo

// Instances. A symbol such as ibv_get_device_list has no argument that says which software libibverbs is
// meant, so each of a fixed number of slots has its own copies of the functions that need to know.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svb.h"
#include "queue.h"

static struct svb_inst slots[SVB_SLOTS];

struct svb_inst *svb_slot(int slot)
{
	if (slot < 0 || slot >= SVB_SLOTS || !slots[slot].used || slots[slot].ending)
		return NULL;
	return &slots[slot];
}

static bool fill_device(struct svb_dev *d, struct svb_inst *in, const struct svb_devcfg *cfg)
{
	d->inst = in;
	d->cfg = *cfg;
	d->freekey = 1;
	d->next_qpn = 16 + 256 * (uint32_t)cfg->index; // numbers of one device are rarely good on another
	TAILQ_INIT(&d->qps);
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
		free(devs[i].port_down);
	}
	free(devs);
}

int svb_new(const struct svb_config *cfg)
{
	struct svb_inst *in = NULL;
	struct svb_dev *devs = calloc((size_t)cfg->ndevs + 1, sizeof *devs);
	int i;

	if (!devs)
		return -ENOMEM;
	pthread_mutex_lock(&svb_lock);
	for (i = 0; i < SVB_SLOTS && !in; i++)
		if (!slots[i].used)
			in = &slots[i];
	if (!in) {
		pthread_mutex_unlock(&svb_lock);
		free(devs);
		return -EMFILE;
	}
	memset(in, 0, sizeof *in);
	in->used = true;
	in->slot = (int)(in - slots);
	in->cfg = *cfg;
	in->cfg.devs = NULL;
	in->devs = devs;
	in->ndevs = cfg->ndevs;
	for (i = 0; i < cfg->ndevs && in->used; i++)
		in->used = fill_device(&devs[i], in, &cfg->devs[i]);
	i = in->used ? in->slot : -ENOMEM;
	if (!in->used)
		free_devices(devs, cfg->ndevs);
	pthread_mutex_unlock(&svb_lock);
	return i;
}

int svb_close(int slot)
{
	struct svb_inst *in;
	size_t i;

	pthread_mutex_lock(&svb_lock);
	in = svb_slot(slot);
	if (!in) {
		pthread_mutex_unlock(&svb_lock);
		return EINVAL;
	}
	svb_file_sweep(in);
	if (in->nctx || in->files || svb_count(in, SVB_T_LIST)) {
		pthread_mutex_unlock(&svb_lock);
		return EBUSY;
	}
	svb_disarm(in);
	for (i = 0; i < in->nleaks; i++)
		free(in->leaks[i]);
	free(in->leaks);
	in->ending = true;
	for (i = 0; i < (size_t)in->ndevs; i++)
		svb_worker_stop(&in->devs[i]);
	free_devices(in->devs, in->ndevs);
	in->used = false;
	pthread_mutex_unlock(&svb_lock);
	return 0;
}

// The functions of each slot.
#define EACH8(m, h) m(h##0) m(h##1) m(h##2) m(h##3) m(h##4) m(h##5) m(h##6) m(h##7)
#define EACH64(m) EACH8(m, 00) EACH8(m, 01) EACH8(m, 02) EACH8(m, 03) EACH8(m, 04) EACH8(m, 05) EACH8(m, 06) EACH8(m, 07)
#define ENTRY(n) \
	static struct ibv_device **list_##n(int *num) { return svb_get_device_list(n, num); } \
	static struct ibv_context *import_##n(int fd) { return svb_import_device(n, fd); }
#define LIST_ADDR(n) (uintptr_t)list_##n,
#define IMPORT_ADDR(n) (uintptr_t)import_##n,

EACH64(ENTRY)

static const uintptr_t lists[SVB_SLOTS] = {EACH64(LIST_ADDR)};
static const uintptr_t imports[SVB_SLOTS] = {EACH64(IMPORT_ADDR)};

static const struct {
	const char *name, *version;
	uintptr_t addr;
} symbols[] = {
	{"ibv_free_device_list", "IBVERBS_1.1", (uintptr_t)svb_free_device_list},
	{"ibv_get_device_name", "IBVERBS_1.1", (uintptr_t)svb_get_device_name},
	{"ibv_get_device_guid", "IBVERBS_1.1", (uintptr_t)svb_get_device_guid},
	{"ibv_get_device_index", "IBVERBS_1.9", (uintptr_t)svb_get_device_index},
	{"ibv_open_device", "IBVERBS_1.1", (uintptr_t)svb_open_device},
	{"ibv_close_device", "IBVERBS_1.1", (uintptr_t)svb_close_device},
	{"ibv_query_device", "IBVERBS_1.1", (uintptr_t)svb_query_device},
	{"ibv_query_port", "IBVERBS_1.1", (uintptr_t)svb_query_port},
	{"ibv_alloc_pd", "IBVERBS_1.1", (uintptr_t)svb_alloc_pd},
	{"ibv_dealloc_pd", "IBVERBS_1.1", (uintptr_t)svb_dealloc_pd},
	{"ibv_import_pd", "IBVERBS_1.10", (uintptr_t)svb_import_pd},
	{"ibv_unimport_pd", "IBVERBS_1.10", (uintptr_t)svb_unimport_pd},
	{"ibv_reg_mr", "IBVERBS_1.1", (uintptr_t)svb_reg_mr},
	{"ibv_reg_mr_iova", "IBVERBS_1.7", (uintptr_t)svb_reg_mr_iova},
	{"ibv_reg_mr_iova2", "IBVERBS_1.8", (uintptr_t)svb_reg_mr_iova2},
	{"ibv_reg_mr_ex", "IBVERBS_1.15", (uintptr_t)svb_reg_mr_ex},
	{"ibv_reg_dmabuf_mr", "IBVERBS_1.12", (uintptr_t)svb_reg_dmabuf_mr},
	{"ibv_rereg_mr", "IBVERBS_1.1", (uintptr_t)svb_rereg_mr},
	{"ibv_dereg_mr", "IBVERBS_1.1", (uintptr_t)svb_dereg_mr},
	{"ibv_import_mr", "IBVERBS_1.10", (uintptr_t)svb_import_mr},
	{"ibv_unimport_mr", "IBVERBS_1.10", (uintptr_t)svb_unimport_mr},
	{"ibv_import_dm", "IBVERBS_1.13", (uintptr_t)svb_import_dm},
	{"ibv_unimport_dm", "IBVERBS_1.13", (uintptr_t)svb_unimport_dm},
	{"ibv_dm_export_dmabuf_fd", "IBVERBS_1.16", (uintptr_t)svb_dm_export_dmabuf_fd},
	{"ibv_create_comp_channel", "IBVERBS_1.0", (uintptr_t)svb_create_comp_channel},
	{"ibv_destroy_comp_channel", "IBVERBS_1.0", (uintptr_t)svb_destroy_comp_channel},
	{"ibv_get_cq_event", "IBVERBS_1.1", (uintptr_t)svb_get_cq_event},
	{"ibv_ack_cq_events", "IBVERBS_1.1", (uintptr_t)svb_ack_cq_events},
	{"ibv_create_cq", "IBVERBS_1.1", (uintptr_t)svb_create_cq},
	{"ibv_resize_cq", "IBVERBS_1.1", (uintptr_t)svb_resize_cq},
	{"ibv_destroy_cq", "IBVERBS_1.1", (uintptr_t)svb_destroy_cq},
	{"ibv_create_qp", "IBVERBS_1.1", (uintptr_t)svb_create_qp},
	{"ibv_modify_qp", "IBVERBS_1.1", (uintptr_t)svb_modify_qp},
	{"ibv_query_qp", "IBVERBS_1.1", (uintptr_t)svb_query_qp},
	{"ibv_destroy_qp", "IBVERBS_1.1", (uintptr_t)svb_destroy_qp},
	{"ibv_create_ah", "IBVERBS_1.1", (uintptr_t)svb_create_ah},
	{"ibv_destroy_ah", "IBVERBS_1.1", (uintptr_t)svb_destroy_ah},
	{"ibv_query_gid", "IBVERBS_1.1", (uintptr_t)svb_query_gid},
	{"_ibv_query_gid_ex", "IBVERBS_1.11", (uintptr_t)svb_query_gid_ex},
	{"_ibv_query_gid_table", "IBVERBS_1.11", (uintptr_t)svb_query_gid_table},
	{"ibv_query_pkey", "IBVERBS_1.1", (uintptr_t)svb_query_pkey},
	{"ibv_get_pkey_index", "IBVERBS_1.5", (uintptr_t)svb_get_pkey_index},
	{"ibv_get_async_event", "IBVERBS_1.1", (uintptr_t)svb_get_async_event},
	{"ibv_ack_async_event", "IBVERBS_1.1", (uintptr_t)svb_ack_async_event},
};

// A version that is not the default one of the symbol names other code in the real library, so it is not
// here. An empty one stands for the default.
static bool version_fits(const char *have, const char *want)
{
	return !*want || !strcmp(have, want);
}

uintptr_t svb_symbol(int slot, const char *name, const char *version)
{
	size_t i;

	if (slot < 0 || slot >= SVB_SLOTS)
		return 0;
	if (!strcmp(name, "ibv_get_device_list"))
		return version_fits("IBVERBS_1.1", version) ? lists[slot] : 0;
	if (!strcmp(name, "ibv_import_device"))
		return version_fits("IBVERBS_1.10", version) ? imports[slot] : 0;
	for (i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
		if (!strcmp(symbols[i].name, name))
			return version_fits(symbols[i].version, version) ? symbols[i].addr : 0;
	return 0;
}

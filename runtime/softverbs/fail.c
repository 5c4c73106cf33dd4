//go:build linux && cgo

// Errors on order: the nth call of a verb fails with an errno. Also the names of verbs and ops.
#include <stdlib.h>
#include <string.h>

#include "svb.h"

static const char *const svb_verb_names[SVB_VERBS] = {
	"ibv_get_device_list", "ibv_open_device", "ibv_import_device", "ibv_close_device", "ibv_query_device",
	"ibv_query_device_ex", "ibv_query_port", "ibv_alloc_pd", "ibv_dealloc_pd", "ibv_import_pd", "ibv_alloc_td",
	"ibv_dealloc_td", "ibv_alloc_parent_domain", "ibv_reg_mr", "ibv_reg_mr_ex", "ibv_reg_dmabuf_mr", "ibv_rereg_mr",
	"ibv_dereg_mr", "ibv_import_mr", "ibv_alloc_null_mr", "ibv_advise_mr", "ibv_alloc_dm", "ibv_free_dm",
	"ibv_import_dm", "ibv_reg_dm_mr", "ibv_dm_export_dmabuf_fd", "ibv_memcpy_to_dm", "ibv_memcpy_from_dm",
	"ibv_create_comp_channel", "ibv_destroy_comp_channel", "ibv_get_cq_event", "ibv_create_cq", "ibv_resize_cq",
	"ibv_destroy_cq", "ibv_poll_cq", "ibv_req_notify_cq", "ibv_create_qp", "ibv_modify_qp", "ibv_query_qp",
	"ibv_destroy_qp", "ibv_post_send", "ibv_post_recv", "ibv_create_ah", "ibv_destroy_ah", "ibv_query_gid",
	"ibv_query_pkey", "ibv_get_async_event",
};

static const char *const svb_op_names[SVB_OPS] = {
	"query_device_ex", "query_port", "alloc_td", "dealloc_td", "alloc_parent_domain", "alloc_dm", "free_dm",
	"reg_dm_mr", "reg_mr_ex", "advise_mr", "alloc_null_mr", "dm_export_dmabuf_fd",
};

static int find(const char *const *names, int n, const char *name)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

// The three symbols that register plain memory are one verb.
int svb_verb_of(const char *name)
{
	if (!strcmp(name, "ibv_reg_mr_iova") || !strcmp(name, "ibv_reg_mr_iova2"))
		return SVB_REG_MR;
	return find(svb_verb_names, SVB_VERBS, name);
}

int svb_op_of(const char *name)
{
	return find(svb_op_names, SVB_OPS, name);
}

int svb_arm(int slot, int verb, uint64_t nth, int err)
{
	struct svb_fail *f = calloc(1, sizeof *f);
	struct svb_inst *in;

	if (!f)
		return ENOMEM;
	f->left = nth;
	f->err = err;
	pthread_mutex_lock(&svb_lock);
	in = svb_slot(slot);
	if (!in || verb < 0 || verb >= SVB_VERBS) {
		pthread_mutex_unlock(&svb_lock);
		free(f);
		return EINVAL;
	}
	f->next = in->fails[verb];
	in->fails[verb] = f;
	__atomic_store_n(&in->armed[verb], 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&svb_lock);
	return 0;
}

int svb_struck_locked(struct svb_inst *in, enum svb_verb v)
{
	struct svb_fail **p = &in->fails[v], *f;
	int err = 0;

	while ((f = *p)) {
		if (f->left == 0) { // each call
			err = f->err;
		} else if (--f->left == 0) { // this call, once
			err = f->err;
			*p = f->next;
			free(f);
			continue;
		}
		p = &f->next;
	}
	if (!in->fails[v])
		__atomic_store_n(&in->armed[v], 0, __ATOMIC_RELAXED);
	return err;
}

int svb_struck(struct svb_inst *in, enum svb_verb v)
{
	int err;

	pthread_mutex_lock(&svb_lock);
	err = svb_struck_locked(in, v);
	pthread_mutex_unlock(&svb_lock);
	return err;
}

void svb_disarm(struct svb_inst *in)
{
	struct svb_fail *f;
	int v;

	for (v = 0; v < SVB_VERBS; v++)
		while ((f = in->fails[v])) {
			in->fails[v] = f->next;
			free(f);
		}
}

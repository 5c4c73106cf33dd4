// Work queues and tables of them: Linux 6.1, drivers/infiniband/core/uverbs_std_types_wq.c and uverbs_cmd.c.
#include "uverbs/provider.h"

enum {
	KNOWN_FLAGS = IBV_WQ_FLAGS_CVLAN_STRIPPING | IBV_WQ_FLAGS_SCATTER_FCS | IBV_WQ_FLAGS_DELAY_DROP | IBV_WQ_FLAGS_PCI_WRITE_END_PADDING,
	MOST_LOG = IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE,
};

// parents looks up what a queue needs, and its sizes.
static void parents(const struct call *c, struct wq *w)
{
	w->pd = attr_needed(c, &w->o, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, UVERBS_OBJECT_PD);
	w->cq = attr_needed(c, &w->o, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, UVERBS_OBJECT_CQ);
	w->max_wr = (uint32_t)attr_number(c, UVERBS_ATTR_CREATE_WQ_MAX_WR, 0);
	w->max_sge = (uint32_t)attr_number(c, UVERBS_ATTR_CREATE_WQ_MAX_SGE, 0);
}

static void create(const struct call *c)
{
	const uint32_t flags = (uint32_t)attr_number(c, UVERBS_ATTR_CREATE_WQ_FLAGS, 0);
	struct wq *w;

	refuse_if(flags & ~(unsigned)KNOWN_FLAGS || attr_number(c, UVERBS_ATTR_CREATE_WQ_TYPE, 0) != IBV_WQT_RQ, EINVAL);
	w = object_new(c->ctx, UVERBS_OBJECT_WQ, sizeof *w, object_drop);
	parents(c, w);
	refuse_if(!c->dev->provider->create_wq, EOPNOTSUPP);
	c->dev->provider->create_wq(c, w, flags);
	w->o.user = attr_number(c, UVERBS_ATTR_CREATE_WQ_USER_HANDLE, 0);
	attr_out32(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, w->max_wr);
	attr_out32(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, w->max_sge);
	attr_out32(c, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, w->o.number);
	attr_created(c, UVERBS_ATTR_CREATE_WQ_HANDLE, w->o.handle);
}

// ib_uverbs_ex_modify_wq: without a state, the queue stays in the one that it is said to be in.
static void modify(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_ex_modify_wq, q);
	struct wq *w;
	int from, to;

	refuse_if(!q.attr_mask || q.attr_mask > (IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE | IBV_WQ_ATTR_FLAGS), EINVAL);
	w = object_get(c->ctx, UVERBS_OBJECT_WQ, q.wq_handle);
	from = q.attr_mask & IBV_WQ_ATTR_CURR_STATE ? (int)q.curr_wq_state : w->state;
	to = q.attr_mask & IBV_WQ_ATTR_STATE ? (int)q.wq_state : from;
	refuse_if(from < 0 || from > IBV_WQS_ERR || to < 0 || to > IBV_WQS_ERR, EINVAL);
	c->dev->provider->modify_wq(c, w, from, to, q.attr_mask & IBV_WQ_ATTR_FLAGS ? q.flags_mask : 0);
	w->state = to;
}

static void end_table(struct object *o)
{
	struct table *t = OF(o, struct table, o);

	for (uint32_t i = 0; i < t->n; i++)
		object_use(&t->wqs[i]->o, -1);
	object_drop(o);
}

// fill looks up the queues of a table, whose handles follow the command.
static void fill(const struct call *c, struct table *t)
{
	size_t length;
	const uint8_t *in = attr_pointer(c, UVERBS_ATTR_CORE_IN, &length);

	refuse_if(length < sizeof(struct ib_uverbs_ex_create_rwq_ind_table) + t->n * sizeof(uint32_t), ENOSPC);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t handle;

		memcpy(&handle, in + sizeof(struct ib_uverbs_ex_create_rwq_ind_table) + i * sizeof handle, sizeof handle);
		t->wqs[i] = object_get(c->ctx, UVERBS_OBJECT_WQ, handle);
	}
}

static void create_table(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_ex_create_rwq_ind_table, q);
	struct ib_uverbs_ex_create_rwq_ind_table_resp r = {.response_length = sizeof r};
	struct table *t;

	refuse_if(q.comp_mask, EOPNOTSUPP);
	refuse_if(q.log_ind_tbl_size > MOST_LOG, EINVAL);
	t = object_new(c->ctx, UVERBS_OBJECT_RWQ_IND_TBL, sizeof *t + (sizeof(struct wq *) << q.log_ind_tbl_size), end_table);
	t->n = 1u << q.log_ind_tbl_size;
	fill(c, t);
	refuse_if(t->n > c->dev->provider->table_most, EINVAL);
	for (uint32_t i = 0; i < t->n; i++)
		object_use(&t->wqs[i]->o, 1);
	r.ind_tbl_handle = t->o.handle;
	r.ind_tbl_num = t->o.number;
	ATTR_OUT(c, UVERBS_ATTR_CORE_OUT, r);
	c->dev->provider->create_table(c);
}

static void destroy_table(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_ex_destroy_rwq_ind_table, q);

	refuse_if(q.comp_mask, EOPNOTSUPP);
	object_destroy(c->ctx, UVERBS_OBJECT_RWQ_IND_TBL, q.ind_tbl_handle);
}

const struct method wq_methods[] = {
	{UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, create},
	{UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY, destroys, UVERBS_ATTR_DESTROY_WQ_HANDLE, UVERBS_ATTR_DESTROY_WQ_RESP},
	{WRITTEN, EXTENDED(IB_USER_VERBS_EX_CMD_MODIFY_WQ), modify, sizeof(struct ib_uverbs_ex_modify_wq), 0},
	{WRITTEN, EXTENDED(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL), create_table, sizeof(struct ib_uverbs_ex_create_rwq_ind_table),
		sizeof(struct ib_uverbs_ex_create_rwq_ind_table_resp)},
	{WRITTEN, EXTENDED(IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL), destroy_table, sizeof(struct ib_uverbs_ex_destroy_rwq_ind_table), 0},
	{0},
};

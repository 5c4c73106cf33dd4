// Shared receive queues: Linux 6.1, drivers/infiniband/core/uverbs_std_types_srq.c and uverbs_cmd.c.
#include "uverbs/provider.h"

// parents looks up the objects that a queue of its type needs.
static void parents(const struct call *c, struct srq *s)
{
	s->pd = attr_needed(c, &s->o, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, UVERBS_OBJECT_PD);
	switch (s->type) {
	case IB_UVERBS_SRQT_BASIC:
		return;
	case IB_UVERBS_SRQT_XRC:
		s->cq = attr_needed(c, &s->o, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, UVERBS_OBJECT_CQ);
		s->xrcd = attr_needed(c, &s->o, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, UVERBS_OBJECT_XRCD);
		return;
	case IB_UVERBS_SRQT_TM:
		refuse(EOPNOTSUPP); // ours: this card matches no tags
	default:
		refuse(EINVAL);
	}
}

static void create(const struct call *c)
{
	struct srq *s = object_new(c->ctx, UVERBS_OBJECT_SRQ, sizeof *s, object_drop);

	s->type = (int)attr_number(c, UVERBS_ATTR_CREATE_SRQ_TYPE, 0);
	s->max_wr = (uint32_t)attr_number(c, UVERBS_ATTR_CREATE_SRQ_MAX_WR, 0);
	s->max_sge = (uint32_t)attr_number(c, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 0);
	parents(c, s);
	c->dev->provider->create_srq(c, s);
	s->o.user = attr_number(c, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 0);
	attr_out32(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, s->max_wr);
	attr_out32(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, s->max_sge);
	if (s->type == IB_UVERBS_SRQT_XRC)
		attr_out32(c, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, s->o.number);
	attr_created(c, UVERBS_ATTR_CREATE_SRQ_HANDLE, s->o.handle);
}

static void modify(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_modify_srq, q);

	c->dev->provider->modify_srq(object_get(c->ctx, UVERBS_OBJECT_SRQ, q.srq_handle), &q);
}

static void query(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_query_srq, q);
	const struct srq *s = object_get(c->ctx, UVERBS_OBJECT_SRQ, q.srq_handle);

	ATTR_ANSWER(c, UVERBS_ATTR_CORE_OUT, ib_uverbs_query_srq_resp, .max_wr = s->max_wr, .max_sge = s->max_sge, .srq_limit = s->limit);
}

const struct method srq_methods[] = {
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, create},
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, destroys, UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_ATTR_DESTROY_SRQ_RESP},
	{WRITTEN, IB_USER_VERBS_CMD_MODIFY_SRQ, modify, 16, 0},
	{WRITTEN, IB_USER_VERBS_CMD_QUERY_SRQ, query, 8, sizeof(struct ib_uverbs_query_srq_resp)},
	{0},
};

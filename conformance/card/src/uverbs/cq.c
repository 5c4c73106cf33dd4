// Completion queues: Linux 6.1, drivers/infiniband/core/uverbs_std_types_cq.c and uverbs_cmd.c.
#include "uverbs/provider.h"

enum { KNOWN_FLAGS = IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION | IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN };

static void end_cq(struct object *o)
{
	struct cq *cq = OF(o, struct cq, o);

	event_forget_completions(cq->channel, o);
	channel_drop(cq->channel);
	if (o->ctx->dev->provider->end_cq)
		o->ctx->dev->provider->end_cq(cq);
	object_drop(o);
}

static void create(const struct call *c)
{
	const uint32_t entries = (uint32_t)attr_number(c, UVERBS_ATTR_CREATE_CQ_CQE, 0);
	const uint32_t flags = (uint32_t)attr_number(c, UVERBS_ATTR_CREATE_CQ_FLAGS, 0);
	const struct ib_uverbs_attr *fd = attr(c, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	struct channel *channel = fd ? channel_of((int)fd->data) : NULL;
	struct cq *cq;

	refuse_if(flags & ~(unsigned)KNOWN_FLAGS, EINVAL);
	refuse_if(fd && !channel, EBADF);
	refuse_if(attr_number(c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 0) >= VECTORS, EINVAL);
	cq = object_new(c->ctx, UVERBS_OBJECT_CQ, sizeof *cq, end_cq);
	cq->channel = channel;
	c->dev->provider->create_cq(c, cq, entries, flags);
	channel_hold(channel);
	cq->o.user = attr_number(c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 0);
	attr_out32(c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, cq->entries);
	attr_created(c, UVERBS_ATTR_CREATE_CQ_HANDLE, cq->o.handle);
}

static void destroy(const struct call *c)
{
	struct cq *cq = attr_object(c, UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_OBJECT_CQ);

	object_unused(&cq->o);
	ATTR_ANSWER(c, UVERBS_ATTR_DESTROY_CQ_RESP, ib_uverbs_destroy_cq_resp,
		event_forget_completions(cq->channel, &cq->o), event_forget_async(&cq->o));
	end_cq(&cq->o);
}

static void resize(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_resize_cq, q);
	struct cq *cq = object_get(c->ctx, UVERBS_OBJECT_CQ, q.cq_handle);

	c->dev->provider->resize_cq(c, cq, q.cqe);
	ATTR_ANSWER(c, UVERBS_ATTR_CORE_OUT, ib_uverbs_resize_cq_resp, cq->entries);
}

static void modify(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_ex_modify_cq, q);

	refuse_if(!q.attr_mask || q.reserved, EINVAL);
	refuse_if(q.attr_mask > IBV_CQ_ATTR_MODERATE, EOPNOTSUPP);
	object_get(c->ctx, UVERBS_OBJECT_CQ, q.cq_handle);
	c->dev->provider->modify_cq(q.attr.cq_period);
}

const struct method cq_methods[] = {
	{UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, create},
	{UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, destroy},
	{WRITTEN, IB_USER_VERBS_CMD_RESIZE_CQ, resize, 8, 4},
	{WRITTEN, EXTENDED(IB_USER_VERBS_EX_CMD_MODIFY_CQ), modify, sizeof(struct ib_uverbs_ex_modify_cq), 0},
	{0},
};

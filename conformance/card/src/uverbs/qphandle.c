// Handles of queue pairs: Linux 6.1, drivers/infiniband/core/verbs.c, ib_open_qp and __ib_destroy_shared_qp; core/uverbs_cmd.c,
// ib_uverbs_open_qp.
//
// The kernel keeps a queue pair of type XRC target until the last of its handles ends. Here the handle that made it is the queue pair itself;
// when that ends first, the queue pair takes the place of another handle.
#include "uverbs/provider.h"
#include "wire/wire.h"

struct qp *qp_get(const struct call *c, uint32_t handle)
{
	struct qp *q = object_get(c->ctx, UVERBS_OBJECT_QP, handle);

	return q->real ? q->real : q;
}

// promote gives a queue pair, whose own handle ends, the place of another of its handles.
static void promote(struct qp *q)
{
	struct qp *h = LIST_FIRST(&q->openers);

	LIST_REMOVE(h, opener);
	q->xrcd = h->xrcd;
	object_replace(&q->o, &h->o);
}

void qp_settle(struct qp *q)
{
	if (!q->real && LIST_EMPTY(&q->openers))
		engine_settle(q);
}

void qp_end(struct object *o)
{
	struct qp *q = OF(o, struct qp, o);

	qp_settle(q);
	event_forget_async(o);
	if (q->real) {
		LIST_REMOVE(q, opener);
		object_drop(o);
	} else if (!LIST_EMPTY(&q->openers)) {
		promote(q);
	} else {
		net_leave(q);
		if (o->ctx->dev->provider->end_qp)
			o->ctx->dev->provider->end_qp(q);
		object_drop(o);
	}
}

void qp_open(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_open_qp, q);
	struct xrcd *x = object_find(c->ctx, UVERBS_OBJECT_XRCD, q.pd_handle);
	struct qp *real = net_find(q.qpn), *h;

	refuse_if(!x || q.qp_type != IBV_QPT_XRC_RECV || !real || real->type != IBV_QPT_XRC_RECV || !xrcd_same(real->xrcd, x), EINVAL);
	h = object_new(c->ctx, UVERBS_OBJECT_QP, sizeof *h, qp_end);
	h->o.user = q.user_handle;
	h->xrcd = x;
	h->real = real;
	LIST_INSERT_HEAD(&real->openers, h, opener);
	object_needs(&h->o, x);
	ATTR_ANSWER(c, UVERBS_ATTR_CORE_OUT, ib_uverbs_create_qp_resp, .qpn = real->number, .qp_handle = h->o.handle);
}

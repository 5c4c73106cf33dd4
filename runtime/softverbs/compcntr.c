//go:build linux && cgo

// Completion counters: two numbers each, of the good and of the failed completions of queue pairs.

#include "entry.h"
#include "qp.h"

#define MOST 1024

// forget also ends what counts in it: a counter may be newer than a queue pair that is open still when the context is closed.
static void forget(struct svb_obj *o)
{
	struct svb_comp_cntr *c = SVB_OF(o, struct svb_comp_cntr);
	struct svb_qp *qp;

	TAILQ_FOREACH(qp, &o->ctx->dev->qps, link)
		for (int op = 0; op < SVB_CO_N; op++)
			if (qp->counters[op] == c)
				qp->counters[op] = NULL;
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_COMP_CNTR, svb_comp_cntr), .noun = "completion counter (handle 0)", .free = forget};

int svb_query_comp_cntr_caps(struct ibv_context *pub, struct ibv_comp_cntr_caps *caps, size_t size)
{
	const struct ibv_comp_cntr_caps have = {.max_value = UINT64_MAX, .max_counters = MOST, .supported_qp_attach_ops = (1 << SVB_CO_N) - 1};
	int err;

	svb_enter(pub, SVB_T_CTX, SVB_QUERY_COMP_CNTR_CAPS, &err);
	if (!err && size < sizeof have)
		err = EINVAL;
	if (err)
		return errno = err;
	memset(caps, 0, size);
	memcpy(caps, &have, sizeof have);
	return 0;
}

struct ibv_comp_cntr *svb_create_comp_cntr(struct ibv_context *pub, struct ibv_comp_cntr_init_attr *a)
{
	int err;
	struct svb_ctx *ctx = svb_begin(pub, SVB_T_CTX, SVB_CREATE_COMP_CNTR, &err);
	struct svb_comp_cntr *c;

	if (!err && (a->comp_mask || a->flags || (unsigned)a->type > IBV_COMP_CNTR_TYPE_BYTES))
		err = EOPNOTSUPP;
	if (!err && svb_count(ctx->obj.inst, SVB_T_COMP_CNTR) >= MOST)
		err = ENOMEM;
	c = svb_new_obj(&kind, ctx, &err);
	if (!err) {
		c->pub.context = pub;
		c->bytes = a->type == IBV_COMP_CNTR_TYPE_BYTES;
	}
	return svb_made(c, err);
}

SVB_DESTROYS(svb_destroy_comp_cntr, ibv_comp_cntr, SVB_T_COMP_CNTR, SVB_DESTROY_COMP_CNTR)

// A number that exceeds what it can hold begins at 0 again.
#define NUMBER(function, verb, parameter, statement)                                \
	int function(struct ibv_comp_cntr *pub, parameter)                          \
	{                                                                           \
		int err;                                                            \
		struct svb_comp_cntr *c = svb_begin(pub, SVB_T_COMP_CNTR, verb, &err); \
		if (!err)                                                           \
			statement;                                                  \
		return svb_end(err);                                                \
	}
NUMBER(svb_set_comp_cntr, SVB_SET_COMP_CNTR, uint64_t n, c->good = n)
NUMBER(svb_set_err_comp_cntr, SVB_SET_ERR_COMP_CNTR, uint64_t n, c->bad = n)
NUMBER(svb_inc_comp_cntr, SVB_INC_COMP_CNTR, uint64_t n, c->good += n)
NUMBER(svb_inc_err_comp_cntr, SVB_INC_ERR_COMP_CNTR, uint64_t n, c->bad += n)
NUMBER(svb_read_comp_cntr, SVB_READ_COMP_CNTR, uint64_t *n, *n = c->good)
NUMBER(svb_read_err_comp_cntr, SVB_READ_ERR_COMP_CNTR, uint64_t *n, *n = c->bad)

static int may_attach(const struct svb_qp *qp, const struct svb_comp_cntr *c, const struct ibv_qp_attach_comp_cntr_attr *a)
{
	if (!qp || qp->obj.ctx->file != c->obj.ctx->file)
		return EINVAL;
	if (qp->state != IBV_QPS_RESET && qp->state != IBV_QPS_INIT)
		return EINVAL;
	if (!(a->op_mask & ((1 << SVB_CO_N) - 1))) // libibverbs leaves other bits out, and does not look at comp_mask
		return EINVAL;
	for (int op = 0; op < SVB_CO_N; op++)
		if (a->op_mask >> op & 1 && qp->counters[op])
			return EBUSY;
	return 0;
}

int svb_qp_attach_comp_cntr(struct ibv_qp *pub, struct ibv_comp_cntr *cntr, struct ibv_qp_attach_comp_cntr_attr *a)
{
	int err;
	struct svb_comp_cntr *c = svb_begin(cntr, SVB_T_COMP_CNTR, SVB_ATTACH_COMP_CNTR, &err);
	struct svb_qp *qp = svb_find_qp(pub);

	if (!err)
		err = may_attach(qp, c, a);
	for (int op = 0; !err && op < SVB_CO_N; op++)
		if (a->op_mask >> op & 1) {
			qp->counters[op] = c;
			c->obj.users++;
		}
	return svb_end(err);
}

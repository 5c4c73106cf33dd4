//go:build linux && cgo

// Counters, each at an index of its own.

#include "entry.h"
#include "counters.h"

static void forget(struct svb_obj *o)
{
	free(SVB_OF(o, struct svb_counters)->points);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_COUNTERS, svb_counters), .noun = "counters", .free = forget};

struct ibv_counters *svb_create_counters(struct ibv_context *pub, struct ibv_counters_init_attr *a)
{
	int err;
	struct svb_ctx *ctx = svb_begin(pub, SVB_T_CTX, SVB_CREATE_COUNTERS, &err);
	struct svb_counters *c;

	if (!err && a->comp_mask)
		err = EOPNOTSUPP;
	c = svb_new_obj(&kind, ctx, &err);
	if (!err)
		c->pub.context = pub;
	return svb_made(c, err);
}

SVB_DESTROYS(svb_destroy_counters, ibv_counters, SVB_T_COUNTERS, SVB_DESTROY_COUNTERS)

// What is counted at an index is the sum of all that is attached there.
int svb_read_counters(struct ibv_counters *pub, uint64_t *values, uint32_t n, uint32_t flags)
{
	uint32_t i;
	int err;
	struct svb_counters *c = svb_begin(pub, SVB_T_COUNTERS, SVB_READ_COUNTERS, &err);

	if (!err && flags & ~(uint32_t)IBV_READ_COUNTERS_ATTR_PREFER_CACHED) // there is no cache to prefer
		err = EINVAL;
	for (i = 0; !err && i < c->npoints; i++)
		if (c->points[i].index >= n)
			err = EINVAL;
	if (!err && (n == 0 || c->obj.users == 0)) // the kernel reads none that nothing counts in
		err = EINVAL;
	if (!err) {
		memset(values, 0, n * sizeof *values);
		for (i = 0; i < c->npoints; i++)
			values[c->points[i].index] += c->points[i].what == IBV_COUNTER_BYTES ? c->bytes : c->packets;
	}
	return svb_end(err);
}

// Nothing is attached to a flow that exists, as with mlx5, nor while a flow has the counters.
int svb_attach_counters(struct ibv_counters *pub, struct ibv_counter_attach_attr *a, struct ibv_flow *flow)
{
	struct svb_point *more;
	int err;
	struct svb_counters *c = svb_begin(pub, SVB_T_COUNTERS, SVB_ATTACH_COUNTERS, &err);

	if (!err && (flow || a->counter_desc > IBV_COUNTER_BYTES))
		err = ENOTSUP;
	if (!err && a->comp_mask)
		err = EOPNOTSUPP;
	if (!err && c->obj.users)
		err = EBUSY;
	if (!err) {
		more = realloc(c->points, (c->npoints + 1) * sizeof *more);
		err = more ? 0 : ENOMEM;
	}
	if (!err) {
		c->points = more;
		more[c->npoints++] = (struct svb_point){a->counter_desc, a->index};
	}
	return svb_end(err);
}

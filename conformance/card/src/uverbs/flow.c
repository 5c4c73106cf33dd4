// Flows and counters: Linux 6.1, drivers/infiniband/core/uverbs_cmd.c, ib_uverbs_ex_create_flow and kern_spec_to_ib_spec;
// uverbs_std_types_counters.c.
#include <unistd.h>

#include "uverbs/dispatch.h"
#include "uverbs/qp.h"

enum {
	LAYERS = 10,                        // IB_FLOW_SPEC_SUPPORT_LAYERS
	FLAGS = IBV_FLOW_ATTR_FLAGS_DONT_TRAP | IBV_FLOW_ATTR_FLAGS_EGRESS,
};

static void end_flow(struct object *o)
{
	o->ctx->dev->provider->destroy_flow(OF(o, struct flow, o));
	object_drop(o);
}

// filter_size returns how many bytes of a filter there are to match, or 0.
static size_t filter_size(uint32_t type)
{
	switch (type & ~(uint32_t)IBV_FLOW_SPEC_INNER) {
	case IBV_FLOW_SPEC_ETH: return 16;
	case IBV_FLOW_SPEC_IPV4: return 12;
	case IBV_FLOW_SPEC_IPV6: return 39;
	case IBV_FLOW_SPEC_TCP: case IBV_FLOW_SPEC_UDP: case IBV_FLOW_SPEC_VXLAN_TUNNEL: case IBV_FLOW_SPEC_MPLS: return 4;
	case IBV_FLOW_SPEC_ESP: case IBV_FLOW_SPEC_GRE: return 8;
	default: return 0;
	}
}

// A filter is a value and a mask of one size. One that is longer than what is known has no mask there.
static int read_filter(const struct ib_uverbs_flow_spec_hdr *h, struct spec *s)
{
	const size_t size = h->size < sizeof *h ? 0 : (h->size - sizeof *h) / 2, known = filter_size(h->type);
	const uint8_t *value = (const uint8_t *)(h + 1), *mask = value + size;

	if (!size || size % 4 || !known || h->type == (IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_VXLAN_TUNNEL))
		return EINVAL;
	for (size_t i = known; i < size; i++)
		if (mask[i])
			return EINVAL;
	memcpy(s->value, value, MIN(size, known));
	memcpy(s->mask, mask, MIN(size, known));
	return 0;
}

static int read_action(const struct call *c, const struct ib_uverbs_flow_spec_hdr *h, struct spec *s)
{
	const struct ib_uverbs_flow_spec_action_tag *tag = (const void *)h;
	const struct ib_uverbs_flow_spec_action_count *count = (const void *)h;
	int err;

	switch (h->type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		if (h->size != sizeof *tag)
			return EINVAL;
		s->tag = tag->tag_id;
		return 0;
	case IBV_FLOW_SPEC_ACTION_DROP:
		return h->size == sizeof(struct ib_uverbs_flow_spec_action_drop) ? 0 : EINVAL;
	case IBV_FLOW_SPEC_ACTION_HANDLE: // of an action, which no driver of this kernel makes by a verb
		if (h->size != sizeof(struct ib_uverbs_flow_spec_action_handle))
			return EOPNOTSUPP;
		object_get(c->ctx, UVERBS_OBJECT_FLOW_ACTION, ((const struct ib_uverbs_flow_spec_action_handle *)(const void *)h)->handle, &err);
		return err;
	case IBV_FLOW_SPEC_ACTION_COUNT:
		if (h->size != sizeof *count)
			return EINVAL;
		s->counters = object_get(c->ctx, UVERBS_OBJECT_COUNTERS, count->handle, &err);
		return err;
	default:
		return EINVAL;
	}
}

// read_specs reads the specs that follow the command.
static int read_specs(const struct call *c, const struct ib_uverbs_create_flow *q, struct spec *specs)
{
	size_t length;
	const uint8_t *at = attr_pointer(c, UVERBS_ATTR_CORE_IN, &length), *end = at + sizeof *q + q->flow_attr.size;
	int err = 0;

	if (length < sizeof *q + q->flow_attr.size)
		return ENOSPC;
	at += sizeof *q;
	for (int i = 0; i < q->flow_attr.num_of_specs && !err; i++) {
		const struct ib_uverbs_flow_spec_hdr *h = (const void *)at;

		if ((size_t)(end - at) < sizeof *h || end - at < h->size || h->reserved)
			return EINVAL;
		specs[i] = (struct spec){.type = h->type};
		err = h->type >= IBV_FLOW_SPEC_ACTION_TAG ? read_action(c, h, &specs[i]) : read_filter(h, &specs[i]);
		at += h->size;
	}
	return !err && at != end ? EINVAL : err;
}

static int check(const struct ib_uverbs_create_flow *q)
{
	const struct ib_uverbs_flow_attr *a = &q->flow_attr;

	if (q->comp_mask)
		return EINVAL;
	if (geteuid()) // for CAP_NET_RAW
		return EPERM;
	if (a->flags > FLAGS + 0u || (a->flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP && (a->type == IBV_FLOW_ATTR_ALL_DEFAULT ||
		a->type == IBV_FLOW_ATTR_MC_DEFAULT)))
		return EINVAL;
	if (a->num_of_specs > LAYERS || a->size > a->num_of_specs * sizeof(struct ib_uverbs_flow_spec_ipv6) || a->reserved[0] || a->reserved[1])
		return EINVAL;
	return a->port != 1 ? EINVAL : 0;
}

static int create(const struct call *c)
{
	static uint32_t numbers;
	struct ib_uverbs_create_flow q;
	struct ib_uverbs_create_flow_resp r = {0};
	struct spec specs[LAYERS];
	struct flow *f;
	struct qp *qp;
	int err;

	ATTR_IN(c, UVERBS_ATTR_CORE_IN, q);
	err = check(&q);
	if (err)
		return err;
	qp = object_get(c->ctx, UVERBS_OBJECT_QP, q.qp_handle, &err);
	if (!qp)
		return err;
	if (qp->type != IBV_QPT_UD && qp->type != IBV_QPT_RAW_PACKET)
		return EINVAL;
	err = c->dev->provider->create_flow ? read_specs(c, &q, specs) : EOPNOTSUPP;
	f = err ? NULL : object_new(c->ctx, UVERBS_OBJECT_FLOW, sizeof *f, end_flow, &err);
	if (!f)
		return err;
	f->qp = qp;
	f->number = ++numbers;
	f->egress = q.flow_attr.flags & IBV_FLOW_ATTR_FLAGS_EGRESS;
	f->goes_on = q.flow_attr.flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
	err = c->dev->provider->create_flow(c, f, &q.flow_attr, specs, q.flow_attr.num_of_specs);
	if (err)
		return err;
	object_needs(&f->o, 0, qp);
	object_needs(&f->o, 1, f->counters);
	r.flow_handle = f->o.handle;
	ATTR_OUT(c, UVERBS_ATTR_CORE_OUT, r);
	return 0;
}

static int destroy(const struct call *c)
{
	struct ib_uverbs_destroy_flow q;

	ATTR_IN(c, UVERBS_ATTR_CORE_IN, q);
	return q.comp_mask ? EINVAL : object_destroy(c->ctx, UVERBS_OBJECT_FLOW, q.flow_handle);
}

static int create_counters(const struct call *c)
{
	struct counters *k;
	int err;

	if (!c->dev->provider->read_counters)
		return EOPNOTSUPP;
	k = object_new(c->ctx, UVERBS_OBJECT_COUNTERS, sizeof *k, object_drop, &err);
	if (k)
		attr_created(c, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, k->o.handle);
	return err;
}

// Counters that no flow has are EINVAL.
static int read_counters(const struct call *c)
{
	const struct ib_uverbs_attr *buf = attr(c, UVERBS_ATTR_READ_COUNTERS_BUFF);
	int err;
	const struct counters *k = attr_object(c, UVERBS_ATTR_READ_COUNTERS_HANDLE, UVERBS_OBJECT_COUNTERS, &err);
	uint64_t *values;
	size_t n;

	if (!k)
		return err;
	if (!object_users(&k->o) || !buf || attr_number(c, UVERBS_ATTR_READ_COUNTERS_FLAGS, 0) & ~(uint64_t)IB_UVERBS_READ_COUNTERS_PREFER_CACHED)
		return EINVAL;
	n = buf->len / sizeof *values;
	values = calloc(n + 1, sizeof *values);
	if (!values)
		return ENOMEM;
	err = c->dev->provider->read_counters(k, values, n);
	if (!err)
		attr_out(c, UVERBS_ATTR_READ_COUNTERS_BUFF, values, n * sizeof *values);
	free(values);
	return err;
}

const struct method flow_methods[] = {
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, create_counters},
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY, destroys, UVERBS_ATTR_DESTROY_COUNTERS_HANDLE},
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ, read_counters},
	{0},
};

const struct command flow_commands[] = {
	{EXTENDED(IB_USER_VERBS_EX_CMD_CREATE_FLOW), create, sizeof(struct ib_uverbs_create_flow), sizeof(struct ib_uverbs_create_flow_resp)},
	{EXTENDED(IB_USER_VERBS_EX_CMD_DESTROY_FLOW), destroy, sizeof(struct ib_uverbs_destroy_flow), 0},
	{0},
};

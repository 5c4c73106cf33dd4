// Flows and counters: Linux 6.1, drivers/infiniband/core/uverbs_cmd.c, ib_uverbs_ex_create_flow and kern_spec_to_ib_spec;
// uverbs_std_types_counters.c.
#include <unistd.h>

#include "uverbs/provider.h"

enum { FLAGS = IBV_FLOW_ATTR_FLAGS_DONT_TRAP | IBV_FLOW_ATTR_FLAGS_EGRESS };

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
static void read_filter(const struct ib_uverbs_flow_spec_hdr *h, struct spec *s)
{
	const size_t size = h->size < sizeof *h ? 0 : (h->size - sizeof *h) / 2, known = filter_size(h->type);
	const uint8_t *value = (const uint8_t *)(h + 1), *mask = value + size;

	refuse_if(!size || size % 4 || !known || h->type == (IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_VXLAN_TUNNEL), EINVAL);
	for (size_t i = known; i < size; i++)
		refuse_if(mask[i], EINVAL);
	memcpy(s->value, value, MIN(size, known));
	memcpy(s->mask, mask, MIN(size, known));
}

static void read_action(const struct call *c, const struct ib_uverbs_flow_spec_hdr *h, struct spec *s)
{
	const struct ib_uverbs_flow_spec_action_tag *tag = (const void *)h;
	const struct ib_uverbs_flow_spec_action_count *count = (const void *)h;

	switch (h->type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		refuse_if(h->size != sizeof *tag, EINVAL);
		s->tag = tag->tag_id;
		return;
	case IBV_FLOW_SPEC_ACTION_DROP:
		refuse_if(h->size != sizeof(struct ib_uverbs_flow_spec_action_drop), EINVAL);
		return;
	case IBV_FLOW_SPEC_ACTION_HANDLE: // of an action, which no driver of this kernel makes by a verb
		refuse_if(h->size != sizeof(struct ib_uverbs_flow_spec_action_handle), EOPNOTSUPP);
		object_get(c->ctx, UVERBS_OBJECT_FLOW_ACTION, ((const struct ib_uverbs_flow_spec_action_handle *)(const void *)h)->handle);
		return;
	case IBV_FLOW_SPEC_ACTION_COUNT:
		refuse_if(h->size != sizeof *count, EINVAL);
		s->counters = object_get(c->ctx, UVERBS_OBJECT_COUNTERS, count->handle);
		return;
	default:
		refuse(EINVAL);
	}
}

// read_specs reads the specs that follow the command.
static void read_specs(const struct call *c, const struct ib_uverbs_create_flow *q, struct spec *specs)
{
	size_t length;
	const uint8_t *at = attr_pointer(c, UVERBS_ATTR_CORE_IN, &length), *end = at + sizeof *q + q->flow_attr.size;

	refuse_if(length < sizeof *q + q->flow_attr.size, ENOSPC);
	at += sizeof *q;
	for (int i = 0; i < q->flow_attr.num_of_specs; i++) {
		const struct ib_uverbs_flow_spec_hdr *h = (const void *)at;

		refuse_if((size_t)(end - at) < sizeof *h || end - at < h->size || h->reserved, EINVAL);
		specs[i] = (struct spec){.type = h->type};
		if (h->type >= IBV_FLOW_SPEC_ACTION_TAG)
			read_action(c, h, &specs[i]);
		else
			read_filter(h, &specs[i]);
		at += h->size;
	}
	refuse_if(at != end, EINVAL);
}

static void check_flow(const struct ib_uverbs_create_flow *q)
{
	const struct ib_uverbs_flow_attr *a = &q->flow_attr;

	refuse_if(q->comp_mask, EINVAL);
	if (geteuid()) // for CAP_NET_RAW
		refuse(EPERM);
	refuse_if(a->flags > FLAGS + 0u || (a->flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP && (a->type == IBV_FLOW_ATTR_ALL_DEFAULT ||
		a->type == IBV_FLOW_ATTR_MC_DEFAULT)), EINVAL);
	refuse_if(a->num_of_specs > SPECS || a->size > a->num_of_specs * sizeof(struct ib_uverbs_flow_spec_ipv6), EINVAL);
	refuse_if(a->reserved[0] || a->reserved[1], EINVAL);
	refuse_if(a->port != 1, EINVAL);
}

static void create(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_create_flow, q);
	struct spec specs[SPECS];
	struct flow *f;
	struct qp *qp;

	check_flow(&q);
	qp = object_get(c->ctx, UVERBS_OBJECT_QP, q.qp_handle);
	refuse_if(qp->type != IBV_QPT_UD && qp->type != IBV_QPT_RAW_PACKET, EINVAL);
	refuse_if(!c->dev->provider->create_flow, EOPNOTSUPP);
	read_specs(c, &q, specs);
	f = object_new(c->ctx, UVERBS_OBJECT_FLOW, sizeof *f, end_flow);
	f->qp = qp;
	f->egress = q.flow_attr.flags & IBV_FLOW_ATTR_FLAGS_EGRESS;
	f->goes_on = q.flow_attr.flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
	c->dev->provider->create_flow(c, f, &q.flow_attr, specs, q.flow_attr.num_of_specs);
	object_needs(&f->o, qp);
	object_needs(&f->o, f->counters);
	ATTR_ANSWER(c, UVERBS_ATTR_CORE_OUT, ib_uverbs_create_flow_resp, .flow_handle = f->o.handle);
}

static void destroy(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_destroy_flow, q);

	refuse_if(q.comp_mask, EINVAL);
	object_destroy(c->ctx, UVERBS_OBJECT_FLOW, q.flow_handle);
}

static void create_counters(const struct call *c)
{
	struct counters *k;

	refuse_if(!c->dev->provider->read_counters, EOPNOTSUPP);
	k = object_new(c->ctx, UVERBS_OBJECT_COUNTERS, sizeof *k, object_drop);
	attr_created(c, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, k->o.handle);
}

// Counters that no flow has are EINVAL.
static void read_counters(const struct call *c)
{
	const struct ib_uverbs_attr *buf = attr(c, UVERBS_ATTR_READ_COUNTERS_BUFF);
	const struct counters *k = attr_object(c, UVERBS_ATTR_READ_COUNTERS_HANDLE, UVERBS_OBJECT_COUNTERS);
	uint64_t *values;
	size_t n;
	int err;

	refuse_if(!object_users(&k->o) || !buf, EINVAL);
	refuse_if(attr_number(c, UVERBS_ATTR_READ_COUNTERS_FLAGS, 0) & ~(uint64_t)IB_UVERBS_READ_COUNTERS_PREFER_CACHED, EINVAL);
	n = buf->len / sizeof *values;
	values = calloc(n + 1, sizeof *values);
	refuse_if(!values, ENOMEM);
	err = c->dev->provider->read_counters(k, values, n);
	if (!err)
		attr_out(c, UVERBS_ATTR_READ_COUNTERS_BUFF, values, n * sizeof *values);
	free(values);
	check(err);
}

const struct method flow_methods[] = {
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, create_counters},
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY, destroys, UVERBS_ATTR_DESTROY_COUNTERS_HANDLE},
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ, read_counters},
	{WRITTEN, EXTENDED(IB_USER_VERBS_EX_CMD_CREATE_FLOW), create, sizeof(struct ib_uverbs_create_flow),
		sizeof(struct ib_uverbs_create_flow_resp)},
	{WRITTEN, EXTENDED(IB_USER_VERBS_EX_CMD_DESTROY_FLOW), destroy, sizeof(struct ib_uverbs_destroy_flow), 0},
	{0},
};

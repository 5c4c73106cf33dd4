//go:build linux && cgo

// Flows. They are taken apart and kept by priority; raw.c asks them who gets a frame.

#include "entry.h"
#include "flow.h"
#include "steer.h"

static void part(struct svb_obj *o)
{
	struct svb_flow *f = SVB_OF(o, struct svb_flow);

	if (f->qp)
		TAILQ_REMOVE(&f->qp->dev->flows, f, link);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_FLOW, svb_flow), .noun = "flow", .numbered = true, .part = part};

// size_of is the size of a spec of a type; 0: there is none, or it cannot be inside of a tunnel.
static size_t size_of(uint32_t type)
{
	const bool inner = type & IBV_FLOW_SPEC_INNER;

	switch (type & ~(uint32_t)IBV_FLOW_SPEC_INNER) {
	case IBV_FLOW_SPEC_ETH: return sizeof(struct ibv_flow_spec_eth);
	case IBV_FLOW_SPEC_IPV4: return sizeof(struct ibv_flow_spec_ipv4);
	case IBV_FLOW_SPEC_IPV4_EXT: return sizeof(struct ibv_flow_spec_ipv4_ext);
	case IBV_FLOW_SPEC_IPV6: return sizeof(struct ibv_flow_spec_ipv6);
	case IBV_FLOW_SPEC_ESP: return sizeof(struct ibv_flow_spec_esp);
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP: return sizeof(struct ibv_flow_spec_tcp_udp);
	case IBV_FLOW_SPEC_MPLS: return sizeof(struct ibv_flow_spec_mpls);
	case IBV_FLOW_SPEC_VXLAN_TUNNEL: return inner ? 0 : sizeof(struct ibv_flow_spec_tunnel);
	case IBV_FLOW_SPEC_GRE: return inner ? 0 : sizeof(struct ibv_flow_spec_gre);
	case IBV_FLOW_SPEC_ACTION_TAG: return inner ? 0 : sizeof(struct ibv_flow_spec_action_tag);
	case IBV_FLOW_SPEC_ACTION_DROP: return inner ? 0 : sizeof(struct ibv_flow_spec_action_drop);
	case IBV_FLOW_SPEC_ACTION_HANDLE: return inner ? 0 : sizeof(struct ibv_flow_spec_action_handle);
	case IBV_FLOW_SPEC_ACTION_COUNT: return inner ? 0 : sizeof(struct ibv_flow_spec_counter_action);
	}
	return 0;
}

// take looks at the specs one by one.
static int take(struct svb_flow *f, const struct ibv_flow_attr *a)
{
	const char *at = (const char *)(a + 1), *stop = (const char *)a + a->size;
	unsigned i;

	for (i = 0; i < a->num_of_specs; i++) {
		union svb_spec *s = &f->specs[f->nspecs++];
		struct { uint32_t type; uint16_t size; } head;

		if (stop - at < (ptrdiff_t)sizeof head)
			return EINVAL;
		memcpy(&head, at, sizeof head);
		if (head.size == 0 || head.size != size_of(head.type) || head.size > stop - at)
			return EINVAL;
		memcpy(s, at, head.size < sizeof *s ? head.size : sizeof *s);
		if (head.type == IBV_FLOW_SPEC_ACTION_COUNT && (f->counters || !(f->counters = svb_live(s->count.counters, SVB_T_COUNTERS))))
			return EINVAL;
		if (head.type == IBV_FLOW_SPEC_ACTION_TAG)
			f->tag = s->tag.tag_id;
		if (head.type == IBV_FLOW_SPEC_ACTION_HANDLE && (f->action || !(f->action = svb_live(s->action.action, SVB_T_FLOW_ACTION))))
			return EINVAL;
		f->drop |= head.type == IBV_FLOW_SPEC_ACTION_DROP;
		at += head.size;
	}
	return at == stop ? 0 : EINVAL;
}

// insert puts a flow behind those that come before it.
static void insert(struct svb_dev *d, struct svb_flow *f)
{
	struct svb_flow *g;

	TAILQ_FOREACH(g, &d->flows, link)
		if (g->priority > f->priority) {
			TAILQ_INSERT_BEFORE(g, f, link);
			return;
		}
	TAILQ_INSERT_TAIL(&d->flows, f, link);
}

static int enter(struct svb_qp *qp, struct svb_flow *f, const struct ibv_flow_attr *a)
{
	int err;

	if (qp->pub.qp_type != IBV_QPT_UD && qp->pub.qp_type != IBV_QPT_RAW_PACKET)
		return EINVAL;
	if (a->port == 0 || a->port > qp->dev->cfg.ports || a->type > IBV_FLOW_ATTR_SNIFFER || a->num_of_specs > SVB_MAX_SPECS)
		return EINVAL;
	if (a->flags & ~(uint32_t)(IBV_FLOW_ATTR_FLAGS_DONT_TRAP | IBV_FLOW_ATTR_FLAGS_EGRESS))
		return EINVAL;
	err = take(f, a);
	if (err)
		return err;
	f->qp = qp;
	f->type = a->type;
	f->priority = a->priority;
	f->port = a->port;
	f->flags = a->flags;
	insert(qp->dev, f);
	svb_need(&f->obj, &qp->obj);
	svb_need(&f->obj, f->counters ? &f->counters->obj : NULL);
	svb_need(&f->obj, f->action ? &f->action->obj : NULL);
	f->pub.context = qp->pub.context;
	f->pub.handle = f->obj.handle;
	return 0;
}

struct ibv_flow *svb_create_flow(struct ibv_qp *pub, struct ibv_flow_attr *a)
{
	int err;
	struct svb_qp *qp = svb_begin_qp(pub, SVB_CREATE_FLOW, &err);
	struct svb_flow *f;

	if (!err && !qp->dev->cfg.net_raw) // core/uverbs_cmd.c, ib_uverbs_ex_create_flow
		err = EPERM;
	f = err ? NULL : svb_new_obj(&kind, qp->obj.ctx, &err);
	if (!err)
		err = enter(qp, f, a);
	return svb_made(f, err);
}

SVB_DESTROYS(svb_destroy_flow, ibv_flow, SVB_T_FLOW, SVB_DESTROY_FLOW)

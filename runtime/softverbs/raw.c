//go:build linux && cgo

// Frames of queue pairs of raw packets. What is sent on a port arrives on it, at the queue pairs whose flows take it, see
// ibv_create_flow(3):
//
//   - a flow of type SNIFFER takes every frame, whoever else does;
//   - of the flows of type NORMAL the lowest number of priority comes first. Those of one number all take a frame that they match,
//     and none behind them does, but behind flows with DONT_TRAP;
//   - what no flow of type NORMAL keeps is for those of type ALL_DEFAULT and, if it is for a group, MC_DEFAULT.
//
// A queue pair gets one copy of a frame. It is lost where there is no receive; the flow's counters have counted it all the same.
// Flows of datagrams take no frame.

#include "wire.h"
#include "flow.h"

enum { SHORTEST = 14, LONGEST = 4096 + 22 }; // the largest MTU behind a header with two tags

struct copy { // for a queue pair
	struct svb_qp *qp;
	uint32_t tag;
};

struct copies {
	struct copy *list;
	size_t n;
};

static void take(struct svb_flow *f, const struct svb_frame *frame, struct copies *c)
{
	size_t i;

	if (f->counters) {
		f->counters->packets++;
		f->counters->bytes += frame->length;
	}
	for (i = 0; i < c->n; i++)
		if (c->list[i].qp == f->qp)
			return;
	if (f->drop || f->flags & IBV_FLOW_ATTR_FLAGS_EGRESS)
		return;
	f->qp->busy++;
	c->list[c->n++] = (struct copy){f->qp, f->tag};
}

// fits: a spec that asks for a header matches only frames that have it. Specs of tunnels, and of what is in them, match no frame.
static bool fits(const struct svb_frame *f, const union svb_spec *s)
{
	switch ((uint32_t)s->eth.type) {
	case IBV_FLOW_SPEC_ETH: return svb_frame_eth(f, &s->eth.val, &s->eth.mask);
	case IBV_FLOW_SPEC_IPV4: return svb_frame_v4(f, &s->v4.val, &s->v4.mask);
	case IBV_FLOW_SPEC_IPV4_EXT: return svb_frame_v4_ext(f, &s->v4_ext.val, &s->v4_ext.mask);
	case IBV_FLOW_SPEC_IPV6: return svb_frame_v6(f, &s->v6.val, &s->v6.mask);
	case IBV_FLOW_SPEC_TCP: return svb_frame_ports(f, SVB_TCP, &s->ports.val, &s->ports.mask);
	case IBV_FLOW_SPEC_UDP: return svb_frame_ports(f, SVB_UDP, &s->ports.val, &s->ports.mask);
	case IBV_FLOW_SPEC_ACTION_TAG:
	case IBV_FLOW_SPEC_ACTION_DROP:
	case IBV_FLOW_SPEC_ACTION_COUNT: return true;
	}
	return false;
}

static bool takes(const struct svb_flow *f, const struct svb_frame *frame)
{
	unsigned i;

	for (i = 0; i < f->nspecs; i++)
		if (!fits(frame, &f->specs[i]))
			return false;
	return true;
}

static bool of_port(const struct svb_flow *f, unsigned port, bool egress)
{
	return f->port == port && f->qp->pub.qp_type == IBV_QPT_RAW_PACKET && !(f->flags & IBV_FLOW_ATTR_FLAGS_EGRESS) == !egress;
}

// normal gives the frame to flows of type NORMAL; true: one of them keeps it. *drop: one that does says so.
static bool normal(struct svb_dev *d, unsigned port, bool egress, const struct svb_frame *frame, struct copies *c, bool *drop)
{
	struct svb_flow *f, *keeper = NULL;

	TAILQ_FOREACH(f, &d->flows, link) {
		if (keeper && f->priority != keeper->priority)
			break;
		if (f->type != IBV_FLOW_ATTR_NORMAL || !of_port(f, port, egress) || !takes(f, frame))
			continue;
		take(f, frame, c);
		*drop |= f->drop;
		if (!(f->flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP))
			keeper = f;
	}
	return keeper;
}

static void steer(struct svb_dev *d, unsigned port, const struct svb_frame *frame, struct copies *c)
{
	const bool group = frame->at[0] & 1;
	struct svb_flow *f;
	bool drop = false;

	TAILQ_FOREACH(f, &d->flows, link)
		if (f->type == IBV_FLOW_ATTR_SNIFFER && of_port(f, port, false))
			take(f, frame, c);
	if (normal(d, port, false, frame, c, &drop))
		return;
	TAILQ_FOREACH(f, &d->flows, link)
		if ((f->type == IBV_FLOW_ATTR_ALL_DEFAULT || (f->type == IBV_FLOW_ATTR_MC_DEFAULT && group)) && of_port(f, port, false))
			take(f, frame, c);
}

static void deliver(struct svb_message *m, const struct copies *c, enum ibv_wc_status *status)
{
	struct svb_qp *qp;
	size_t i;

	for (i = 0; i < c->n; i++) {
		qp = c->list[i].qp;
		m->to = qp;
		m->tag = c->list[i].tag;
		if (svb_receives(qp))
			svb_respond(m, status);
		svb_idles(&qp->busy);
	}
}

// gather copies the frame, so that it can be looked at and handed out.
static bool gather(struct svb_message *m, uint8_t *frame)
{
	struct svb_list to = {0};
	enum svb_copied c;

	svb_list_add(&to, frame, m->r->length);
	svb_unlock_all();
	c = svb_list_copy(&m->source, &to, m->w->bounce, sizeof m->w->bounce);
	svb_lock_all();
	svb_list_drop(&m->source);
	svb_list_add(&m->source, frame, m->r->length);
	return c == SVB_COPIED;
}

static size_t flows(const struct svb_dev *d)
{
	const struct svb_flow *f;
	size_t n = 0;

	TAILQ_FOREACH(f, &d->flows, link)
		n++;
	return n;
}

enum svb_fate svb_raw(struct svb_message *m, enum ibv_wc_status *status)
{
	struct svb_dev *d = m->from->dev;
	const unsigned port = m->from->attr.port_num;
	uint8_t bytes[LONGEST];
	struct svb_frame frame;
	struct copies c = {.n = 0};
	bool drop = false;

	if (m->r->length < SHORTEST || m->r->length > LONGEST) {
		*status = IBV_WC_LOC_LEN_ERR;
		return SVB_ENDED;
	}
	if (!gather(m, bytes)) {
		*status = IBV_WC_LOC_PROT_ERR;
		return SVB_ENDED;
	}
	svb_frame_read(&frame, bytes, (uint32_t)m->r->length);
	c.list = calloc(flows(d) + 1, sizeof *c.list);
	normal(d, port, true, &frame, &c, &drop);
	if (c.list && !drop) {
		steer(d, port, &frame, &c);
		deliver(m, &c, status);
	}
	free(c.list);
	svb_list_drop(&m->source); // whose bytes end with this function
	return SVB_ENDED;
}

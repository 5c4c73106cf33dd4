// The way of a frame: out by the flows of what is sent, over the wire, and to the queues that flows name.
#include <linux/if_ether.h>
#include <netinet/in.h>

#include "uverbs/provider.h"
#include "wire/wire.h"

enum { LONGEST = 4200 + ETH_HLEN + 4, MOST_FLOWS = 256 };

struct frame {
	uint8_t bytes[LONGEST];
	size_t n;
	struct svb_frame h;
};

// The flows of one direction of a device that a frame meets, the one to take it first.
struct met {
	const struct device *dev;
	const struct frame *frame;
	bool egress;
	struct way {
		struct flow *flow;
		const struct rule *rule;
	} ways[MOST_FLOWS];
	int n;
};

// fits: no frame here is in a tunnel.
static bool fits(const struct svb_frame *f, uint32_t type, const void *value, const void *mask)
{
	switch (type) {
	case IBV_FLOW_SPEC_ETH: return svb_frame_eth(f, value, mask);
	case IBV_FLOW_SPEC_IPV4: return svb_frame_v4_ext(f, value, mask);
	case IBV_FLOW_SPEC_IPV6: return svb_frame_v6(f, value, mask);
	case IBV_FLOW_SPEC_TCP: return svb_frame_ports(f, SVB_TCP, value, mask);
	case IBV_FLOW_SPEC_UDP: return svb_frame_ports(f, SVB_UDP, value, mask);
	case IBV_FLOW_SPEC_GRE: return f->proto == IPPROTO_GRE;
	default: return false;
	}
}

static bool meets(const struct svb_frame *f, const struct rule *r)
{
	for (int i = 0; i < r->n; i++)
		if (!fits(f, r->filters[i].type, r->filters[i].value, r->filters[i].mask))
			return false;
	return true;
}

static bool before(const struct flow *a, const struct flow *b)
{
	return a->order != b->order ? a->order < b->order : a->o.number < b->o.number;
}

static void look(struct object *o, void *arg)
{
	struct flow *f = OF(o, struct flow, o);
	struct met *m = arg;
	int at;

	if (o->ctx->dev != m->dev || f->egress != m->egress || m->n == MOST_FLOWS)
		return;
	for (int i = 0; i < f->nrules; i++) {
		if (!meets(&m->frame->h, &f->rules[i]))
			continue;
		for (at = m->n++; at && before(f, m->ways[at - 1].flow); at--)
			m->ways[at] = m->ways[at - 1];
		m->ways[at] = (struct way){f, &f->rules[i]};
		return; // the rules of one flow exclude each other
	}
}

// put writes a frame to a receive that was taken, and completes it.
static int put(struct frame *f, struct receive *v, const struct pd *pd, struct completion *c, struct cq *cq)
{
	const struct piece p = {.length = (uint32_t)f->n, .memory = f->bytes};
	const struct reach reach = {cq->o.ctx->dev, pd, 0, IBV_ACCESS_LOCAL_WRITE};

	c->receive = true;
	c->op = SEND;
	c->index = v->index;
	c->bytes = (uint32_t)f->n;
	copy_cut(v->pieces, &v->n, f->n);
	if (v->length < f->n)
		c->status = IBV_WC_LOC_LEN_ERR;
	else if (!key_gather(v->pieces, &v->n, &reach) || !copy_pieces(v->pieces, v->n, 0, &p, 1, f->n))
		c->status = IBV_WC_LOC_PROT_ERR;
	engine_complete(cq, c);
	return c->status;
}

static void to_table(const struct qp *q, struct frame *f, uint32_t tag)
{
	struct wq *w = q->table->wqs[frame_hash(q, &f->h) % q->table->n];
	struct completion c = {.wq = w, .tag = tag};
	struct receive v;

	if (w->state == IBV_WQS_RDY && w->o.ctx->dev->provider->format->take_wq(w, &v) &&
		put(f, &v, w->pd, &c, w->cq) != IBV_WC_SUCCESS)
		w->state = IBV_WQS_ERR;
}

// A frame for which there is no receive is dropped.
static void to_queue(struct qp *q, struct frame *f, uint32_t tag)
{
	struct completion c = {.qp = q, .srq = q->srq, .tag = tag};
	struct receive v;
	uint32_t left = UINT32_MAX;

	if (q->state != IBV_QPS_RTR && q->state != IBV_QPS_RTS && q->state != IBV_QPS_SQE)
		return;
	if (q->o.ctx->dev->provider->format->take(q, q->srq, &v, &left) &&
		put(f, &v, q->srq ? q->srq->pd : q->pd, &c, q->rcq) != IBV_WC_SUCCESS)
		engine_fail(q);
}

// entry does what the flows first..last-1 of one rule want, and reports whether the frame goes on. A queue pair gets one copy.
static bool entry(struct met *m, struct frame *f, int first, int last)
{
	bool on = true;

	for (int i = first; i < last; i++) {
		struct flow *flow = m->ways[i].flow;
		bool again = false;

		on = on && flow->goes_on;
		if (flow->counters) {
			flow->counters->packets++;
			flow->counters->bytes += f->n;
		}
		for (int k = first; k < i; k++)
			again = again || m->ways[k].flow->qp == flow->qp;
		if (again || flow->drop || m->egress)
			continue;
		if (flow->qp->table)
			to_table(flow->qp, f, flow->tag);
		else
			to_queue(flow->qp, f, flow->tag);
	}
	return on;
}

static void swap(struct way *a, struct way *b)
{
	const struct way was = *a;

	*a = *b;
	*b = was;
}

// steer gives a frame to the flows that it meets: of those of one order, to the first, and to others with the same rule.
static bool steer(const struct device *dev, bool egress, struct frame *f)
{
	static struct met m; // under the lock
	bool on = true;

	m.dev = dev;
	m.frame = f;
	m.egress = egress;
	m.n = 0;
	object_each(UVERBS_OBJECT_FLOW, look, &m);
	for (int i = 0, next; i < m.n && on; i = next) {
		const struct way *w = &m.ways[i];
		int last = i + 1;

		for (next = i + 1; next < m.n && m.ways[next].flow->order == w->flow->order; next++)
			if (!memcmp(m.ways[next].rule, w->rule, sizeof *w->rule))
				swap(&m.ways[next], &m.ways[last++]);
		on = entry(&m, f, i, last);
		if (egress && w->flow->drop)
			return false;
	}
	return true;
}

// load reads the frame of a request.
static bool load(struct frame *f, const struct request *r)
{
	struct piece to = {.length = LONGEST, .memory = f->bytes};

	f->n = r->length;
	if (!copy_pieces(&to, 1, 0, r->pieces, r->n, r->length))
		return false;
	svb_frame_read(&f->h, f->bytes, (uint32_t)f->n);
	return true;
}

static void to_devices(struct frame *f)
{
	for (int i = 0; i < ndevices; i++)
		if (!fault_cuts(&devices[i]))
			steer(&devices[i], false, f);
}

static struct frame frame; // under the lock

void frame_arrive(const struct request *r)
{
	if (load(&frame, r))
		to_devices(&frame);
}

int frame_send(struct qp *q, struct request *r)
{
	struct cast others;

	if (r->op != SEND || r->immediate)
		return IBV_WC_LOC_QP_OP_ERR;
	if (r->length < ETH_HLEN || r->length > LONGEST)
		return IBV_WC_LOC_LEN_ERR;
	if (!load(&frame, r))
		return IBV_WC_LOC_PROT_ERR;
	if (!far_take(&others))
		return LATER;
	if (!steer(q->o.ctx->dev, true, &frame)) {
		far_cast(&others, NULL, NULL);
		return IBV_WC_SUCCESS;
	}
	far_cast(&others, q, r);
	to_devices(&frame);
	return IBV_WC_SUCCESS;
}

// The requester: InfiniBand's rules for a request, as far as a wire without loss shows them.
#include "uverbs/gid.h"
#include "uverbs/provider.h"
#include "wire/copy.h"
#include "wire/engine.h"
#include "wire/frame.h"
#include "wire/net.h"
#include "wire/requester.h"
#include "wire/responder.h"

enum {
	LATER = -2,              // beside IBV_WC_*: the request stays at the head
	LONGEST = 1 << 30,       // bytes of a message
	DATAGRAM = 4096,
	ALL_QPS = 0xffffff,      // a multicast
	OWN_QKEY = 1u << 31,     // in a request: the queue pair's own
	PSN = 0xffffff,
};

// The times of an RNR NAK, in units of 10 us (InfiniBand's table of the RNR timer).
static const uint32_t rnr_time[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
	16384, 24576, 32768, 49152,
};

static bool reliable(const struct qp *q)
{
	return q->type == IBV_QPT_RC || q->type == IBV_QPT_XRC_SEND;
}

static struct device *device_of(const struct qp *q)
{
	return context_device(q->o.ctx);
}

// gather finds the memory of the local pieces.
static int gather(const struct qp *q, struct request *r)
{
	const bool writes = r->op == READ || r->op == SWAP || r->op == ADD;
	const struct reach reach = {device_of(q), q->pd, q->number, writes ? IBV_ACCESS_LOCAL_WRITE : 0};

	for (int i = 0; i < r->n; i++) {
		struct piece *p = &r->pieces[i];

		if (!p->memory)
			p->memory = key_reach(p->key, p->addr, p->length, &reach);
		if (!p->memory)
			return IBV_WC_LOC_PROT_ERR;
	}
	return r->length > (q->type == IBV_QPT_UD ? DATAGRAM : LONGEST) ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}

static bool possible(const struct qp *q, const struct request *r)
{
	switch (r->op) {
	case SEND:
		return true;
	case SEND_INVALIDATE: case READ: case SWAP: case ADD:
		return reliable(q);
	case WRITE:
		return q->type != IBV_QPT_UD;
	default:
		return false;
	}
}

static int bind(const struct qp *q, const struct binding *b)
{
	struct key *w = key_find(b->window), *m = key_find(b->region);

	if (!w || w->kind == KEY_REGION || w->dev != device_of(q) || w->pd != q->pd)
		return IBV_WC_MW_BIND_ERR;
	if ((b->check_free && w->region) || (b->check_qpn && (!w->region || w->qpn != q->number)))
		return IBV_WC_MW_BIND_ERR;
	key_unbind(w);
	if (b->free)
		return IBV_WC_SUCCESS;
	if (!m || m->kind != KEY_REGION || m->dev != w->dev || m->pd != w->pd || !(m->access & IBV_ACCESS_MW_BIND) || b->addr < m->iova ||
		b->length > m->length || b->addr - m->iova > m->length - b->length)
		return IBV_WC_MW_BIND_ERR;
	if (b->access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(m->access & IBV_ACCESS_LOCAL_WRITE))
		return IBV_WC_MW_BIND_ERR;
	w->value = (w->value & ~0xffu) | (b->new_key & 0xff);
	w->region = m;
	m->windows++;
	w->memory = m->memory + (b->addr - m->iova);
	w->iova = b->iova;
	w->length = b->length;
	w->access = b->access;
	w->qpn = q->number;
	return IBV_WC_SUCCESS;
}

static bool receives(const struct qp *p)
{
	return p->state == IBV_QPS_RTR || p->state == IBV_QPS_RTS || p->state == IBV_QPS_SQD || p->state == IBV_QPS_SQE;
}

static bool takes_datagram(const struct qp *q, const struct qp *p, const struct request *r)
{
	const uint32_t qkey = r->qkey & OWN_QKEY ? q->at.qkey : r->qkey;

	return p && p->type == IBV_QPT_UD && receives(p) && p->at.qkey == qkey && device_of(p) == gid_owner(r->gid);
}

// connected returns the other end if a message can reach it.
static struct qp *connected(const struct qp *q)
{
	struct qp *p = net_find(q->at.dest_qp_num);
	const int type = q->type == IBV_QPT_XRC_SEND ? IBV_QPT_XRC_RECV : q->type;

	if (!p || p->type != type || !receives(p) || p->at.dest_qp_num != q->number)
		return NULL;
	if (device_of(p) != gid_owner(q->at.dest.dgid) || (reliable(q) && p->at.rq_psn != q->at.sq_psn))
		return NULL;
	return p;
}

static int again(struct qp *q, uint64_t ns)
{
	q->wait = now() + ns;
	return LATER;
}

// unanswered waits for an acknowledgement that does not come. A timeout of 0 is without end.
static int unanswered(struct qp *q)
{
	if (!q->at.timeout)
		return again(q, 1000000);
	if (q->tries++ >= q->at.retry_cnt)
		return IBV_WC_RETRY_EXC_ERR;
	return again(q, 4096ull << q->at.timeout);
}

static int not_ready(struct qp *q, const struct qp *p)
{
	if (q->at.rnr_retry != 7 && q->rnr++ >= q->at.rnr_retry)
		return IBV_WC_RNR_RETRY_EXC_ERR;
	return again(q, rnr_time[p->at.min_rnr_timer & 31] * 10000ull);
}

// A message moves the sequence numbers of both ends by its packets.
static void count_packets(struct qp *q, struct qp *p, uint64_t length)
{
	const uint64_t mtu = 128u << q->at.path_mtu;
	const uint32_t n = (uint32_t)MAX(1, (length + mtu - 1) / mtu);

	q->at.sq_psn = (q->at.sq_psn + n) & PSN;
	p->at.rq_psn = (p->at.rq_psn + n) & PSN;
}

static int to_peer(struct qp *q, struct request *r)
{
	struct qp *p = connected(q);
	int status;

	if (!p)
		return reliable(q) ? unanswered(q) : IBV_WC_SUCCESS;
	status = responder_do(p, q, r);
	if (!reliable(q)) // nobody tells
		return IBV_WC_SUCCESS;
	if (status == NOT_READY)
		return not_ready(q, p);
	if (status == IBV_WC_SUCCESS)
		count_packets(q, p, r->length);
	return status;
}

struct cast {
	struct qp *from;
	struct request *r;
};

static bool to_member(struct qp *p, void *arg)
{
	const struct cast *c = arg;
	const uint32_t qkey = c->r->qkey & OWN_QKEY ? c->from->at.qkey : c->r->qkey;

	if ((p == c->from && p->no_loopback) || p->type != IBV_QPT_UD || !receives(p) || p->at.qkey != qkey)
		return true;
	for (int i = 0; i < p->ngroups; i++)
		if (!memcmp(p->groups[i], c->r->gid, 16)) {
			responder_do(p, c->from, c->r);
			break;
		}
	return true;
}

static int datagram(struct qp *q, struct request *r)
{
	struct qp *p = net_find(r->qpn);

	if (r->qpn == ALL_QPS && r->gid[0] == 0xff)
		net_each(to_member, &(struct cast){q, r});
	else if (takes_datagram(q, p, r))
		responder_do(p, q, r);
	return IBV_WC_SUCCESS;
}

static int run(struct qp *q, struct request *r)
{
	int status;

	if (r->op == NOTHING)
		return IBV_WC_SUCCESS;
	if (r->op == BIND)
		return q->type == IBV_QPT_UD ? IBV_WC_LOC_QP_OP_ERR : bind(q, &r->bind);
	if (!possible(q, r))
		return IBV_WC_LOC_QP_OP_ERR;
	status = gather(q, r);
	if (status != IBV_WC_SUCCESS)
		return status;
	if (q->type == IBV_QPT_RAW_PACKET)
		return frame_send(q, r);
	return q->type == IBV_QPT_UD ? datagram(q, r) : to_peer(q, r);
}

bool requester_step(struct qp *q)
{
	const struct format *f = device_of(q)->provider->format;
	struct completion c = {.qp = q};
	static struct request r; // under the lock

	if (!q->scq || !f->peek(q, &r))
		return false;
	c.status = run(q, &r);
	if (c.status == LATER)
		return false;
	q->tries = q->rnr = 0;
	q->wait = 0;
	f->drop(q, &r);
	c.index = r.index;
	c.code = r.code;
	c.op = r.op;
	c.bytes = (uint32_t)r.length;
	if (c.status != IBV_WC_SUCCESS) {
		if (reliable(q))
			engine_fail(q);
		else
			q->state = IBV_QPS_SQE;
	}
	if (r.signaled || c.status != IBV_WC_SUCCESS)
		engine_complete(q->scq, &c);
	return true;
}

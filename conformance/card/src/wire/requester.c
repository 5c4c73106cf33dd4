// The requester: InfiniBand's rules for a request, as far as a wire without loss shows them.
#include "uverbs/gid.h"
#include "uverbs/provider.h"
#include "wire/wire.h"

enum {
	LONGEST = 1 << 30,       // bytes of a message
	OWN_QKEY = 1u << 31,     // in a request: the queue pair's own
	PSN = 0xffffff,
};

// The times of an RNR NAK, in units of 10 us (InfiniBand's table of the RNR timer).
static const uint32_t rnr_time[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
	16384, 24576, 32768, 49152,
};

// gather finds the memory of the local pieces.
static int gather(const struct qp *q, struct request *r)
{
	const bool writes = r->op == READ || r->op == SWAP || r->op == ADD;
	const struct reach reach = {q->o.ctx->dev, q->pd, q->number, writes ? IBV_ACCESS_LOCAL_WRITE : 0};
	const bool datagram = q->type == IBV_QPT_UD || (q->type == IBV_QPT_DRIVER && !r->dc && r->op != READ);

	if (!key_gather(r->pieces, &r->n, &reach))
		return IBV_WC_LOC_PROT_ERR;
	return r->length > (datagram ? q->o.ctx->dev->provider->datagram : LONGEST) ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}

static bool possible(const struct qp *q, const struct request *r)
{
	switch (r->op) {
	case SEND:
		return true;
	case SEND_INVALIDATE: case READ: case SWAP: case ADD:
		return is_reliable(q->type);
	case WRITE:
		return q->type != IBV_QPT_UD;
	default:
		return false;
	}
}

static int bind(const struct qp *q, const struct binding *b)
{
	struct key *w = key_find(b->window), *m = key_find(b->region);

	if (!w || w->kind == KEY_REGION || w->dev != q->o.ctx->dev || w->pd != q->pd)
		return IBV_WC_MW_BIND_ERR;
	if ((b->check_free && w->region) || (b->check_qpn && (!w->region || w->qpn != q->number)))
		return IBV_WC_MW_BIND_ERR;
	key_unbind(w);
	if (b->free)
		return IBV_WC_SUCCESS;
	if (!m || m->kind != KEY_REGION || m->dev != w->dev || m->pd != w->pd || !(m->access & IBV_ACCESS_MW_BIND) || b->addr < m->iova ||
		!within(b->addr - m->iova, b->length, m->length))
		return IBV_WC_MW_BIND_ERR;
	if (b->access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(m->access & IBV_ACCESS_LOCAL_WRITE))
		return IBV_WC_MW_BIND_ERR;
	w->value = (w->value & ~0xffu) | (b->new_key & 0xff);
	w->region = m;
	m->windows++;
	w->start = b->addr;
	w->iova = b->iova;
	w->length = b->length;
	w->access = b->access;
	w->qpn = q->number;
	return IBV_WC_SUCCESS;
}

// set_list has a key lead to the pieces of a request.
static int set_list(const struct qp *q, const struct request *r)
{
	struct key *k = key_find(r->bind.window);
	struct piece *list = malloc(sizeof r->pieces);

	if (!list || !k || k->dev != q->o.ctx->dev) {
		free(list);
		return IBV_WC_MW_BIND_ERR;
	}
	memcpy(list, r->pieces, sizeof r->pieces);
	free(k->list);
	k->list = list;
	k->n = r->n;
	k->pd = q->pd;
	k->iova = r->bind.iova;
	k->length = r->bind.length;
	return IBV_WC_SUCCESS;
}

// copy carries out a copy of local memory.
static int copy(const struct qp *q, const struct request *r)
{
	struct piece from = r->pieces[0], to = r->pieces[1];
	const struct reach reads = {q->o.ctx->dev, q->pd, q->number, 0}, writes = {q->o.ctx->dev, q->pd, q->number, IBV_ACCESS_LOCAL_WRITE};

	if (r->n != 2 || !key_reach(&from, &reads) || !key_reach(&to, &writes) || from.length != to.length)
		return IBV_WC_LOC_PROT_ERR;
	return copy_pieces(&to, 1, 0, &from, 1, to.length) ? IBV_WC_SUCCESS : IBV_WC_LOC_PROT_ERR;
}

static const char *const names[] = {
	[SEND] = "SEND", [SEND_INVALIDATE] = "SEND_WITH_INV", [WRITE] = "WRITE", [READ] = "READ", [SWAP] = "COMPARE_SWAP", [ADD] = "FETCH_ADD",
	[BIND] = "BIND", [COPY] = "COPY", [LIST] = "LIST", [NOTHING] = "NOP", [UNKNOWN] = "unknown",
};

static int again(struct qp *q, uint64_t ns)
{
	note("qp %#x waits %u us for an %s\n", q->number, (unsigned)(ns / 1000), q->rnr ? "end of RNR" : "answer");
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

static int not_ready(struct qp *q, uint32_t rnr_timer)
{
	if (q->at.rnr_retry != 7 && q->rnr++ >= q->at.rnr_retry)
		return IBV_WC_RNR_RETRY_EXC_ERR;
	return again(q, rnr_time[rnr_timer & 31] * 10000ull);
}

struct source requester_source(const struct qp *q, uint64_t length)
{
	const uint64_t mtu = 128u << q->at.path_mtu;
	struct source s = {.number = q->number, .type = q->type, .psn = q->at.sq_psn};

	s.packets = (uint32_t)MAX(1, (length + mtu - 1) / mtu);
	gid_first(q->o.ctx->dev, s.gid);
	return s;
}

static int to_peer(struct qp *q, struct request *r)
{
	const bool named = q->type == IBV_QPT_DRIVER;
	const bool by_lid = !named && q->o.ctx->dev->infiniband && !q->at.dest.is_global;
	uint8_t gid[16];
	const struct target to = {named ? r->qpn : q->at.dest_qp_num, by_lid ? gid : named ? r->gid : q->at.dest.dgid};
	const struct source from = requester_source(q, r->length);
	uint32_t rnr_timer = 0;
	int status;

	if (by_lid)
		gid_of_lid(q->at.dest.dlid, gid);
	status = net_find(to.number) ? arrive(&from, &to, r, &rnr_timer) : far_request(q, r, &to, &rnr_timer);

	if (status == LATER)
		return status;
	if (!is_reliable(q->type)) // nobody tells
		return IBV_WC_SUCCESS;
	if (status == SILENCE)
		return named && !r->dc ? IBV_WC_REM_INV_RD_REQ_ERR : unanswered(q);
	if (status == NOT_READY)
		return not_ready(q, rnr_timer);
	if (status == IBV_WC_SUCCESS) // a message moves the sequence numbers of both ends by its packets
		q->at.sq_psn = (q->at.sq_psn + from.packets) & PSN;
	return status;
}

static int datagram(struct qp *q, struct request *r)
{
	const struct source from = requester_source(q, r->length);
	const bool all = is_multicast(r);
	struct cast others;

	if (r->qkey & OWN_QKEY)
		r->qkey = q->at.qkey;
	if (!all && !net_find(r->qpn))
		return far_datagram(q, r);
	if (all && !far_take(&others))
		return LATER;
	if (all)
		far_cast(&others, q, r);
	return arrive(&from, &(struct target){r->qpn, r->gid}, r, NULL);
}

static int run(struct qp *q, struct request *r)
{
	int status;

	if (r->op == NOTHING)
		return IBV_WC_SUCCESS;
	if (r->op == BIND)
		return q->type == IBV_QPT_UD ? IBV_WC_LOC_QP_OP_ERR : bind(q, &r->bind);
	if (r->op == LIST && q->type == IBV_QPT_RC)
		return set_list(q, r);
	if (r->op == COPY && q->type == IBV_QPT_RC)
		return copy(q, r);
	if (!possible(q, r))
		return IBV_WC_LOC_QP_OP_ERR;
	status = gather(q, r);
	if (status != IBV_WC_SUCCESS)
		return status;
	if (!q->far && !q->late && fault_of(q->o.ctx->dev).delay) {
		q->late = true;
		q->wait = now() + fault_of(q->o.ctx->dev).delay * 1000ull;
		return LATER;
	}
	if (!q->far && fault_loses(q->o.ctx->dev))
		return !is_reliable(q->type) ? IBV_WC_SUCCESS : q->type == IBV_QPT_DRIVER && !r->dc ? again(q, 1000000) : unanswered(q);
	if (q->type == IBV_QPT_RAW_PACKET)
		return frame_send(q, r);
	return q->type == IBV_QPT_UD ? datagram(q, r) : to_peer(q, r);
}

// failed returns the place of a stream among those that failed, or how many those are.
static int failed(const struct qp *q, uint16_t stream)
{
	int i = 0;

	while (i < q->nerrored && q->errored[i] != stream)
		i++;
	return i;
}

int requester_reset_stream(struct qp *q, uint16_t stream)
{
	const int i = failed(q, stream);

	if (i == q->nerrored)
		return EINVAL;
	q->errored[i] = q->errored[--q->nerrored];
	return 0;
}

// fail ends the stream of a request of a DCI, and the queue pair of others. The last stream that may fail takes the DCI with it.
static void fail(struct qp *q, const struct request *r)
{
	if (q->type == IBV_QPT_UD || q->type == IBV_QPT_UC || q->type == IBV_QPT_RAW_PACKET)
		q->state = IBV_QPS_SQE;
	else if (r->dc && failed(q, r->stream) < q->nerrored)
		return;
	else if (r->dc && q->nerrored + 1 < q->errored_most)
		q->errored[q->nerrored++] = r->stream;
	else if (q->type != IBV_QPT_DRIVER || r->dc) // SRD goes on: an error is of one request
		engine_fail(q);
}

bool requester_step(struct qp *q)
{
	const struct format *f = q->o.ctx->dev->provider->format;
	struct completion c = {.qp = q};
	static struct request r; // under the lock

	if (!q->scq || !f->peek(q, &r))
		return false;
	c.status = r.dc && failed(q, r.stream) < q->nerrored ? IBV_WC_WR_FLUSH_ERR : run(q, &r);
	if (c.status == LATER)
		return false;
	note("qp %#x request %u %s of %lu bytes: status %d\n", q->number, r.index, names[r.op], (long)r.length, c.status);
	q->tries = q->rnr = 0;
	q->late = false;
	q->wait = 0;
	f->drop(q, &r);
	c.index = r.index;
	c.code = r.code;
	c.op = r.op;
	c.bytes = (uint32_t)r.length;
	if (c.status != IBV_WC_SUCCESS)
		fail(q, &r);
	if (r.signaled || c.status != IBV_WC_SUCCESS)
		engine_complete(q->scq, &c);
	return true;
}

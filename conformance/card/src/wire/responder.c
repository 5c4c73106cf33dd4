// The responder: InfiniBand's rules for what a request may do at the other end.

#include "uverbs/provider.h"
#include "wire/wire.h"

enum { GRH = 40 };

// wanted looks up the shared queue of an XRC message by its number.
struct wanted {
	uint32_t number;
	struct srq *found;
};

static void look(struct object *o, void *arg)
{
	struct wanted *w = arg;
	struct srq *s = OF(o, struct srq, o);

	if (s->o.number == w->number)
		w->found = s;
}

static int queue_of(const struct qp *q, const struct request *r, struct srq **s)
{
	struct wanted w = {.number = r->srqn};

	*s = q->srq;
	if (q->type != IBV_QPT_XRC_RECV)
		return IBV_WC_SUCCESS;
	object_each(UVERBS_OBJECT_SRQ, look, &w);
	if (!w.found || w.found->type != IB_UVERBS_SRQT_XRC || !xrcd_same(w.found->xrcd, q->xrcd))
		return IBV_WC_REM_INV_REQ_ERR;
	*s = w.found;
	return IBV_WC_SUCCESS;
}

static unsigned needed(enum operation op)
{
	switch (op) {
	case WRITE: return IBV_ACCESS_REMOTE_WRITE;
	case READ: return IBV_ACCESS_REMOTE_READ;
	case SWAP: case ADD: return IBV_ACCESS_REMOTE_ATOMIC;
	default: return 0;
	}
}

// remote finds the memory of an operation on memory. Without resources for reads and atomics, a queue pair allows neither
// (Linux 6.1, drivers/infiniband/hw/mlx5/qp.c, set_qpc_atomic_flags and to_mlx5_access_flags). A DCT is not told of any: its access flags
// decide (mlx5_ib_modify_dct). SRD has none: the region decides.
static int remote(const struct qp *q, const struct srq *s, const struct request *r, struct piece *at)
{
	const unsigned access = needed(r->op);
	const struct reach reach = {q->o.ctx->dev, q->pd ? q->pd : s ? s->pd : NULL, q->number, access};

	*at = (struct piece){.addr = r->raddr, .length = (uint32_t)(r->op == SWAP || r->op == ADD ? 8 : r->length), .key = r->rkey};
	if (!access)
		return IBV_WC_SUCCESS;
	if ((q->type != IBV_QPT_DRIVER || q->unnamed) &&
		(!(q->at.qp_access_flags & access) || (r->op != WRITE && !q->at.max_dest_rd_atomic && !q->unnamed)))
		return IBV_WC_REM_INV_REQ_ERR;
	if ((r->op == SWAP || r->op == ADD) && r->raddr % 8)
		return IBV_WC_REM_INV_REQ_ERR;
	if (!at->length)
		return IBV_WC_SUCCESS;
	return key_reach(at, &reach) ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR;
}

// refused brings a connected queue pair to ERR, with its event.
static int refused(struct qp *q, int status)
{
	if (q->type == IBV_QPT_RC || q->type == IBV_QPT_XRC_RECV) {
		event_async(&q->o, status == IBV_WC_REM_ACCESS_ERR ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR);
		engine_fail(q);
	}
	return status;
}

// scatter finds the memory that a message of length bytes fills.
static int scatter(const struct qp *q, const struct srq *s, struct receive *v, uint64_t length)
{
	const struct reach reach = {q->o.ctx->dev, s ? s->pd : q->pd, q->number, IBV_ACCESS_LOCAL_WRITE};

	copy_cut(v->pieces, &v->n, length);
	return key_gather(v->pieces, &v->n, &reach) ? IBV_WC_SUCCESS : IBV_WC_LOC_PROT_ERR;
}

static struct cq *cq_of(const struct qp *q, const struct srq *s)
{
	return s && s->cq ? s->cq : q->rcq;
}

// received takes a receive for a message of length bytes, and returns the requester's status.
static int received(struct qp *q, struct srq *s, uint64_t length, bool data, struct receive *v)
{
	struct completion c = {.receive = true, .qp = q, .srq = s};
	uint32_t left = UINT32_MAX;

	if (!q->o.ctx->dev->provider->format->take(q, s, v, &left))
		return NOT_READY;
	if (s && s->limit && left < s->limit) {
		s->limit = 0;
		event_async(&s->o, IBV_EVENT_SRQ_LIMIT_REACHED);
	}
	c.status = !data ? IBV_WC_SUCCESS : length > v->length ? IBV_WC_LOC_LEN_ERR : scatter(q, s, v, length);
	note("qp %#x receive %u of %lu bytes for %lu: status %d\n", q->number, v->index, (long)v->length, (long)length, c.status);
	if (c.status == IBV_WC_SUCCESS)
		return IBV_WC_SUCCESS;
	if (q->type == IBV_QPT_UD)
		return IBV_WC_GENERAL_ERR; // dropped below
	c.index = v->index;
	engine_complete(cq_of(q, s), &c);
	if (q->type != IBV_QPT_DRIVER)
		engine_fail(q);
	return c.status == IBV_WC_LOC_LEN_ERR ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_OP_ERR;
}

// header writes the GRH of a datagram, as RoCE v2 on IPv6 has it.
static void header(const struct source *from, const struct request *r, struct receive *v)
{
	uint8_t grh[GRH] = {0x60, [4] = (uint8_t)(r->length >> 8), (uint8_t)r->length, 0x1b, 64};
	const struct piece p = {.length = GRH, .memory = grh};

	memcpy(grh + 8, from->gid, 16);
	memcpy(grh + 24, r->gid, 16);
	copy_pieces(v->pieces, v->n, 0, &p, 1, GRH);
}

static void say(struct qp *q, struct srq *s, const struct source *from, const struct request *r, const struct receive *v)
{
	const bool ud = q->type == IBV_QPT_UD;
	const struct completion c = {
		.receive = true, .solicited = r->solicited, .immediate = r->immediate, .grh = ud && r->global, .op = r->op, .word = r->word,
		.bytes = (uint32_t)(r->length + (ud ? GRH : 0)), .source = from->number, .gid = from->gid, .index = v->index, .qp = q, .srq = s,
	};

	engine_complete(cq_of(q, s), &c);
}

// invalidate takes away what a key leads to: that of a window bound here, or a list that allows it. Another key fails the receive and the
// send.
static int invalidate(struct qp *q, struct srq *s, uint32_t value, const struct receive *v)
{
	const struct completion c = {.receive = true, .status = IBV_WC_REM_INV_REQ_ERR, .index = v->index, .qp = q, .srq = s};
	struct key *k = key_find(value);

	if (k && k->kind == KEY_LIST && k->invalidable && k->dev == q->o.ctx->dev && k->pd == q->pd) {
		k->n = 0;
		return IBV_WC_SUCCESS;
	}
	if (!k || k->kind != KEY_WINDOW_2 || !k->region || k->qpn != q->number) {
		engine_complete(cq_of(q, s), &c);
		engine_fail(q);
		return IBV_WC_REM_INV_REQ_ERR;
	}
	key_unbind(k);
	return IBV_WC_SUCCESS;
}

static int take_message(struct qp *q, struct srq *s, const struct source *from, const struct request *r)
{
	const uint64_t skip = q->type == IBV_QPT_UD ? GRH : 0;
	struct receive v;
	int status = received(q, s, r->length + skip, true, &v);

	if (status != IBV_WC_SUCCESS)
		return status;
	if (r->op == SEND_INVALIDATE)
		status = invalidate(q, s, r->word, &v);
	if (status != IBV_WC_SUCCESS)
		return status;
	if (skip)
		header(from, r, &v);
	if (!copy_pieces(v.pieces, v.n, skip, r->pieces, r->n, r->length))
		return refused(q, IBV_WC_REM_OP_ERR);
	say(q, s, from, r, &v);
	return IBV_WC_SUCCESS;
}

static int do_atomic(struct request *r, const struct piece *at)
{
	uint64_t old = r->compare, *word = (uint64_t *)(void *)at->memory, there;
	const struct piece p = {.length = 8, .memory = (uint8_t *)&old}, copy = {.length = 8, .memory = (uint8_t *)&there};

	if (at->process) { // no process can do this to the memory of another in one step
		if (!copy_pieces(&copy, 1, 0, at, 1, 8))
			return IBV_WC_REM_ACCESS_ERR;
		word = &there;
	} else if (memory_pin((uintptr_t)at->memory, 8, IBV_ACCESS_LOCAL_WRITE)) {
		return IBV_WC_REM_ACCESS_ERR;
	}
	if (r->op == ADD)
		old = __atomic_fetch_add(word, r->value, __ATOMIC_SEQ_CST);
	else
		__atomic_compare_exchange_n(word, &old, r->value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	if (at->process && !copy_pieces(at, 1, 0, &copy, 1, 8))
		return IBV_WC_REM_ACCESS_ERR;
	return copy_pieces(r->pieces, r->n, 0, &p, 1, 8) ? IBV_WC_SUCCESS : IBV_WC_LOC_PROT_ERR;
}

static int do_memory(struct qp *q, struct srq *s, const struct source *from, struct request *r, struct piece *at)
{
	struct receive v;
	int status;

	if (r->op == SWAP || r->op == ADD)
		return do_atomic(r, at);
	if (r->op == READ)
		return copy_pieces(r->pieces, r->n, 0, at, 1, r->length) ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR;
	if (r->immediate) {
		status = received(q, s, 0, false, &v);
		if (status != IBV_WC_SUCCESS)
			return status;
	}
	if (!copy_pieces(at, 1, 0, r->pieces, r->n, r->length))
		return IBV_WC_REM_ACCESS_ERR;
	if (r->immediate)
		say(q, s, from, r, &v);
	return IBV_WC_SUCCESS;
}

int responder_do(struct qp *q, const struct source *from, struct request *r)
{
	struct piece at;
	struct srq *s;
	int status = queue_of(q, r, &s);

	if (status == IBV_WC_SUCCESS)
		status = remote(q, s, r, &at);
	if (status != IBV_WC_SUCCESS)
		return refused(q, status);
	if (!q->established && q->state == IBV_QPS_RTR && q->type != IBV_QPT_UD) {
		q->established = true;
		event_async(&q->o, IBV_EVENT_COMM_EST);
	}
	return needed(r->op) ? do_memory(q, s, from, r, &at) : take_message(q, s, from, r);
}

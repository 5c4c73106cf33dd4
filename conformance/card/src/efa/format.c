// The queues that libefa writes. A doorbell is a number in a page of the device: how many descriptors were posted.
#include "efa/efa.h"

// Handles of one address have one number, as the adapter counts them (efa_com_create_ah). Numbers are not used again.
static uint8_t addresses[DEVICES][ADDRESSES][16];
static uint16_t naddresses[DEVICES];

// efa_address is the GID of the number of an address handle, or NULL.
static const uint8_t *efa_address(const struct device *dev, uint16_t number)
{
	return number < naddresses[dev->index] ? addresses[dev->index][number] : NULL;
}

static uint16_t posted(const struct efa_qp *e, size_t at)
{
	return (uint16_t)atomic_load((_Atomic uint32_t *)(void *)(region_memory(e->doorbells) + at));
}

static uint64_t address(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static void pieces(struct request *r, struct send *s)
{
	if (s->control & HAS_BYTES) {
		r->length = MIN(s->length, INLINE);
		r->pieces[0] = (struct piece){.length = (uint32_t)r->length, .memory = s->bytes};
		r->n = r->length > 0;
		return;
	}
	for (int i = r->op == READ; i < (r->op == READ ? 2 : MIN(s->length, SEND_SGE)); i++) {
		if (!s->list[i].length)
			continue;
		r->pieces[r->n++] = (struct piece){
			.length = s->list[i].length, .key = s->list[i].key & KEY_BITS, .addr = address(s->list[i].low, s->list[i].high),
		};
		r->length += s->list[i].length;
	}
}

static bool peek(struct qp *q, struct request *r)
{
	struct efa_qp *e = q->o.own;
	struct send *s = (struct send *)(void *)r->raw;
	const uint8_t *gid;

	if (!e->nsends || posted(e, SEND_DOORBELL) == e->sent)
		return false;
	memset(r, 0, offsetof(struct request, raw));
	memcpy(s, region_memory(e->sends) + SENDS_AT + (size_t)(e->sent & (e->nsends - 1)) * sizeof *s, sizeof *s);
	gid = efa_address(q->o.ctx->dev, s->address);
	r->op = !gid ? UNKNOWN : (s->control & OPERATION) == 0 ? SEND : (s->control & OPERATION) == READS ? READ : UNKNOWN;
	if (r->op == READ) { // the first of two pieces is there
		r->raddr = address(s->list[0].low, s->list[0].high);
		r->rkey = s->list[0].key;
	}
	r->global = true;
	if (gid)
		memcpy(r->gid, gid, sizeof r->gid);
	r->index = s->request;
	r->next = (uint16_t)(e->sent + 1);
	r->immediate = s->control & HAS_IMMEDIATE;
	r->word = htobe32(s->immediate);
	r->signaled = s->order & WANTS_COMPLETION;
	r->qpn = s->dest;
	r->qkey = s->qkey;
	pieces(r, s);
	return true;
}

static void drop(struct qp *q, const struct request *r)
{
	((struct efa_qp *)q->o.own)->sent = r->next;
}

// A receive is the buffers up to the one that is marked as the last.
static bool take(struct qp *q, struct srq *s, struct receive *v, uint32_t *left)
{
	struct efa_qp *e = q->o.own;
	const uint16_t end = posted(e, RECEIVE_DOORBELL);
	const struct buffer *b = NULL;

	(void)s;
	(void)left;
	v->n = 0;
	v->length = 0;
	if (!e->receives || end == e->received)
		return false;
	while (e->received != end && !(b && b->key & LAST_BUFFER)) {
		const bool first = !b;

		b = (const struct buffer *)(void *)region_memory(e->receives) + (e->received++ & (e->nreceives - 1));
		if (first)
			v->index = b->request;
		v->pieces[v->n++] = (struct piece){.length = b->length, .key = b->key & KEY_BITS, .addr = address(b->low, b->high)};
		v->length += b->length;
	}
	return true;
}

// The numbers of enum efa_io_comp_status.
static uint8_t status(int s)
{
	switch (s) {
	case IBV_WC_SUCCESS: return 0;
	case IBV_WC_WR_FLUSH_ERR: return 1;
	case IBV_WC_LOC_QP_OP_ERR: return 3;
	case IBV_WC_LOC_PROT_ERR: return 5;
	case IBV_WC_LOC_LEN_ERR: return 6;
	case IBV_WC_REM_ACCESS_ERR: return 7;
	case IBV_WC_REM_INV_RD_REQ_ERR: return 9; // no such queue pair there
	case IBV_WC_RNR_RETRY_EXC_ERR: return 10;
	case IBV_WC_REM_INV_REQ_ERR: return 11;
	default: return 2;
	}
}

// The phase of an entry is 1 in the first round of its queue. A queue without room is the program's fault, and not seen.
static bool complete(struct cq *cq, const struct completion *c)
{
	struct efa_cq *e = cq->o.own;
	const uint32_t n = e->produced[c->receive]++;
	const size_t at = (size_t)(c->receive * cq->entries + n % cq->entries) * e->size;
	struct entry *out = (struct entry *)(void *)(region_memory(e->pages) + at);
	struct entry in = {
		.request = c->index, .status = status(c->status), .qp = (uint16_t)c->qp->number, .length = (uint16_t)c->bytes,
		.address = NO_ADDRESS, .source = (uint16_t)c->source, .immediate = be32toh(c->word),
	};

	in.flags = (uint8_t)((c->receive ? OF_RECEIVE : OF_SEND) | (c->immediate ? ENTRY_IMMEDIATE : 0) |
		(!c->receive && c->op == READ ? READS << ENTRY_OPERATION : 0) | (n / cq->entries % 2 ? 0 : PHASE));
	memcpy(&out->qp, &in.qp, (c->receive ? sizeof in : offsetof(struct entry, address)) - offsetof(struct entry, qp));
	if (c->receive && c->gid && e->size > sizeof in)
		memcpy(out + 1, c->gid, 16);
	out->request = in.request;
	out->status = in.status;
	__atomic_store_n(&out->flags, in.flags, __ATOMIC_RELEASE);
	return true;
}

static const struct format efa_format = {.peek = peek, .drop = drop, .take = take, .complete = complete};

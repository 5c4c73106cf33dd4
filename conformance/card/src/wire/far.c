#include "wire/wire.h"

// An answer beside the statuses of arrive: the next part of the message is to come.
enum { MORE = -11 };

static bool to_here(uint32_t op)
{
	return op == READ || op == SWAP || op == ADD;
}

// rest makes a list of what a list of pieces has behind its first skip bytes.
static int rest(const struct piece *from, int n, uint64_t skip, struct piece *to)
{
	int k = 0;

	for (int i = 0; i < n; i++) {
		struct piece p = from[i];
		const uint64_t off = MIN(skip, p.length);

		skip -= off;
		p.length -= (uint32_t)off;
		if (p.memory != key_nowhere)
			p.memory += off;
		if (p.length)
			to[k++] = p;
	}
	return k;
}

static uint64_t bytes_here(const struct message *m)
{
	return MIN(m->length - m->offset, (uint64_t)CHUNK);
}

// move copies the part of a message that an exchange is for, from or to the requester's memory.
static bool move(struct exchange *x, const struct request *r)
{
	struct piece all = {.length = (uint32_t)bytes_here(&x->m), .memory = x->data};
	static struct piece own[PIECES]; // under the lock
	const int n = rest(r->pieces, r->n, x->m.offset, own);

	return to_here(x->m.op) ? copy_pieces(own, n, 0, &all, 1, all.length) : copy_pieces(&all, 1, 0, own, n, all.length);
}

static void fill(struct exchange *x, const struct qp *q, const struct request *r, const struct target *t)
{
	x->m = (struct message){.from = requester_source(q, r->length)};
	*(struct asked *)&x->m = *(const struct asked *)r;
	x->m.qpn = t->number;
	memcpy(x->m.gid, t->gid, sizeof x->m.gid);
}

// end frees the exchange of a queue pair.
static int end(struct qp *q, int status)
{
	exchange_drop(q->far);
	q->far = NULL;
	return status;
}

static int ask(struct qp *q, const struct request *r, int process)
{
	if (!to_here(r->op) && !move(q->far, r))
		return end(q, IBV_WC_LOC_PROT_ERR);
	exchange_ask(q->far, process, true);
	return LATER;
}

// answered takes an answer, and asks for the next part of a long message.
static int answered(struct qp *q, const struct request *r, int process, uint32_t *rnr_timer)
{
	struct exchange *x = q->far;
	const int status = x->status;

	*rnr_timer = x->rnr_timer;
	if (to_here(r->op) && (status == MORE || status == IBV_WC_SUCCESS) && !move(x, r))
		return end(q, IBV_WC_LOC_PROT_ERR);
	if (status != MORE || process < 0)
		return end(q, status == MORE ? SILENCE : status);
	x->m.offset += bytes_here(&x->m);
	return ask(q, r, process);
}

int far_request(struct qp *q, struct request *r, const struct target *t, uint32_t *rnr_timer)
{
	const int process = segment_owner(t->number);

	if (q->far)
		switch (exchange_state(q->far)) {
		case WAITING:
			return LATER;
		case ANSWERED:
			return answered(q, r, process, rnr_timer);
		default:
			return end(q, SILENCE);
		}
	if (process < 0)
		return SILENCE;
	q->far = exchange_take();
	if (!q->far)
		return LATER;
	fill(q->far, q, r, t);
	return ask(q, r, process);
}

void far_drop(struct qp *q)
{
	if (q->far)
		end(q, SILENCE);
}

static void post(struct exchange *x, const struct qp *q, const struct request *r, int process)
{
	fill(x, q, r, &(struct target){r->qpn, r->gid});
	if (move(x, r))
		exchange_ask(x, process, false);
	else
		exchange_drop(x);
}

int far_datagram(const struct qp *q, const struct request *r)
{
	const int process = segment_owner(r->qpn);
	struct exchange *x = process < 0 ? NULL : exchange_take();

	if (x)
		post(x, q, r, process);
	return process < 0 || x ? IBV_WC_SUCCESS : LATER;
}

bool far_take(struct cast *c)
{
	c->n = 0;
	for (int i = 0; i < PROCESSES; i++) {
		if (!segment_other(i))
			continue;
		c->x[c->n] = exchange_take();
		if (!c->x[c->n]) {
			far_cast(c, NULL, NULL);
			return false;
		}
		c->to[c->n++] = i;
	}
	return true;
}

void far_cast(const struct cast *c, const struct qp *q, const struct request *r)
{
	for (int i = 0; i < c->n; i++)
		if (r)
			post(c->x[i], q, r, c->to[i]);
		else
			exchange_drop(c->x[i]);
}

// Messages that need more than one exchange are put together here, by the number of the exchange.
static uint8_t *parts[EXCHANGES];

static void forget(int i)
{
	free(parts[i]);
	parts[i] = NULL;
}

static void request_of(const struct message *m, uint8_t *bytes, struct request *r)
{
	memset(r, 0, offsetof(struct request, raw));
	*(struct asked *)r = *(const struct asked *)m;
	if (m->length)
		r->pieces[r->n++] = (struct piece){.length = (uint32_t)m->length, .memory = bytes};
}

// run does a message whose bytes are all here.
static int run(struct exchange *x, uint8_t *bytes)
{
	static struct request r; // under the lock

	request_of(&x->m, bytes, &r);
	return arrive(&x->m.from, &(struct target){x->m.qpn, x->m.gid}, &r, &x->rnr_timer);
}

// part does a part of a long message: the message itself with the last, or with the first if it is a read, which returns bytes with each.
static int part(struct exchange *x, int i)
{
	const bool first = !x->m.offset, last = x->m.offset + bytes_here(&x->m) == x->m.length, reads = x->m.op == READ;
	int status = IBV_WC_SUCCESS;

	if (first) {
		forget(i);
		parts[i] = malloc(x->m.length);
	}
	if (!parts[i])
		return IBV_WC_REM_OP_ERR;
	if (!reads)
		memcpy(parts[i] + x->m.offset, x->data, bytes_here(&x->m));
	if (reads ? first : last)
		status = run(x, parts[i]);
	if (reads && status == IBV_WC_SUCCESS)
		memcpy(x->data, parts[i] + x->m.offset, bytes_here(&x->m));
	return status == IBV_WC_SUCCESS && !last ? MORE : status;
}

bool far_serve(uint64_t point)
{
	struct exchange *x;
	bool any = false;

	while ((x = exchange_next(point))) {
		const int i = exchange_index(x);

		x->status = x->m.length <= CHUNK ? run(x, x->data) : part(x, i);
		if (x->status != MORE)
			forget(i);
		exchange_answer(x);
		any = true;
	}
	return any;
}

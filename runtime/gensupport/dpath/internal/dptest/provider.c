//go:build linux && cgo

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "provider.h"

static struct dp_provider *of(struct ibv_context *c) { return (struct dp_provider *)((char *)c - offsetof(struct dp_provider, context)); }

static void record_sges(struct dp_seen *s, const struct ibv_sge *list, int num)
{
	int i;

	s->num = num;
	for (i = 0; i < num && i < DP_SGES; i++)
		s->sges[i] = list[i];
}

static void record_send(struct dp_provider *p, const struct ibv_send_wr *wr)
{
	struct dp_seen *s = &p->seen[p->seen_count++ % DP_SLOTS];

	memset(s, 0, sizeof *s);
	s->id = wr->wr_id;
	s->opcode = wr->opcode;
	s->flags = wr->send_flags;
	s->imm = ntohl(wr->imm_data);
	s->remote = wr->wr.rdma.remote_addr;
	s->rkey = wr->wr.rdma.rkey;
	s->compare = wr->wr.atomic.compare_add;
	s->swap = wr->wr.atomic.swap;
	s->atomic_rkey = wr->wr.atomic.rkey;
	s->ah = (uintptr_t)wr->wr.ud.ah;
	s->qpn = wr->wr.ud.remote_qpn;
	s->qkey = wr->wr.ud.remote_qkey;
	record_sges(s, wr->sg_list, wr->num_sge);
}

static void walk_sges(struct dp_entry *e, const struct ibv_sge *list, int num)
{
	int i;

	for (i = 0; i < num; i++) {
		e->addr = list[i].addr;
		e->length = list[i].length;
		e->lkey = list[i].lkey;
	}
}

// Does about what a provider does for a request: reads it and its elements, writes a queue entry.
static void walk_send(struct dp_provider *p, const struct ibv_send_wr *wr)
{
	struct dp_entry *e = &p->queue[p->head++ % DP_SLOTS];

	e->id = wr->wr_id;
	e->opcode = wr->opcode;
	e->flags = wr->send_flags;
	if (wr->opcode == IBV_WR_RDMA_WRITE || wr->opcode == IBV_WR_RDMA_READ) {
		e->remote = wr->wr.rdma.remote_addr;
		e->rkey = wr->wr.rdma.rkey;
	}
	walk_sges(e, wr->sg_list, wr->num_sge);
}

static int refused(struct dp_provider *p, void *wr, void **bad)
{
	if (!p->silent)
		*bad = p->astray ? (void *)(uintptr_t)p->astray : wr;
	errno = p->err;
	return p->code;
}

int dp_inside(struct dp_provider *p) { return __atomic_load_n(&p->inside, __ATOMIC_SEQ_CST); }
void dp_resume(struct dp_provider *p, int go) { __atomic_store_n(&p->resume, go, __ATOMIC_SEQ_CST); }

static void pause_post(struct dp_provider *p)
{
	__atomic_add_fetch(&p->inside, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&p->resume, __ATOMIC_SEQ_CST))
		usleep(50);
	__atomic_sub_fetch(&p->inside, 1, __ATOMIC_SEQ_CST);
}

// Looks at what a call was given for some microseconds: enough for another thread to destroy it.
static void linger(struct ibv_context *const volatile *context, const volatile uint64_t *wr)
{
	int i;

	for (i = 0; i < 2000; i++) {
		(void)*context;
		if (wr != NULL)
			(void)*wr;
	}
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct dp_provider *p = of(qp->context);
	int i;

	if (p->how == DP_NOTHING && p->refuse < 0)
		return 0;
	if (p->how == DP_PAUSE)
		pause_post(p);
	p->posts++;
	if (p->how == DP_LINGER)
		linger(qp->qp_type == IBV_QPT_UD ? &((struct ibv_pd *)wr->wr.ud.ah)->context : wr->opcode == IBV_WR_BIND_MW ? &wr->bind_mw.mw->context : &qp->context, &wr->wr_id);
	for (i = 0; wr != NULL; wr = wr->next, i++) {
		if (i == p->refuse)
			return refused(p, wr, (void **)bad);
		if (p->how == DP_WALK)
			walk_send(p, wr);
		else if (p->how == DP_RECORD)
			record_send(p, wr);
	}
	return 0;
}

static void walk_recv(struct dp_provider *p, const struct ibv_recv_wr *wr)
{
	struct dp_entry *e = &p->queue[p->head++ % DP_SLOTS];

	e->id = wr->wr_id;
	walk_sges(e, wr->sg_list, wr->num_sge);
}

static int receive(struct ibv_context *const *context, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct dp_provider *p = of(*context);
	int i;

	if (p->how == DP_PAUSE)
		pause_post(p);
	p->posts++;
	if (p->how == DP_LINGER)
		linger(context, &wr->wr_id);
	for (i = 0; wr != NULL; wr = wr->next, i++) {
		struct dp_seen *s = &p->seen[p->seen_count % DP_SLOTS];

		if (i == p->refuse)
			return refused(p, wr, (void **)bad);
		if (p->how == DP_WALK)
			walk_recv(p, wr);
		if (p->how != DP_RECORD)
			continue;
		p->seen_count++;
		memset(s, 0, sizeof *s);
		s->id = wr->wr_id;
		record_sges(s, wr->sg_list, wr->num_sge);
	}
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { return receive(&qp->context, wr, bad); }
static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { return receive(&srq->context, wr, bad); }
static int post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { return receive(&wq->context, wr, bad); }

// Fills in a completion as a provider does, field by field from what the device wrote.
static void complete(struct ibv_wc *wc, const struct ibv_wc *from)
{
	wc->wr_id = from->wr_id;
	wc->status = from->status;
	wc->opcode = from->opcode;
	wc->vendor_err = from->vendor_err;
	wc->byte_len = from->byte_len;
	wc->imm_data = from->imm_data;
	wc->qp_num = from->qp_num;
	wc->src_qp = from->src_qp;
	wc->wc_flags = from->wc_flags;
	wc->pkey_index = from->pkey_index;
	wc->slid = from->slid;
	wc->sl = from->sl;
	wc->dlid_path_bits = from->dlid_path_bits;
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct dp_provider *p = of(cq->context);
	int i;

	p->polls++;
	if (p->how == DP_LINGER)
		linger(&cq->context, NULL);
	if (p->answer < 0)
		return p->answer;
	if (p->empty > 0) {
		p->empty--;
		return 0;
	}
	for (i = 0; i < n && i < p->ready; i++)
		complete(&wc[i], &p->wcs[i]);
	if (!p->forever) {
		p->ready -= i;
		memmove(p->wcs, p->wcs + i, sizeof p->wcs[0] * (size_t)p->ready);
	}
	return i + p->beyond;
}

static int poll_nothing(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	(void)n;
	(void)wc;
	return 0;
}

void dp_idle(struct dp_provider *p) { p->context.ops.poll_cq = poll_nothing; }

static int notify(struct ibv_cq *cq, int solicited)
{
	struct dp_provider *p = of(cq->context);

	p->notifies++;
	if (p->how == DP_LINGER)
		linger(&cq->context, NULL);
	p->solicited = solicited;
	errno = p->err;
	return p->code;
}

struct dp_provider *dp_new(void)
{
	struct dp_provider *p = calloc(1, sizeof *p);
	int fds[2], async[2];

	if (p == NULL || pipe(fds) != 0 || pipe(async) != 0) {
		free(p);
		return NULL;
	}
	p->refuse = -1;
	p->context.ops.post_send = post_send;
	p->context.ops.post_recv = post_recv;
	p->context.ops.post_srq_recv = post_srq_recv;
	p->wq.post_recv = post_wq_recv;
	p->context.ops.poll_cq = poll_cq;
	p->context.ops.req_notify_cq = notify;
	p->qp.context = p->srq.context = p->wq.context = p->cq.context = p->channel.context = &p->context;
	p->cq.cq_context = p;
	p->channel.fd = fds[0];
	p->feed = fds[1];
	p->context.async_fd = async[0];
	p->feed_async = async[1];
	return p;
}

void dp_free(struct dp_provider *p)
{
	close(p->channel.fd);
	close(p->feed);
	close(p->context.async_fd);
	close(p->feed_async);
	free(p);
}

void dp_complete(struct dp_provider *p, int slot, uint64_t id)
{
	struct ibv_wc *wc = &p->wcs[slot];

	memset(wc, 0, sizeof *wc);
	wc->wr_id = id;
	wc->status = IBV_WC_SUCCESS;
	wc->opcode = IBV_WC_RECV_RDMA_WITH_IMM;
	wc->vendor_err = 0x101;
	wc->byte_len = 0x102;
	wc->imm_data = htonl(0x103);
	wc->qp_num = 0x104;
	wc->src_qp = 0x105;
	wc->wc_flags = IBV_WC_GRH;
	wc->pkey_index = 0x106;
	wc->slid = 0x107;
	wc->sl = 0x18;
	wc->dlid_path_bits = 0x19;
}

unsigned int dp_acked(struct dp_provider *p) { return __atomic_load_n(&p->acked, __ATOMIC_RELAXED); }

// Events are addresses of queues in a pipe, whole or not at all.
void dp_feed(struct dp_provider *p, struct ibv_cq *cq, int times)
{
	while (times-- > 0)
		while (write(p->feed, &cq, sizeof cq) < 0 && errno == EINTR)
			;
}

static int fail(int *err)
{
	if (*err == DP_NO_ERRNO) {
		*err = DP_NO_ERRNO + 1;
		errno = EINTR;
		return -1;
	}
	if (*err <= DP_NO_ERRNO)
		errno = *err;
	*err = 0;
	return -1;
}

static int get_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	struct dp_provider *p = of(channel->context);

	if (p->event_err != 0)
		return fail(&p->event_err);
	if (read(channel->fd, cq, sizeof *cq) != sizeof *cq)
		return -1;
	*context = (*cq)->cq_context;
	return 0;
}

static void ack_events(struct ibv_cq *cq, unsigned int n)
{
	__atomic_fetch_add(&of(cq->context)->acked, n, __ATOMIC_RELAXED);
}

// An asynchronous event goes through its pipe as it is.
void dp_feed_async(struct dp_provider *p, int type, uintptr_t element)
{
	struct ibv_async_event e;

	memset(&e, 0, sizeof e);
	e.event_type = (enum ibv_event_type)type;
	e.element.cq = (struct ibv_cq *)element;
	while (write(p->feed_async, &e, sizeof e) < 0 && errno == EINTR)
		;
}

static int get_async(struct ibv_context *context, struct ibv_async_event *event)
{
	struct dp_provider *p = of(context);

	if (p->async_err != 0)
		return fail(&p->async_err);
	return read(context->async_fd, event, sizeof *event) == sizeof *event ? 0 : -1;
}

static struct ibv_async_event last_ack;

static void ack_async(struct ibv_async_event *event) { last_ack = *event; }

struct ibv_async_event dp_acked_async(void) { return last_ack; }
uintptr_t dp_async_element(struct ibv_async_event e) { return (uintptr_t)e.element.cq; }

const struct dp_functions dp_functions = {(uintptr_t)get_event, (uintptr_t)ack_events, (uintptr_t)get_async, (uintptr_t)ack_async};

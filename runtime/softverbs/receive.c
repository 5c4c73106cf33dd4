//go:build linux && cgo

// Queues of receive requests.

#include "receive.h"
#include "completion.h"

int svb_recvq_exact(struct svb_recvq *q, uint32_t max_wr, uint32_t max_sge)
{
	*q = (struct svb_recvq){.max_wr = max_wr, .max_sge = max_sge};
	q->wr = calloc((size_t)q->max_wr + 1, sizeof *q->wr);
	q->sge = calloc((size_t)q->max_wr * max_sge + 1, sizeof *q->sge);
	if (q->wr && q->sge)
		return 0;
	svb_recvq_free(q);
	return ENOMEM;
}

int svb_recvq_make(struct svb_recvq *q, uint32_t max_wr, uint32_t max_sge)
{
	return svb_recvq_exact(q, svb_ring_size(max_wr), max_sge);
}

void svb_recvq_free(struct svb_recvq *q)
{
	free(q->wr);
	free(q->sge);
	*q = (struct svb_recvq){.wr = NULL};
}

int svb_recvq_post(struct svb_recvq *q, const struct ibv_recv_wr *wr)
{
	uint32_t at;

	if (q->count == q->max_wr)
		return ENOMEM;
	at = (q->head + q->count) % q->max_wr;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > q->max_sge)
		return EINVAL;
	q->wr[at] = (struct svb_recv){.wr_id = wr->wr_id, .nsge = wr->num_sge};
	if (wr->num_sge)
		memcpy(&q->sge[(size_t)at * q->max_sge], wr->sg_list, (size_t)wr->num_sge * sizeof *wr->sg_list);
	q->count++;
	return 0;
}

bool svb_recvq_take(struct svb_recvq *q, struct svb_receive *r)
{
	const uint32_t at = q->head;

	if (!q->count)
		return false;
	r->taken = true;
	r->wr_id = q->wr[at].wr_id;
	r->nsge = q->wr[at].nsge;
	memcpy(r->sge, &q->sge[(size_t)at * q->max_sge], (size_t)r->nsge * sizeof *r->sge);
	q->head = (at + 1) % q->max_wr;
	q->count--;
	return true;
}

void svb_recvq_give_back(struct svb_recvq *q, struct svb_receive *r)
{
	if (!r->taken || q->count == q->max_wr)
		return;
	q->head = (q->head + q->max_wr - 1) % q->max_wr;
	q->wr[q->head] = (struct svb_recv){.wr_id = r->wr_id, .nsge = r->nsge};
	memcpy(&q->sge[(size_t)q->head * q->max_sge], r->sge, (size_t)r->nsge * sizeof *r->sge);
	q->count++;
	r->taken = false;
}

int svb_recvq_resize(struct svb_recvq *q, uint32_t max_wr)
{
	struct svb_receive r;
	struct svb_recvq n;
	int err;

	if (max_wr < q->count)
		return EINVAL;
	err = svb_recvq_make(&n, max_wr, q->max_sge);
	if (err)
		return err;
	while (svb_recvq_take(q, &r)) {
		struct ibv_recv_wr wr = {.wr_id = r.wr_id, .sg_list = r.sge, .num_sge = r.nsge};

		svb_recvq_post(&n, &wr);
	}
	svb_recvq_free(q);
	*q = n;
	return 0;
}

void svb_srq_used(struct svb_srq *srq)
{
	if (!srq->limit || srq->q.count >= srq->limit)
		return;
	srq->limit = 0;
	svb_async(srq->obj.ctx, IBV_EVENT_SRQ_LIMIT_REACHED, &srq->pub, &srq->async_reported);
}

// Queues: Linux 6.1, drivers/infiniband/hw/efa/efa_verbs.c.
#include "efa/efa.h"

// efa_create_cq.
static void efa_create_cq(const struct call *c, struct cq *cq, uint32_t entries, uint32_t flags)
{
	struct efa_ibv_create_cq q;
	struct efa_ibv_create_cq_resp r = {.cq_idx = (uint16_t)cq->o.number};
	struct efa_cq *e;

	refuse_if(flags || cq->channel, EOPNOTSUPP); // the second is ours: no event queues
	refuse_if(entries < 1 || entries > CQ_MOST || ATTR_IN(c, UVERBS_ATTR_UHW_IN, q) < offsetof(struct efa_ibv_create_cq, flags), EINVAL);
	refuse_if(q.comp_mask || q.num_sub_cqs != SUB_CQS, EINVAL);
	refuse_if(q.cq_entry_size != sizeof(struct entry) + 16 && (q.flags & EFA_CREATE_CQ_WITH_SGID || q.cq_entry_size != sizeof(struct entry)),
		EINVAL);
	e = object_own(&cq->o, sizeof *e);
	e->pages = region_new(c->ctx, (uint64_t)entries * q.cq_entry_size * SUB_CQS);
	refuse_if(!e->pages, ENOMEM);
	e->size = q.cq_entry_size;
	cq->entries = entries;
	r.q_mmap_key = e->pages->at;
	r.q_mmap_size = e->pages->size;
	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

static void efa_end_cq(struct cq *cq)
{
	region_end(((struct efa_cq *)cq->o.own)->pages);
}

// efa_qp_validate_cap and efa_qp_validate_attr.
static void check_create(const struct qp *q, uint32_t flags)
{
	refuse_if(q->cap.max_send_wr > QUEUE_MOST || q->cap.max_recv_wr > QUEUE_MOST || q->cap.max_send_sge > SEND_SGE ||
		q->cap.max_recv_sge > RECEIVE_SGE || q->cap.max_inline_data > INLINE, EINVAL);
	refuse_if((q->type != IBV_QPT_UD && q->type != IBV_QPT_DRIVER) || q->srq || flags, EOPNOTSUPP);
}

static void end_regions(struct efa_qp *e)
{
	region_end(e->doorbells);
	region_end(e->sends);
	region_end(e->receives);
}

// make_regions has a page of doorbells, and the two queues (qp_mmap_entries_setup).
static void make_regions(struct context *ctx, struct efa_qp *e, const struct efa_ibv_create_qp *q)
{
	e->doorbells = region_new(ctx, PAGE);
	e->sends = region_new(ctx, q->sq_ring_size + SENDS_AT);
	if (q->rq_ring_size)
		e->receives = region_new(ctx, q->rq_ring_size);
	if (e->doorbells && e->sends && (e->receives || !q->rq_ring_size))
		return;
	end_regions(e);
	refuse(ENOMEM);
}

static void efa_create_qp(const struct call *c, struct qp *q, uint32_t flags)
{
	struct efa_ibv_create_qp u;
	struct efa_ibv_create_qp_resp r;
	struct efa_qp *e = object_own(&q->o, sizeof *e);

	check_create(q, flags);
	refuse_if(ATTR_IN(c, UVERBS_ATTR_UHW_IN, u) < sizeof u || u.comp_mask, EINVAL);
	refuse_if(q->type == IBV_QPT_DRIVER && u.driver_qp_type != EFA_QP_DRIVER_TYPE_SRD, EOPNOTSUPP);
	make_regions(c->ctx, e, &u);
	e->nsends = u.sq_ring_size / sizeof(struct send);
	e->nreceives = u.rq_ring_size / sizeof(struct buffer);
	r = (struct efa_ibv_create_qp_resp){
		.sq_db_offset = SEND_DOORBELL, .rq_db_offset = RECEIVE_DOORBELL, .llq_desc_offset = SENDS_AT, .sq_db_mmap_key = e->doorbells->at,
		.rq_db_mmap_key = e->doorbells->at, .llq_desc_mmap_key = e->sends->at, .rq_mmap_key = e->receives ? e->receives->at : 0,
		.rq_mmap_size = e->receives ? e->receives->size : 0, .send_sub_cq_idx = 0, .recv_sub_cq_idx = 1,
	};
	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

// srd_qp_state_table is that of UD, but for the number of retries.
static bool srd_allowed(int from, int to, uint32_t mask)
{
	if (from == IBV_QPS_RTR && to == IBV_QPS_RTS)
		mask &= ~(uint32_t)IBV_QP_RNR_RETRY;
	return svb_transition(IBV_QPT_UD, (enum ibv_qp_state)from, (enum ibv_qp_state)to, (int)mask);
}

// efa_modify_qp_validate.
static void efa_modify_qp(const struct call *c, struct qp *q, const struct ib_uverbs_modify_qp *a)
{
	const uint32_t m = a->attr_mask, known = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY | IBV_QP_PKEY_INDEX |
		IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_SQ_PSN | IBV_QP_RNR_RETRY;
	const int from = m & IBV_QP_CUR_STATE ? a->cur_qp_state : q->state;
	const int to = m & IBV_QP_STATE ? a->qp_state : from;

	(void)c;
	refuse_if(m & ~known, EOPNOTSUPP);
	refuse_if(q->type == IBV_QPT_DRIVER && !srd_allowed(from, to, m), EINVAL);
	refuse_if(m & IBV_QP_PKEY_INDEX && a->pkey_index, EOPNOTSUPP);
}

// efa_query_qp.
static void efa_query_qp(const struct qp *q, struct ib_uverbs_query_qp_resp *r)
{
	r->max_send_wr = q->cap.max_send_wr;
	r->max_recv_wr = q->cap.max_recv_wr;
	r->max_send_sge = q->cap.max_send_sge;
	r->max_recv_sge = q->cap.max_recv_sge;
	r->max_inline_data = q->cap.max_inline_data;
	r->port_num = 1;
}

static _Atomic uint32_t *doorbell(const struct efa_qp *e, size_t at)
{
	return (_Atomic uint32_t *)(void *)(region_memory(e->doorbells) + at);
}

static void efa_reset_qp(struct qp *q)
{
	struct efa_qp *e = q->o.own;

	e->sent = e->received = 0;
	atomic_store(doorbell(e, SEND_DOORBELL), 0);
	atomic_store(doorbell(e, RECEIVE_DOORBELL), 0);
}

static void efa_end_qp(struct qp *q)
{
	end_regions(q->o.own);
}

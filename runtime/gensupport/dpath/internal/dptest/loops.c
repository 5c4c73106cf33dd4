//go:build linux && cgo

#include <stddef.h>
#include "provider.h"

// What a program in C calls: an inline function of verbs.h each.
static inline int do_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	return qp->context->ops.post_send(qp, wr, bad);
}

static inline int do_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc) { return cq->context->ops.poll_cq(cq, n, wc); }

static struct ibv_send_wr wrs[DP_SLOTS];
static struct ibv_sge sges[DP_SLOTS];

static void build(int n, uint64_t id)
{
	int i;

	for (i = 0; i < n; i++) {
		struct ibv_send_wr *wr = &wrs[i];

		sges[i].addr = 0x10000 + id;
		sges[i].length = 64;
		sges[i].lkey = 7;
		wr->wr_id = id++;
		wr->next = i + 1 < n ? wr + 1 : NULL;
		wr->sg_list = &sges[i];
		wr->num_sge = 1;
		wr->opcode = IBV_WR_RDMA_WRITE;
		wr->send_flags = IBV_SEND_SIGNALED;
		wr->wr.rdma.remote_addr = 0x20000 + id;
		wr->wr.rdma.rkey = 9;
	}
}

// Builds all of each chain.
void dp_loop_built(struct dp_provider *p, int n, long times)
{
	struct ibv_send_wr *bad;
	uint64_t id = 0;

	while (times-- > 0) {
		build(n, id);
		id += (uint64_t)n;
		do_post_send(&p->qp, wrs, &bad);
	}
}

// Posts the same chain over and over, and polls after each.
void dp_loop_both(struct dp_provider *p, int n, int room, long times)
{
	static struct ibv_wc wcs[DP_SLOTS];
	struct ibv_send_wr *bad;

	build(n, 0);
	while (times-- > 0) {
		do_post_send(&p->qp, wrs, &bad);
		do_poll_cq(&p->cq, room, wcs);
	}
}

// Polls and looks at each completion.
uint64_t dp_loop_poll(struct dp_provider *p, int n, long times)
{
	static struct ibv_wc wcs[DP_SLOTS];
	uint64_t sum = 0;
	int i, got;

	while (times-- > 0) {
		got = do_poll_cq(&p->cq, n, wcs);
		for (i = 0; i < got; i++)
			if (wcs[i].status == IBV_WC_SUCCESS)
				sum += wcs[i].wr_id;
	}
	return sum;
}

// Polls tries times, times over.
int dp_loop_spin(struct dp_provider *p, int n, int tries, long times)
{
	static struct ibv_wc wcs[DP_SLOTS];
	int i, got = 0;

	while (times-- > 0)
		for (i = 0; i < tries && got == 0; i++)
			got = do_poll_cq(&p->cq, n, wcs);
	return got;
}

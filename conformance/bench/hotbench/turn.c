#include <time.h>

#include "hot.h"

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void build(struct ibv_send_wr *wr, struct ibv_sge *sge, const struct hb_write *w, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		sge[i] = (struct ibv_sge){.addr = w->addr, .length = w->length, .lkey = w->lkey};
		wr[i] = (struct ibv_send_wr){
			.wr_id = (uint64_t)i, .next = i + 1 < n ? &wr[i + 1] : NULL, .sg_list = &sge[i], .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
			.send_flags = IBV_SEND_SIGNALED | w->flags, .wr.rdma = {.remote_addr = w->remote, .rkey = w->rkey},
		};
	}
}

int64_t hb_turn_post(struct ibv_qp *qp, const struct hb_write *w, int n, int times, int anew)
{
	struct ibv_send_wr wr[HB_SLOTS], *bad;
	struct ibv_sge sge[HB_SLOTS];
	int64_t begin;

	build(wr, sge, w, n);
	for (begin = now(); times > 0; times--) {
		if (anew)
			build(wr, sge, w, n);
		if (qp->context->ops.post_send(qp, wr, &bad))
			return -1;
	}
	return now() - begin;
}

int64_t hb_turn_recv(struct ibv_qp *qp, const struct hb_write *w, int n, int times)
{
	struct ibv_recv_wr wr[HB_SLOTS], *bad;
	struct ibv_sge sge = {.addr = w->addr, .length = w->length, .lkey = w->lkey};
	int64_t begin;
	int i;

	for (i = 0; i < n; i++)
		wr[i] = (struct ibv_recv_wr){.wr_id = (uint64_t)i, .next = i + 1 < n ? &wr[i + 1] : NULL, .sg_list = &sge, .num_sge = 1};
	for (begin = now(); times > 0; times--)
		if (qp->context->ops.post_recv(qp, wr, &bad))
			return -1;
	return now() - begin;
}

int64_t hb_turn_poll(struct ibv_cq *cq, int n, int times, int *got)
{
	static struct ibv_wc wc[HB_SLOTS];
	const int64_t begin = now();
	int one;

	for (*got = 0; times > 0; times--, *got += one) {
		one = cq->context->ops.poll_cq(cq, n, wc);
		if (one < 0)
			break;
	}
	return now() - begin;
}

int hb_trip(struct ibv_qp *qp, struct ibv_cq *cq, const struct hb_write *w, enum ibv_wr_opcode opcode, int n, long times)
{
	struct ibv_send_wr wr[HB_SLOTS], *bad;
	struct ibv_wc wc[HB_SLOTS];
	struct ibv_sge sge = {.addr = w->addr, .length = w->length, .lkey = w->lkey};
	int i, got, left;

	for (i = 0; i < n; i++) {
		wr[i] = (struct ibv_send_wr){.wr_id = (uint64_t)i, .next = i + 1 < n ? &wr[i + 1] : NULL, .sg_list = &sge, .num_sge = 1,
			.opcode = opcode, .send_flags = IBV_SEND_SIGNALED};
		if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			wr[i].wr.atomic.remote_addr = w->remote;
			wr[i].wr.atomic.compare_add = 1;
			wr[i].wr.atomic.rkey = w->rkey;
		} else {
			wr[i].wr.rdma.remote_addr = w->remote;
			wr[i].wr.rdma.rkey = w->rkey;
		}
	}
	while (times-- > 0) {
		if (qp->context->ops.post_send(qp, wr, &bad))
			return 1;
		for (left = n; left > 0; left -= got) {
			got = cq->context->ops.poll_cq(cq, left, wc);
			if (got < 0)
				return 2;
			for (i = 0; i < got; i++)
				if (wc[i].status)
					return 3;
		}
	}
	return 0;
}

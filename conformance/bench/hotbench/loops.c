#include <arpa/inet.h>

#include "hot.h"

// What a program in C has for each completion.
struct have {
	uint64_t id, ts;
	uint32_t status, opcode, vendor, flags, len, imm, qp, src, slid;
	uint8_t sl, bits;
};

static struct have all[HB_SLOTS];

static inline void read_one(struct ibv_cq_ex *cq, struct have *h, enum hb_fields fields)
{
	h->status = cq->status;
	h->id = cq->wr_id;
	if (h->status != IBV_WC_SUCCESS) {
		h->vendor = cq->read_vendor_err(cq);
		return;
	}
	h->opcode = cq->read_opcode(cq);
	h->flags = cq->read_wc_flags(cq);
	if (fields >= HB_USUAL) {
		h->len = cq->read_byte_len(cq);
		h->qp = cq->read_qp_num(cq);
	}
	if (fields >= HB_ALL) {
		h->imm = cq->read_imm_data(cq);
		if (h->flags & IBV_WC_WITH_IMM)
			h->imm = ntohl(h->imm);
		h->src = cq->read_src_qp(cq);
		h->slid = cq->read_slid(cq);
		h->ts = cq->read_completion_ts(cq);
		h->sl = cq->read_sl(cq);
		h->bits = cq->read_dlid_path_bits(cq);
	}
}

static inline int poll(struct ibv_cq_ex *cq, enum hb_fields fields, int n)
{
	struct ibv_poll_cq_attr attr = {0};
	int got = 0;

	if (cq->start_poll(cq, &attr) != 0)
		return 0;
	do {
		read_one(cq, &all[got], fields);
	} while (++got < n && cq->next_poll(cq) == 0);
	cq->end_poll(cq);
	return got;
}

static inline uint64_t loop(struct ibv_cq_ex *cq, enum hb_fields fields, int n, long times)
{
	uint64_t sum = 0;
	int i, got;

	while (times-- > 0) {
		got = poll(cq, fields, n);
		for (i = 0; i < got; i++)
			if (all[i].status == IBV_WC_SUCCESS)
				sum += all[i].id;
	}
	return sum;
}

// The fields are constants in each call, as in a program.
uint64_t hb_loop_read(struct ibv_cq_ex *cq, enum hb_fields fields, int n, long times)
{
	switch (fields) {
	case HB_BASE:
		return loop(cq, HB_BASE, n, times);
	case HB_USUAL:
		return loop(cq, HB_USUAL, n, times);
	default:
		return loop(cq, HB_ALL, n, times);
	}
}

// What a program in C knows of a request before it posts it. It lies in memory, so that the compiler cannot make constants of it.
static struct job {
	uint64_t id, remote, addr;
	uint32_t rkey, lkey, length, flags;
} jobs[HB_SLOTS];

void hb_fill(void)
{
	int i;

	for (i = 0; i < HB_SLOTS; i++)
		jobs[i] = (struct job){(uint64_t)i, 0x20000 + (uint64_t)i, 0x10000 + (uint64_t)i, 9, 7, 64, IBV_SEND_SIGNALED};
}

// Posts chains of n WRITEs.
void hb_loop_stream(struct ibv_qp_ex *qp, int n, long times)
{
	const struct job *j;

	while (times-- > 0) {
		qp->wr_start(qp);
		for (j = jobs; j < jobs + n; j++) {
			qp->wr_id = j->id;
			qp->wr_flags = j->flags;
			qp->wr_rdma_write(qp, j->rkey, j->remote);
			qp->wr_set_sge(qp, j->lkey, j->addr, j->length);
		}
		qp->wr_complete(qp);
	}
}

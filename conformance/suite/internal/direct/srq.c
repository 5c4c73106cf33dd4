//go:build linux && cgo

// Posting to a shared receive queue, which the bindings cannot do yet.
#include "direct.h"

int direct_post_srq_recv(uintptr_t srq_, uint64_t id, uint64_t addr, uint32_t length, uint32_t lkey)
{
	struct ibv_srq *srq = (struct ibv_srq *)srq_;
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return srq->context->ops.post_srq_recv(srq, &wr, &bad);
}

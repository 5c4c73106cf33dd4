//go:build linux && cgo

#include <stddef.h>
#include "guard.h"

__attribute__((noinline)) void hg_mark(void) { __asm__ volatile("" ::: "memory"); }

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp, (void)wr, (void)bad;
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)qp, (void)wr, (void)bad;
	return 0;
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	for (int i = 0; i < n; i++)
		wc[i] = (struct ibv_wc){ .wr_id = i, .byte_len = 64, .qp_num = 17 };
	return n;
}

void hg_idle(struct ibv_context *context)
{
	context->ops.post_send = post_send;
	context->ops.post_recv = post_recv;
	context->ops.poll_cq = poll_cq;
}

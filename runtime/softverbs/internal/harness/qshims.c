//go:build linux && cgo

#include <endian.h>
#include <errno.h>
#include <stddef.h>

#include "qshims.h"

#define POINTER(call) \
	void *r; \
	errno = 0; \
	r = (call); \
	*err = r ? 0 : errno; \
	return r
#define RESULT(call) \
	int rc; \
	errno = 0; \
	rc = (call); \
	*err = rc ? errno : 0; \
	return rc

void *svbh_create_cq(uintptr_t fn, void *ctx, int cqe, uintptr_t cq_context, void *channel, int vector, int *err)
{
	POINTER(((vg_fn_ibv_create_cq)fn)(ctx, cqe, (void *)cq_context, channel, vector));
}
int svbh_get_cq_event(uintptr_t fn, void *channel, void **cq, uintptr_t *cq_context, int *err)
{
	RESULT(((vg_fn_ibv_get_cq_event)fn)(channel, (struct ibv_cq **)cq, (void **)cq_context));
}
void svbh_ack_cq_events(uintptr_t fn, void *cq, unsigned n) { ((vg_fn_ibv_ack_cq_events)fn)(cq, n); }
int svbh_poll(void *cq, int n, struct ibv_wc *wc) { return ((struct ibv_cq *)cq)->context->ops.poll_cq(cq, n, wc); }
int svbh_notify(void *cq, int solicited_only)
{
	return ((struct ibv_cq *)cq)->context->ops.req_notify_cq(cq, solicited_only);
}
void *svbh_create_qp(uintptr_t fn, void *pd, struct ibv_qp_init_attr *a, int *err)
{
	POINTER(((vg_fn_ibv_create_qp)fn)(pd, a));
}
int svbh_modify_qp(uintptr_t fn, void *qp, struct ibv_qp_attr *a, int mask)
{
	return ((vg_fn_ibv_modify_qp)fn)(qp, a, mask);
}
int svbh_query_qp(uintptr_t fn, void *qp, struct ibv_qp_attr *a, int mask, struct ibv_qp_init_attr *init)
{
	return ((vg_fn_ibv_query_qp)fn)(qp, a, mask, init);
}

// The index of the refused request, -1 without one.
int svbh_post_send(void *qp, struct ibv_send_wr *wr, int *bad)
{
	struct ibv_send_wr *at = NULL;
	int rc = ((struct ibv_qp *)qp)->context->ops.post_send(qp, wr, &at);

	*bad = at ? (int)(at - wr) : -1;
	return rc;
}
int svbh_post_recv(void *qp, struct ibv_recv_wr *wr, int *bad)
{
	struct ibv_recv_wr *at = NULL;
	int rc = ((struct ibv_qp *)qp)->context->ops.post_recv(qp, wr, &at);

	*bad = at ? (int)(at - wr) : -1;
	return rc;
}
void *svbh_create_srq(uintptr_t fn, void *pd, struct ibv_srq_init_attr *a, int *err)
{
	POINTER(((vg_fn_ibv_create_srq)fn)(pd, a));
}
int svbh_modify_srq(uintptr_t fn, void *srq, struct ibv_srq_attr *a, int mask)
{
	return ((vg_fn_ibv_modify_srq)fn)(srq, a, mask);
}
int svbh_post_srq_recv(void *srq, struct ibv_recv_wr *wr, int *bad)
{
	struct ibv_recv_wr *at = NULL;
	int rc = ((struct ibv_srq *)srq)->context->ops.post_srq_recv(srq, wr, &at);

	*bad = at ? (int)(at - wr) : -1;
	return rc;
}
void *svbh_create_ah(uintptr_t fn, void *pd, struct ibv_ah_attr *a, int *err)
{
	POINTER(((vg_fn_ibv_create_ah)fn)(pd, a));
}
int svbh_query_gid(uintptr_t fn, void *ctx, uint8_t port, int index, union ibv_gid *gid, int *err)
{
	RESULT(((vg_fn_ibv_query_gid)fn)(ctx, port, index, gid));
}
int svbh_get_async(uintptr_t fn, void *ctx, int *type, void **element, int *err)
{
	struct ibv_async_event ev = {.element.cq = NULL};
	int rc;

	errno = 0;
	rc = ((vg_fn_ibv_get_async_event)fn)(ctx, &ev);
	*err = rc ? errno : 0;
	*type = (int)ev.event_type;
	*element = ev.element.cq;
	return rc;
}
void svbh_ack_async(uintptr_t fn, int type, void *element)
{
	struct ibv_async_event ev = {.element.cq = element, .event_type = (enum ibv_event_type)type};

	((vg_fn_ibv_ack_async_event)fn)(&ev);
}

void svbh_set_imm(struct ibv_send_wr *wr, uint32_t imm) { wr->imm_data = htobe32(imm); }
void svbh_set_rdma(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey)
{
	wr->wr.rdma.remote_addr = addr;
	wr->wr.rdma.rkey = rkey;
}
void svbh_set_atomic(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey, uint64_t compare_add, uint64_t swap)
{
	wr->wr.atomic.remote_addr = addr;
	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.compare_add = compare_add;
	wr->wr.atomic.swap = swap;
}
void svbh_set_ud(struct ibv_send_wr *wr, void *ah, uint32_t qpn, uint32_t qkey)
{
	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = qpn;
	wr->wr.ud.remote_qkey = qkey;
}
uint32_t svbh_wc_imm(const struct ibv_wc *wc) { return be32toh(wc->imm_data); }

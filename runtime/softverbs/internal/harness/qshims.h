// Calls of the verbs about queues, by the address of their function or through the operations of a context.
#ifndef SVBH_QSHIMS_H
#define SVBH_QSHIMS_H

#include "shims.h"

void *svbh_create_cq(uintptr_t fn, void *ctx, int cqe, uintptr_t cq_context, void *channel, int vector, int *err);
int svbh_get_cq_event(uintptr_t fn, void *channel, void **cq, uintptr_t *cq_context, int *err);
void svbh_ack_cq_events(uintptr_t fn, void *cq, unsigned n);
int svbh_poll(void *cq, int n, struct ibv_wc *wc);
int svbh_notify(void *cq, int solicited_only);
void *svbh_create_qp(uintptr_t fn, void *pd, struct ibv_qp_init_attr *a, int *err);
int svbh_modify_qp(uintptr_t fn, void *qp, struct ibv_qp_attr *a, int mask);
int svbh_query_qp(uintptr_t fn, void *qp, struct ibv_qp_attr *a, int mask, struct ibv_qp_init_attr *init);
int svbh_post_send(void *qp, struct ibv_send_wr *wr, int *bad);
int svbh_post_recv(void *qp, struct ibv_recv_wr *wr, int *bad);
void *svbh_create_srq(uintptr_t fn, void *pd, struct ibv_srq_init_attr *a, int *err);
int svbh_modify_srq(uintptr_t fn, void *srq, struct ibv_srq_attr *a, int mask);
int svbh_post_srq_recv(void *srq, struct ibv_recv_wr *wr, int *bad);
void *svbh_create_ah(uintptr_t fn, void *pd, struct ibv_ah_attr *a, int *err);
int svbh_query_gid(uintptr_t fn, void *ctx, uint8_t port, int index, union ibv_gid *gid, int *err);
int svbh_get_async(uintptr_t fn, void *ctx, int *type, void **element, int *err);
void svbh_ack_async(uintptr_t fn, int type, void *element);
// Fields that cgo cannot name.
void svbh_set_imm(struct ibv_send_wr *wr, uint32_t imm);
void svbh_set_rdma(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey);
void svbh_set_atomic(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey, uint64_t compare_add, uint64_t swap);
void svbh_set_ud(struct ibv_send_wr *wr, void *ah, uint32_t qpn, uint32_t qkey);
uint32_t svbh_wc_imm(const struct ibv_wc *wc);

#endif

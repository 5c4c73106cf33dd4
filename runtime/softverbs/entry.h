// The functions that a program calls, in table.h's order. Their types are those of the ABI, so that a function of other
// parameters does not compile.
#ifndef SVB_ENTRY_H
#define SVB_ENTRY_H

#include "objects.h"

#define SYMBOL(name, minor, function) extern __typeof__(*(vg_fn_##name)0) function SVB_HIDDEN;
#define SYMBOL_OF_SLOT(name, minor, function, result, type, arg) SVB_HIDDEN result function(int slot, type arg);
#define OP(member, present, function) extern __typeof__(*((struct verbs_context *)0)->member) function SVB_HIDDEN;
#define CONTEXT_OP(member, function) extern __typeof__(*((struct ibv_context *)0)->ops.member) function SVB_HIDDEN;
#include "table.h"

// What files of this layer do for other files of it.

struct svb_cq;
struct svb_cqe;
struct svb_ctx;
struct svb_qp;
struct svb_stream;

// cq.c
// svb_make_cq makes a queue as attr says: NULL + errno; verb is what may be told to fail.
SVB_HIDDEN struct svb_cq *svb_make_cq(struct ibv_context *pub, const struct ibv_cq_init_attr_ex *attr, enum svb_verb verb);
SVB_HIDDEN void svb_dequeue(struct svb_cq *cq, struct svb_cqe *into); // the oldest entry, which there is; with svb_lock held

// target.c
SVB_HIDDEN struct svb_qp *svb_find_qp(const struct ibv_qp *pub); // with svb_lock held; NULL: none that lives
// svb_begin_qp is svb_begin for a queue pair, whichever handle of it is given.
SVB_HIDDEN struct svb_qp *svb_begin_qp(const struct ibv_qp *pub, enum svb_verb v, int *err);
SVB_HIDDEN void svb_qp_name(const struct svb_obj *o, char *buf, size_t n); // of a queue pair, and of a handle
SVB_HIDDEN bool svb_is_target(const struct ibv_qp *pub);
// svb_make_target makes a queue pair of type XRC_RECV and the first handle of it; NULL + errno. Without svb_lock.
SVB_HIDDEN struct ibv_qp *svb_make_target(struct svb_ctx *c, struct ibv_qp_init_attr_ex *a);

// post.c
SVB_HIDDEN int svb_post_all(struct svb_qp *qp, struct ibv_send_wr *wr, uint32_t n, int verb); // all of a chain, or none

// qp.c
// svb_make_qp makes a queue pair for some operations: NULL + errno.
SVB_HIDDEN struct ibv_qp *svb_make_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *a, uint64_t ops);

// wr.c
// svb_stream_make gives a queue pair the builders of the requests that were asked for: 0, or ENOMEM.
SVB_HIDDEN int svb_stream_make(struct svb_qp *qp, uint64_t asked);
SVB_HIDDEN void svb_stream_free(struct svb_stream *s);

// rwq.c
SVB_HIDDEN struct ibv_qp *svb_create_table_qp(struct ibv_qp_init_attr_ex *a); // NULL + errno

#endif

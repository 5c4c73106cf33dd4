//go:build linux && cgo

// Tables of work queues, and the queue pairs that distribute over them. No packet comes by here that could be distributed.

#include "entry.h"
#include "qp.h"
#include "steer.h"

#define MAX_LOG_SIZE 11
#define KEY_LENGTH 40 // of the Toeplitz hash
#define FIELDS (IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6 | IBV_RX_HASH_SRC_PORT_TCP | \
		IBV_RX_HASH_DST_PORT_TCP | IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP | IBV_RX_HASH_IPSEC_SPI | IBV_RX_HASH_INNER)

static void forget(struct svb_obj *o)
{
	struct svb_rwq_table *t = SVB_OF(o, struct svb_rwq_table);

	for (uint32_t i = 0; i < t->n; i++)
		t->wqs[i]->obj.users--;
	free(t->wqs);
}

static const struct svb_kind kind = {
	SVB_KIND(SVB_T_RWQ_TABLE, svb_rwq_table), .noun = "table of work queues", .numbered = true, .free = forget,
};

static int enter(struct svb_ctx *c, struct svb_rwq_table *t, const struct ibv_rwq_ind_table_init_attr *a)
{
	const uint32_t n = 1u << a->log_ind_tbl_size;

	t->wqs = calloc(n, sizeof(struct svb_wq *));
	if (!t->wqs)
		return ENOMEM;
	while (t->n < n) {
		struct svb_wq *w = svb_live(a->ind_tbl[t->n], SVB_T_WQ);

		if (!w || w->obj.ctx != c)
			return EINVAL;
		w->obj.users++;
		t->wqs[t->n++] = w;
	}
	t->pub.context = &c->vctx.context;
	t->pub.ind_tbl_handle = t->pub.ind_tbl_num = (int)t->obj.handle;
	return 0;
}

struct ibv_rwq_ind_table *svb_create_rwq_ind_table(struct ibv_context *pub, struct ibv_rwq_ind_table_init_attr *a)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_CREATE_RWQ_IND_TABLE, &err);
	struct svb_rwq_table *t;

	if (!err && (a->comp_mask >= IBV_CREATE_IND_TABLE_RESERVED || a->log_ind_tbl_size > MAX_LOG_SIZE || !a->ind_tbl))
		err = EINVAL;
	t = svb_new_obj(&kind, c, &err);
	if (!err)
		err = enter(c, t, a);
	return svb_made(t, err);
}

SVB_DESTROYS(svb_destroy_rwq_ind_table, ibv_rwq_ind_table, SVB_T_RWQ_TABLE, SVB_DESTROY_RWQ_IND_TABLE)

// hashed holds the hash against what the devices take that have one.
static int hashed(const struct ibv_qp_init_attr_ex *a)
{
	const struct ibv_rx_hash_conf *h = &a->rx_hash_conf;

	if (!(a->comp_mask & IBV_QP_INIT_ATTR_RX_HASH) || a->qp_type != IBV_QPT_RAW_PACKET)
		return EINVAL;
	if (a->recv_cq || a->srq || a->cap.max_recv_wr || a->cap.max_recv_sge || (a->cap.max_send_wr && !a->send_cq))
		return EINVAL;
	if (h->rx_hash_function != IBV_RX_HASH_FUNC_TOEPLITZ || h->rx_hash_key_len != KEY_LENGTH || !h->rx_hash_key)
		return EINVAL;
	return h->rx_hash_fields_mask & ~(uint64_t)FIELDS ? EOPNOTSUPP : 0;
}

// svb_create_table_qp makes a queue pair that distributes over a table. It has no receives, and no change of it is taken.
struct ibv_qp *svb_create_table_qp(struct ibv_qp_init_attr_ex *a)
{
	struct ibv_qp_init_attr as = {
		.qp_context = a->qp_context, .send_cq = a->send_cq, .cap = a->cap, .qp_type = IBV_QPT_UD, .sq_sig_all = a->sq_sig_all,
	};
	struct svb_rwq_table *t;
	struct ibv_qp *made;
	int err = hashed(a);

	svb_lock_all();
	t = svb_live(a->rwq_ind_tbl, SVB_T_RWQ_TABLE);
	if (!t)
		err = EINVAL;
	if (!err) {
		t->obj.users++; // until the queue pair needs it
		as.recv_cq = &t->wqs[0]->cq->pub; // it needs one, and gives it no completions
		if (!as.send_cq)
			as.send_cq = as.recv_cq;
	}
	svb_unlock_all();
	if (err)
		return svb_null(err);
	made = svb_create_qp(a->pd, &as);
	svb_lock_all();
	if (made) {
		struct svb_qp *qp = svb_find_qp(made);

		qp->table = t;
		svb_need(&qp->obj, &t->obj);
		made->qp_type = a->qp_type;
		made->send_cq = a->send_cq;
		made->recv_cq = NULL;
	}
	t->obj.users--;
	svb_unlock_all();
	return made;
}

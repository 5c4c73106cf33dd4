//go:build linux && cgo

// Objects destroyed while others need them.
#include <errno.h>
#include <string.h>

#include "direct.h"

// Everything that is made of one context, and what destroys it.
struct made {
	const struct direct_verbs *v;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_pd *pd;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
};

#define CALL(m, verb) ((vg_fn_ibv_##verb)(m)->v->verb)

static int make(struct made *m, struct ibv_context *ctx, uintptr_t addr)
{
	struct ibv_qp_init_attr a;

	errno = 0;
	if (!(m->channel = CALL(m, create_comp_channel)(ctx)) || !(m->cq = CALL(m, create_cq)(ctx, 4, NULL, m->channel, 0)) ||
	    !(m->pd = CALL(m, alloc_pd)(ctx)) || !(m->mr = CALL(m, reg_mr_iova2)(m->pd, (void *)addr, 4096, addr, IBV_ACCESS_LOCAL_WRITE)))
		return errno ? errno : EIO;
	memset(&a, 0, sizeof a);
	a.send_cq = a.recv_cq = m->cq;
	a.qp_type = IBV_QPT_RC;
	a.cap.max_send_wr = a.cap.max_recv_wr = a.cap.max_send_sge = a.cap.max_recv_sge = 1;
	m->qp = CALL(m, create_qp)(m->pd, &a);
	return m->qp ? 0 : errno ? errno : EIO;
}

static int end_channel(struct made *m)
{
	int err = m->channel ? CALL(m, destroy_comp_channel)(m->channel) : 0;

	if (!err)
		m->channel = NULL;
	return err;
}

static int end_cq(struct made *m)
{
	int err = m->cq ? CALL(m, destroy_cq)(m->cq) : 0;

	if (!err)
		m->cq = NULL;
	return err;
}

static int end_pd(struct made *m)
{
	int err = m->pd ? CALL(m, dealloc_pd)(m->pd) : 0;

	if (!err)
		m->pd = NULL;
	return err;
}

// What was destroyed although it was in use is not destroyed again.
void direct_busy(const struct direct_verbs *v, uintptr_t ctx, uintptr_t addr, struct direct_busy *out)
{
	struct made m = {.v = v};
	int err;

	memset(out, 0, sizeof *out);
	out->made = make(&m, (struct ibv_context *)ctx, addr);
	if (!out->made) {
		out->channel = end_channel(&m);
		out->cq = end_cq(&m);
		out->pd = end_pd(&m);
	}
	if (m.qp)
		out->rest = CALL(&m, destroy_qp)(m.qp);
	if (!out->made)
		out->pd_of_mr = end_pd(&m);
	if (m.mr && (err = CALL(&m, dereg_mr)(m.mr)))
		out->rest = err;
	if ((err = end_pd(&m)) || (err = end_cq(&m)) || (err = end_channel(&m)))
		out->rest = err;
}

//go:build linux && cgo

// Queue pairs of type XRC_RECV. As in a kernel, each belongs to an XRC domain, every handle of it is like the others, and it lives
// until the last one is closed.
#include <stdio.h>

#include "entry.h"
#include "worker.h"
#include "xrc.h"

#define OPENED (IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE)

struct handle {
	struct ibv_qp pub;
	struct svb_obj obj;
	struct svb_qp *qp;
	TAILQ_ENTRY(handle) link; // of the queue pair
};

struct target {
	struct svb_qp qp;
	TAILQ_HEAD(, handle) handles;
};

static struct target *target_of(struct svb_qp *qp) { return (struct target *)((char *)qp - offsetof(struct target, qp)); }

// part takes a handle away. The queue pair has the context of one that is left.
static void part(struct svb_obj *o)
{
	struct handle *h = SVB_OF(o, struct handle);
	struct target *t = h->qp ? target_of(h->qp) : NULL;

	if (!t)
		return;
	TAILQ_REMOVE(&t->handles, h, link);
	if (!TAILQ_EMPTY(&t->handles)) {
		t->qp.obj.ctx = TAILQ_FIRST(&t->handles)->obj.ctx;
		return;
	}
	t->qp.obj.dying = true;
	svb_qp_leave(&t->qp);
	svb_qp_wait(&t->qp);
	free(t);
}

static void forget(struct svb_obj *o)
{
	struct handle *h = SVB_OF(o, struct handle);

	pthread_mutex_destroy(&h->pub.mutex);
	pthread_cond_destroy(&h->pub.cond);
}

void svb_qp_name(const struct svb_obj *o, char *buf, size_t n)
{
	const struct ibv_qp *qp = o->pub;

	snprintf(buf, n, "QP (handle %u, number 0x%x)", qp->handle, qp->qp_num);
}

static const struct svb_kind kind = {
	SVB_KIND(SVB_T_TARGET, handle), .numbered = true, .part = part, .free = forget, .name = svb_qp_name,
};

bool svb_is_target(const struct ibv_qp *pub)
{
	SVB_LOCKED;

	return svb_live(pub, SVB_T_TARGET);
}

struct svb_qp *svb_find_qp(const struct ibv_qp *pub)
{
	struct handle *h = svb_live(pub, SVB_T_TARGET);

	return h ? h->qp : svb_live(pub, SVB_T_QP);
}

struct svb_qp *svb_begin_qp(const struct ibv_qp *pub, enum svb_verb v, int *err)
{
	struct svb_qp *qp;

	svb_lock_all();
	qp = svb_find_qp(pub);
	*err = svb_refused(qp ? &qp->obj : NULL, v);
	return qp;
}

// join adds a handle to a queue pair.
static void join(struct handle *h, struct svb_qp *qp, struct svb_ctx *c, struct svb_xrcd *x, void *qp_context)
{
	h->qp = qp;
	svb_need(&h->obj, &x->obj);
	h->pub.context = &c->vctx.context;
	h->pub.qp_context = qp_context;
	h->pub.handle = h->obj.handle;
	h->pub.qp_num = qp->pub.qp_num;
	h->pub.qp_type = IBV_QPT_XRC_RECV;
	h->pub.state = IBV_QPS_UNKNOWN;
	pthread_mutex_init(&h->pub.mutex, NULL);
	pthread_cond_init(&h->pub.cond, NULL);
	TAILQ_INSERT_TAIL(&target_of(qp)->handles, h, link);
}

static int enter(struct target *t, struct handle *h, struct svb_ctx *c, const struct ibv_qp_init_attr_ex *a)
{
	struct svb_xrcd *x = svb_live(a->xrcd, SVB_T_XRCD);
	struct svb_qp *qp = &t->qp;
	int err;

	if (!x || x->obj.ctx != c)
		return EINVAL;
	err = svb_worker_start(c->dev);
	if (err)
		return err;
	TAILQ_INIT(&t->handles);
	qp->dev = c->dev;
	qp->domain = x->domain;
	qp->pub.qp_num = svb_qp_number(c->dev);
	qp->pub.qp_type = IBV_QPT_XRC_RECV;
	qp->pub.state = qp->state = IBV_QPS_RESET;
	qp->attr.path_mtu = IBV_MTU_256;
	join(h, qp, c, x, a->qp_context);
	h->pub.state = IBV_QPS_RESET;
	qp->obj = (struct svb_obj){.kind = &kind, .inst = c->obj.inst, .ctx = c};
	svb_qp_enter(qp);
	return 0;
}

struct ibv_qp *svb_make_target(struct svb_ctx *c, struct ibv_qp_init_attr_ex *a)
{
	int err = 0;
	struct target *t = svb_zeroed(sizeof *t, &err);
	struct handle *h;

	svb_lock_all();
	h = svb_new_obj(&kind, c, &err);
	if (!err)
		err = enter(t, h, c, a);
	if (!err)
		a->cap = (struct ibv_qp_cap){0};
	else
		free(t);
	return svb_made(h, err);
}

static int open_target(struct handle *h, struct svb_ctx *c, const struct ibv_qp_open_attr *a)
{
	struct svb_xrcd *x = svb_live(a->xrcd, SVB_T_XRCD);
	struct svb_qp *qp = svb_qp_numbered(c->dev, a->qp_num);

	if (!x || x->obj.ctx != c || a->qp_type != IBV_QPT_XRC_RECV)
		return EINVAL;
	if (!qp || qp->pub.qp_type != IBV_QPT_XRC_RECV || qp->domain != x->domain)
		return EINVAL;
	join(h, qp, c, x, a->comp_mask & IBV_QP_OPEN_ATTR_CONTEXT ? a->qp_context : NULL);
	return 0;
}

struct ibv_qp *svb_open_qp(struct ibv_context *pub, struct ibv_qp_open_attr *a)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_OPEN_QP, &err);
	struct handle *h;

	if (!err && a->comp_mask >= IBV_QP_OPEN_ATTR_RESERVED)
		err = EOPNOTSUPP;
	if (!err && (a->comp_mask & OPENED) != OPENED)
		err = EINVAL;
	h = svb_new_obj(&kind, c, &err);
	if (!err)
		err = open_target(h, c, a);
	return svb_made(h, err);
}

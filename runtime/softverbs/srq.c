//go:build linux && cgo

// Shared receive queues.
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"
#include "completion.h"
#include "domain.h"
#include "instance.h"
#include "kernel.h"
#include "objects.h"
#include "receive.h"

#define SRQ_RESIZE (1u << 13) // of the device's capabilities

static void detach(struct svb_srq *srq)
{
	srq->dying = true;
	svb_async_forget(srq->obj.ctx, &srq->pub);
	svb_handle_drop(srq->obj.ctx->file, srq->k.handle);
	srq->pd->queues--;
}

static void finish(struct svb_srq *srq)
{
	if (srq->holder)
		srq->holder->users--;
	svb_unregister(&srq->obj);
	pthread_mutex_destroy(&srq->pub.mutex);
	pthread_cond_destroy(&srq->pub.cond);
	svb_recvq_free(&srq->q);
	free(srq);
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	snprintf(buf, n, "SRQ (handle %u)", SVB_OF(o, struct svb_srq)->pub.handle);
}

static void forget(struct svb_obj *o)
{
	struct svb_srq *srq = SVB_OF(o, struct svb_srq);

	if (!srq->dying)
		detach(srq);
	finish(srq);
}

static const struct svb_kind kind = {SVB_T_SRQ, name, forget};

static int enter(struct svb_pd *pd, struct svb_srq *srq, void *srq_context)
{
	struct svb_file *f = pd->obj.ctx->file;
	struct svb_kobj *kpd = svb_handle_get(f, pd->pub.handle, SVB_K_PD);
	int err = kpd ? svb_handle_add(f, &srq->k, SVB_K_SRQ) : ENOENT;

	if (err)
		return err;
	srq->pd = SVB_K(kpd, struct svb_kpd);
	srq->pd->queues++;
	if (pd->inner) {
		srq->holder = pd;
		pd->users++;
	}
	srq->pub.context = pd->pub.context;
	srq->pub.srq_context = srq_context;
	srq->pub.pd = &pd->pub;
	srq->pub.handle = srq->k.handle;
	pthread_mutex_init(&srq->pub.mutex, NULL);
	pthread_cond_init(&srq->pub.cond, NULL);
	svb_register(&srq->obj, &kind, &srq->pub, pd->obj.inst, pd->obj.ctx);
	return 0;
}

static int make(struct svb_srq *srq, const struct ibv_srq_attr *a)
{
	if (a->max_wr == 0 || a->max_wr > SVB_MAX_WR || a->max_sge > SVB_MAX_SRQ_SGE)
		return EINVAL;
	srq->limit = a->srq_limit;
	return svb_recvq_make(&srq->q, a->max_wr, a->max_sge ? a->max_sge : 1);
}

struct ibv_srq *svb_create_srq(struct ibv_pd *ppd, struct ibv_srq_init_attr *a)
{
	struct svb_srq *srq = calloc(1, sizeof *srq);
	struct svb_pd *pd;
	int err = srq ? 0 : ENOMEM;

	pthread_mutex_lock(&svb_lock);
	pd = svb_find_pd(ppd);
	if (!err)
		err = pd ? svb_refused_locked(&pd->obj, SVB_CREATE_SRQ) : EINVAL;
	if (!err)
		err = make(srq, &a->attr);
	if (!err)
		err = enter(pd, srq, a->srq_context);
	pthread_mutex_unlock(&svb_lock);
	if (!err) {
		a->attr.max_wr = srq->q.max_wr;
		a->attr.max_sge = srq->q.max_sge;
		return &srq->pub;
	}
	if (srq)
		svb_recvq_free(&srq->q);
	free(srq);
	errno = err;
	return NULL;
}

// entered finds a queue for a call that may be told to fail.
static struct svb_srq *entered(const struct ibv_srq *pub, enum svb_verb v, int *err)
{
	struct svb_srq *srq = svb_find_srq(pub);

	*err = srq && !srq->dying ? svb_refused_locked(&srq->obj, v) : EINVAL;
	return srq;
}

// The limit is held against the size before the change, and the size against the limit before it, as in soft-RoCE.
static int change(struct svb_srq *srq, const struct ibv_srq_attr *a, int mask)
{
	int err = 0;

	if (mask & IBV_SRQ_MAX_WR) {
		if (!(srq->obj.ctx->dev->cfg.cap_flags & SRQ_RESIZE))
			return EINVAL;
		if (a->max_wr == 0 || a->max_wr > SVB_MAX_WR || a->max_wr < srq->limit)
			return EINVAL;
	}
	if ((mask & IBV_SRQ_LIMIT) && a->srq_limit > srq->q.max_wr)
		return EINVAL;
	if (mask & IBV_SRQ_MAX_WR)
		err = svb_recvq_resize(&srq->q, a->max_wr);
	if (!err && (mask & IBV_SRQ_LIMIT))
		srq->limit = a->srq_limit;
	return err;
}

int svb_modify_srq(struct ibv_srq *pub, struct ibv_srq_attr *a, int mask)
{
	struct svb_srq *srq;
	int err;

	pthread_mutex_lock(&svb_lock);
	srq = entered(pub, SVB_MODIFY_SRQ, &err);
	if (!err)
		err = change(srq, a, mask);
	pthread_mutex_unlock(&svb_lock);
	if (err)
		errno = err;
	return err;
}

int svb_query_srq(struct ibv_srq *pub, struct ibv_srq_attr *a)
{
	struct svb_srq *srq;
	int err;

	pthread_mutex_lock(&svb_lock);
	srq = entered(pub, SVB_QUERY_SRQ, &err);
	if (!err)
		*a = (struct ibv_srq_attr){.max_wr = srq->q.max_wr, .max_sge = srq->q.max_sge, .srq_limit = srq->limit};
	pthread_mutex_unlock(&svb_lock);
	if (err)
		errno = err;
	return err;
}

int svb_destroy_srq(struct ibv_srq *pub)
{
	uint32_t reported = 0;
	struct svb_srq *srq;
	int err;

	pthread_mutex_lock(&svb_lock);
	srq = entered(pub, SVB_DESTROY_SRQ, &err);
	if (!err && srq->users)
		err = EBUSY;
	if (!err) {
		detach(srq);
		reported = srq->async_reported;
	}
	pthread_mutex_unlock(&svb_lock);
	if (err)
		return errno = err;
	svb_wait_acks(&pub->mutex, &pub->cond, &pub->events_completed, reported);
	pthread_mutex_lock(&svb_lock);
	finish(srq);
	pthread_mutex_unlock(&svb_lock);
	return 0;
}

int svb_post_srq_recv(struct ibv_srq *pub, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct svb_srq *srq;
	int err;

	pthread_mutex_lock(&svb_lock);
	srq = entered(pub, SVB_POST_SRQ_RECV, &err);
	for (; !err && wr; wr = wr->next) {
		err = svb_recvq_post(&srq->q, wr);
		if (err)
			break;
	}
	pthread_mutex_unlock(&svb_lock);
	if (err)
		*bad = wr;
	return err;
}

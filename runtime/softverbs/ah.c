//go:build linux && cgo

// Address handles.
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"
#include "address.h"
#include "domain.h"
#include "instance.h"
#include "kernel.h"
#include "objects.h"
#include "qp.h"

static void end(struct svb_ah *ah)
{
	svb_handle_drop(ah->obj.ctx->file, ah->k.handle);
	ah->pd->queues--;
	if (ah->holder)
		ah->holder->users--;
	svb_unregister(&ah->obj);
	free(ah);
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	snprintf(buf, n, "AH (handle %u)", SVB_OF(o, struct svb_ah)->pub.handle);
}

static void forget(struct svb_obj *o)
{
	end(SVB_OF(o, struct svb_ah));
}

static const struct svb_kind kind = {SVB_T_AH, name, forget};

static int enter(struct svb_pd *pd, struct svb_ah *ah)
{
	struct svb_file *f = pd->obj.ctx->file;
	struct svb_kobj *kpd = svb_handle_get(f, pd->pub.handle, SVB_K_PD);
	int err = kpd ? svb_handle_add(f, &ah->k, SVB_K_AH) : ENOENT;

	if (err)
		return err;
	ah->pd = SVB_K(kpd, struct svb_kpd);
	ah->pd->queues++;
	if (pd->inner) {
		ah->holder = pd;
		pd->users++;
	}
	ah->pub.context = pd->pub.context;
	ah->pub.pd = &pd->pub;
	ah->pub.handle = ah->k.handle;
	svb_register(&ah->obj, &kind, &ah->pub, pd->obj.inst, pd->obj.ctx);
	return 0;
}

struct ibv_ah *svb_create_ah(struct ibv_pd *ppd, struct ibv_ah_attr *a)
{
	struct svb_ah *ah = calloc(1, sizeof *ah);
	struct svb_pd *pd;
	int err = ah ? 0 : ENOMEM;

	svb_lock_all();
	pd = svb_find_pd(ppd);
	if (!err)
		err = pd ? svb_refused_locked(&pd->obj, SVB_CREATE_AH) : EINVAL;
	if (!err)
		err = svb_check_av(pd->obj.ctx->dev, a);
	if (err == EINVAL && pd->obj.ctx->dev->cfg.mlx5 && (a->port_num == 0 || a->port_num > pd->obj.ctx->dev->cfg.ports))
		err = SVB_SILENT;
	if (!err) {
		ah->attr = *a;
		err = enter(pd, ah);
	}
	svb_unlock_all();
	if (!err)
		return &ah->pub;
	free(ah);
	return svb_null(err);
}

int svb_destroy_ah(struct ibv_ah *pub)
{
	struct svb_ah *ah;
	int err;

	svb_lock_all();
	ah = svb_find_ah(pub);
	err = ah ? svb_refused_locked(&ah->obj, SVB_DESTROY_AH) : EINVAL;
	if (!err)
		end(ah);
	svb_unlock_all();
	if (err)
		errno = err;
	return err;
}

//go:build linux && cgo

// Address handles.

#include "entry.h"
#include "address.h"
#include "qp.h"

static void forget(struct svb_obj *o)
{
	struct svb_ah *ah = SVB_OF(o, struct svb_ah);

	svb_pd_part(&ah->in, o->ctx->file, &ah->k);
	svb_forget(o);
}

static const struct svb_kind kind = {SVB_T_AH, .noun = "AH", .handle = offsetof(struct svb_ah, k.handle), .free = forget};

static int enter(struct svb_pd *pd, struct svb_ah *ah)
{
	int err = svb_pd_join(pd, &ah->in, &ah->k, SVB_K_AH);

	if (err)
		return err;
	ah->pub.context = pd->pub.context;
	ah->pub.pd = &pd->pub;
	ah->pub.handle = ah->k.handle;
	svb_register(&ah->obj, &kind, &ah->pub, pd->obj.inst, pd->obj.ctx);
	return 0;
}

struct ibv_ah *svb_create_ah(struct ibv_pd *ppd, struct ibv_ah_attr *a)
{
	int err;
	struct svb_pd *pd = svb_begin(ppd, SVB_T_PD, SVB_CREATE_AH, &err);
	struct svb_ah *ah;

	if (!err)
		err = svb_check_av(pd->obj.ctx->dev, a);
	if (err == EINVAL && pd && pd->obj.ctx->dev->cfg.mlx5 && (a->port_num == 0 || a->port_num > pd->obj.ctx->dev->cfg.ports))
		err = SVB_SILENT;
	ah = svb_zeroed(sizeof *ah, &err);
	if (!err) {
		ah->attr = *a;
		err = enter(pd, ah);
	}
	return svb_made(ah, err);
}

SVB_DESTROYS(svb_destroy_ah, ibv_ah, SVB_T_AH, SVB_DESTROY_AH)

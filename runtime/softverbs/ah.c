//go:build linux && cgo

// Address handles.

#include "entry.h"
#include "address.h"
#include "qp.h"

static const struct svb_kind kind = {SVB_KIND(SVB_T_AH, svb_ah), .noun = "AH", .numbered = true};

struct ibv_ah *svb_create_ah(struct ibv_pd *ppd, struct ibv_ah_attr *a)
{
	int err;
	struct svb_pd *pd = svb_begin(ppd, SVB_T_PD, SVB_CREATE_AH, &err);
	struct svb_ah *ah;

	if (!err)
		err = svb_check_av(pd->obj.ctx->dev, a);
	if (err == EINVAL && pd && pd->obj.ctx->dev->cfg.mlx5 && (a->port_num == 0 || a->port_num > pd->obj.ctx->dev->cfg.ports))
		err = SVB_SILENT;
	ah = err ? NULL : svb_new_obj(&kind, pd->obj.ctx, &err);
	if (!err)
		err = svb_pd_join(pd, &ah->obj);
	if (!err) {
		ah->pub = (struct ibv_ah){.context = ppd->context, .pd = ppd, .handle = ah->obj.handle};
		ah->attr = *a;
	}
	return svb_made(ah, err);
}

SVB_DESTROYS(svb_destroy_ah, ibv_ah, SVB_T_AH, SVB_DESTROY_AH)

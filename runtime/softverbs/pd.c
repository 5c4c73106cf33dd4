//go:build linux && cgo

// Protection domains, thread domains and parent domains.
#include <stdio.h>

#include "entry.h"
#include "domain.h"

static void name_pd(const struct svb_obj *o, char *buf, size_t n)
{
	const struct svb_pd *pd = SVB_OF(o, struct svb_pd);

	snprintf(buf, n, "%s (handle %u)", pd->inner ? "parent domain" : "PD", pd->pub.handle);
}

static int end_pd(struct svb_obj *o)
{
	struct svb_pd *pd = SVB_OF(o, struct svb_pd);
	struct svb_kpd *k = svb_handle_get(o->ctx->file, pd->pub.handle, SVB_K_PD);

	if (pd->inner)
		return 0;
	if (!k || k->users)
		return k ? EBUSY : ENOENT;
	svb_handle_end(o->ctx->file, &k->k);
	return 0;
}

static void settle_pd(struct svb_obj *o)
{
	struct svb_pd *pd = SVB_OF(o, struct svb_pd);
	struct svb_left *l;

	for (l = pd->left; l; l = l->next) {
		svb_block_give(pd, &l->block);
		l->block.ptr = NULL;
	}
}

// free_pd does without a call of its allocator.
static void free_pd(struct svb_obj *o)
{
	struct svb_pd *pd = SVB_OF(o, struct svb_pd);
	struct svb_left *l;

	while ((l = pd->left)) {
		pd->left = l->next;
		if (!l->block.custom)
			free(l->block.ptr);
		free(l);
	}
}

static const struct svb_kind pd_kind = {
	SVB_KIND(SVB_T_PD, svb_pd), .end = end_pd, .settle = settle_pd, .free = free_pd, .name = name_pd,
};

static struct svb_pd *new_pd(struct svb_ctx *c, uint32_t handle, int *err)
{
	struct svb_pd *pd = svb_new_obj(&pd_kind, c, err);

	if (pd) {
		pd->pub.context = &c->vctx.context;
		pd->pub.handle = handle;
	}
	return pd;
}

struct ibv_pd *svb_alloc_pd(struct ibv_context *pub)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_ALLOC_PD, &err);
	struct svb_pd *pd = new_pd(c, 0, &err);
	struct svb_kpd *k = svb_zeroed(sizeof *k, &err);

	if (!err)
		err = svb_handle_add(c->file, &k->k, SVB_K_PD);
	if (!err)
		pd->pub.handle = k->k.handle;
	else
		free(k);
	return svb_made(pd, err);
}

struct ibv_pd *svb_import_pd(struct ibv_context *pub, uint32_t handle)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_IMPORT_PD, &err);
	struct svb_pd *pd;

	if (!err && c->dev->cfg.no_import)
		err = EOPNOTSUPP;
	if (!err && !svb_handle_get(c->file, handle, SVB_K_PD))
		err = ENOENT;
	pd = new_pd(c, handle, &err);
	return svb_made(pd, err);
}

void svb_unimport_pd(struct ibv_pd *pub)
{
	svb_unimport(pub, SVB_T_PD);
}

SVB_DESTROYS(svb_dealloc_pd, ibv_pd, SVB_T_PD, SVB_DEALLOC_PD)

static const struct svb_kind td_kind = {SVB_KIND(SVB_T_TD, svb_td), .noun = "thread domain"};

struct ibv_td *svb_alloc_td(struct ibv_context *pub, struct ibv_td_init_attr *a)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_ALLOC_TD, &err);
	struct svb_td *td;

	if (!err && a->comp_mask)
		err = EINVAL;
	td = svb_new_obj(&td_kind, c, &err);
	if (!err)
		td->pub.context = pub;
	return svb_made(td, err);
}

SVB_DESTROYS(svb_dealloc_td, ibv_td, SVB_T_TD, SVB_DEALLOC_TD)

// The allocators are kept as they are given, one without the other too: a provider finds out when it
// needs the missing one.
static struct svb_pd *join(struct svb_ctx *c, const struct ibv_parent_domain_init_attr *a, int *err)
{
	struct svb_pd *inner = svb_live(a->pd, SVB_T_PD), *pd;
	struct svb_td *td = a->td ? svb_live(a->td, SVB_T_TD) : NULL;

	if (!inner || inner->obj.ctx != c || (a->td && (!td || td->obj.ctx != c))) {
		*err = EINVAL;
		return NULL;
	}
	pd = new_pd(c, inner->pub.handle, err);
	if (!pd)
		return NULL;
	pd->inner = inner;
	svb_need(&pd->obj, &inner->obj);
	svb_need(&pd->obj, td ? &td->obj : NULL);
	if (a->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) {
		pd->alloc = a->alloc;
		pd->free = a->free;
	}
	pd->unprotected = a->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC;
	if (a->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)
		pd->arg = a->pd_context;
	return pd;
}

struct ibv_pd *svb_alloc_parent_domain(struct ibv_context *pub, struct ibv_parent_domain_init_attr *a)
{
	const uint32_t known = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT |
			       IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC;
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_ALLOC_PARENT_DOMAIN, &err);
	struct svb_pd *pd = NULL;

	if (!err && (!a->pd || (a->comp_mask & ~known)))
		err = EINVAL;
	if (!err)
		pd = join(c, a, &err);
	svb_unlock_all();
	return pd ? &pd->pub : svb_null(err);
}

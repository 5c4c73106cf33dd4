//go:build linux && cgo

// Protection domains, thread domains and parent domains.
#include <stdio.h>

#include "entry.h"
#include "domain.h"

// free_pd does without a call of its allocator.
static void free_pd(struct svb_pd *pd)
{
	struct svb_left *l;

	while ((l = pd->left)) {
		pd->left = l->next;
		if (!l->block.custom)
			free(l->block.ptr);
		free(l);
	}
	free(pd);
}

static void name_pd(const struct svb_obj *o, char *buf, size_t n)
{
	const struct svb_pd *pd = SVB_OF(o, struct svb_pd);

	snprintf(buf, n, "%s (handle %u)", pd->inner ? "parent domain" : "PD", pd->pub.handle);
}

static void forget_pd(struct svb_obj *o)
{
	svb_unregister(o);
	free_pd(SVB_OF(o, struct svb_pd));
}

static const struct svb_kind pd_kind = {SVB_T_PD, .free = forget_pd, .name = name_pd};

static struct svb_pd *new_pd(struct svb_ctx *c, uint32_t handle)
{
	struct svb_pd *pd = calloc(1, sizeof *pd);

	if (!pd)
		return NULL;
	pd->pub.context = &c->vctx.context;
	pd->pub.handle = handle;
	svb_register(&pd->obj, &pd_kind, &pd->pub, c->obj.inst, c);
	return pd;
}

struct ibv_pd *svb_alloc_pd(struct ibv_context *pub)
{
	int err;
	struct svb_pd *pd = NULL;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_ALLOC_PD, &err);
	struct svb_kpd *k = err ? NULL : calloc(1, sizeof *k);

	if (!err)
		err = k ? svb_handle_add(c->file, &k->k, SVB_K_PD) : ENOMEM;
	if (!err && !(pd = new_pd(c, k->k.handle))) {
		svb_handle_drop(c->file, k->k.handle);
		err = ENOMEM;
	}
	svb_unlock_all();
	if (!err)
		return &pd->pub;
	free(k);
	return svb_null(err);
}

struct ibv_pd *svb_import_pd(struct ibv_context *pub, uint32_t handle)
{
	int err;
	struct svb_pd *pd = NULL;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_IMPORT_PD, &err);

	if (!err && c->dev->cfg.no_import)
		err = EOPNOTSUPP;
	if (!err && !svb_handle_get(c->file, handle, SVB_K_PD))
		err = ENOENT;
	if (!err && !(pd = new_pd(c, handle)))
		err = ENOMEM;
	return svb_made(pd, err);
}

static void drop_pd(struct svb_pd *pd)
{
	if (pd->inner)
		pd->inner->obj.users--;
	if (pd->td)
		pd->td->obj.users--;
	svb_unregister(&pd->obj);
}

void svb_unimport_pd(struct ibv_pd *pub)
{
	SVB_LOCKED;
	struct svb_pd *pd = svb_live(pub, SVB_T_PD);

	if (pd && !pd->obj.users) {
		drop_pd(pd);
		free_pd(pd);
	}
}

static int end_pd(struct svb_pd *pd)
{
	struct svb_file *f = pd->obj.ctx->file;
	struct svb_kobj *k;

	if (pd->obj.users)
		return EBUSY;
	if (!pd->inner) {
		k = svb_handle_get(f, pd->pub.handle, SVB_K_PD);
		if (!k)
			return ENOENT;
		if (SVB_K(k, struct svb_kpd)->mrs || SVB_K(k, struct svb_kpd)->queues)
			return EBUSY;
		svb_handle_drop(f, k->handle);
		free(k);
	}
	drop_pd(pd);
	return 0;
}

int svb_dealloc_pd(struct ibv_pd *pub)
{
	struct svb_left *l;
	int err;
	struct svb_pd *pd = svb_begin(pub, SVB_T_PD, SVB_DEALLOC_PD, &err);

	if (!err)
		err = end_pd(pd);
	if (svb_end(err))
		return err;
	for (l = pd->left; l; l = l->next)
		svb_block_put(pd, &l->block);
	free_pd(pd);
	return 0;
}

static const struct svb_kind td_kind = {SVB_T_TD, .noun = "thread domain", .free = svb_forget};

struct ibv_td *svb_alloc_td(struct ibv_context *pub, struct ibv_td_init_attr *a)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_ALLOC_TD, &err);
	struct svb_td *td;

	if (!err && a->comp_mask)
		err = EINVAL;
	td = svb_zeroed(sizeof *td, &err);
	if (!err) {
		td->pub.context = pub;
		svb_register(&td->obj, &td_kind, &td->pub, c->obj.inst, c);
	}
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
	pd = new_pd(c, inner->pub.handle);
	if (!pd) {
		*err = ENOMEM;
		return NULL;
	}
	pd->inner = inner;
	inner->obj.users++;
	pd->td = td;
	if (td)
		td->obj.users++;
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

// Protection domains, XRC domains, address handles: Linux 6.1, drivers/infiniband/core/uverbs_cmd.c and uverbs_std_types.c.
#include <fcntl.h>

#include "uverbs/provider.h"
#include "uverbs/gid.h"

static void alloc_pd(const struct call *c)
{
	struct pd *pd = object_new(c->ctx, UVERBS_OBJECT_PD, sizeof *pd, object_drop);

	memcpy(object_facts(&pd->o), &pd->o.number, sizeof pd->o.number);
	attr_out32(c, UVERBS_ATTR_CORE_OUT, pd->o.handle);
	c->dev->provider->alloc_pd(c, pd);
}

struct object *domain_import(struct context *c, uint32_t handle, const void *facts)
{
	struct pd *pd = calloc(1, sizeof *pd);

	if (!pd)
		return NULL;
	memcpy(&pd->o.number, facts, sizeof pd->o.number);
	object_import(c, &pd->o, handle, object_drop);
	return &pd->o;
}

bool xrcd_same(const struct xrcd *a, const struct xrcd *b)
{
	return a == b || (a && b && a->inode && a->inode == b->inode && a->where == b->where && a->o.ctx->dev == b->o.ctx->dev);
}

struct opened {
	const struct xrcd *by, *other;
};

static void look(struct object *o, void *arg)
{
	struct opened *f = arg;
	const struct xrcd *x = OF(o, struct xrcd, o);

	if (x != f->by && xrcd_same(x, f->by))
		f->other = x;
}

// An XRC domain of an inode is shared by all who open it on the device (ib_uverbs_open_xrcd, xrcd_table_insert).
static void open_xrcd(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_open_xrcd, q);
	struct xrcd *x = object_new(c->ctx, UVERBS_OBJECT_XRCD, sizeof *x, object_drop);
	struct opened f = {x, NULL};
	struct stat st;

	if ((int)q.fd != -1) {
		refuse_if(!fd_stat((int)q.fd, &st), EBADF); // not fstat, which would take the lock
		x->where = st.st_dev;
		x->inode = st.st_ino;
		object_each(UVERBS_OBJECT_XRCD, look, &f);
		check(!f.other && !(q.oflags & O_CREAT) ? EAGAIN : f.other && q.oflags & O_EXCL ? EINVAL : 0);
	}
	attr_out32(c, UVERBS_ATTR_CORE_OUT, x->o.handle);
}

static void create_ah(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_create_ah, q);
	struct pd *pd;
	struct object *ah;

	refuse_if(q.attr.port_num != 1, EINVAL);
	pd = object_get(c->ctx, UVERBS_OBJECT_PD, q.pd_handle);
	check(gid_path(c->dev, q.attr.is_global, q.attr.grh.sgid_index));
	check(gid_resolve(c->dev, q.attr.grh.sgid_index, q.attr.grh.dgid));
	ah = object_new(c->ctx, UVERBS_OBJECT_AH, sizeof *ah, object_drop);
	object_needs(ah, pd);
	attr_out32(c, UVERBS_ATTR_CORE_OUT, ah->handle);
	c->dev->provider->create_ah(c);
}

const struct method domain_methods[] = {
	{UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, destroys, UVERBS_ATTR_DESTROY_PD_HANDLE},
	{UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, destroys, UVERBS_ATTR_DESTROY_XRCD_HANDLE},
	{UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, destroys, UVERBS_ATTR_DESTROY_AH_HANDLE},
	{WRITTEN, IB_USER_VERBS_CMD_ALLOC_PD, alloc_pd, 0, sizeof(struct ib_uverbs_alloc_pd_resp)},
	{WRITTEN, IB_USER_VERBS_CMD_OPEN_XRCD, open_xrcd, 8, sizeof(struct ib_uverbs_open_xrcd_resp)},
	{WRITTEN, IB_USER_VERBS_CMD_CREATE_AH, create_ah, 32, sizeof(struct ib_uverbs_create_ah_resp)},
	{0},
};

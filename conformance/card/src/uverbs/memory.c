// Memory regions and windows: Linux 6.1, drivers/infiniband/core/uverbs_cmd.c and uverbs_std_types_mr.c, hw/mlx5/mr.c.
#include <sys/mman.h>

#include "uverbs/provider.h"

void memory_access(const struct device *dev, unsigned access)
{
	refuse_if(access & (IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_REMOTE_WRITE) && !(access & IBV_ACCESS_LOCAL_WRITE),
		EINVAL); // ib_check_mr_access, in this order
	refuse_if(access & ~(unsigned)(ACCESS_SUPPORTED | ACCESS_OPTIONAL), EINVAL);
	refuse_if(access & IBV_ACCESS_ON_DEMAND && !dev->provider->on_demand, EINVAL);
}

static void unmap(struct mr *mr)
{
	if (mr->view)
		munmap(mr->view, mr->view_length);
	if (mr->copy)
		munmap(mr->copy, mr->copy_length);
	mr->view = mr->copy = NULL;
}

void memory_end(struct object *o)
{
	struct mr *mr = OF(o, struct mr, o);

	memory_forget(mr);
	key_end(&mr->key);
	unmap(mr);
	object_drop(o);
}

struct mr *memory_region(const struct call *c, struct pd *pd, unsigned access)
{
	struct mr *mr = object_new(c->ctx, UVERBS_OBJECT_MR, sizeof *mr, memory_end);

	check(key_new(&mr->key));
	object_needs(&mr->o, pd);
	mr->key.dev = c->dev;
	mr->key.pd = pd;
	mr->key.access = access;
	return mr;
}

void memory_place(struct mr *mr, uint64_t start, uint64_t length, uint64_t iova)
{
	mr->key.locate = NULL;
	mr->o.inherited = false;
	mr->key.memory = (uint8_t *)(uintptr_t)start;
	mr->key.length = length;
	mr->key.iova = iova;
}

// ib_uverbs_reg_mr. mlx5_ib ignores ZERO_BASED of the process's memory: addresses begin at hca_va (mr.c, create_real_mr). A region has
// one key, as lkey and as rkey (alloc_cacheable_mr, reg_create).
static void reg_mr(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_reg_mr, q);
	struct pd *pd;
	struct mr *mr;

	refuse_if(q.start % PAGE != q.hca_va % PAGE, EINVAL);
	memory_access(c->dev, q.access_flags);
	if (c->dev->provider->check_access)
		c->dev->provider->check_access(q.access_flags);
	pd = object_get(c->ctx, UVERBS_OBJECT_PD, q.pd_handle);
	memory_check(q.start, q.length, q.hca_va, q.access_flags);
	mr = memory_region(c, pd, q.access_flags);
	memory_place(mr, q.start, q.length, q.hca_va);
	memory_publish(mr);
	ATTR_ANSWER(c, UVERBS_ATTR_CORE_OUT, ib_uverbs_reg_mr_resp, mr->o.handle, mr->key.value, mr->key.value);
}

static void check_rereg(const struct ib_uverbs_rereg_mr *q)
{
	refuse_if(!q->flags, EINVAL);
	refuse_if(q->flags & ~(unsigned)(IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS), EOPNOTSUPP);
	refuse_if(q->flags & IBV_REREG_MR_CHANGE_TRANSLATION && q->start % PAGE != q->hca_va % PAGE, EINVAL);
}

// paged reports whether the pages of a region are not pinned: those of DMA-bufs can move too.
static bool paged(const struct mr *mr)
{
	return mr->key.access & IBV_ACCESS_ON_DEMAND || mr->view;
}

// other_memory is what a change of the flags alone cannot do to such a region (mlx5_ib_rereg_user_mr, can_use_umr_rereg_access).
static bool other_memory(const struct mr *mr, unsigned access)
{
	return paged(mr) && (access ^ mr->key.access) & ~(unsigned)(ACCESS_WRITES | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_RELAXED_ORDERING);
}

static void check_memory(const struct mr *mr, const struct ib_uverbs_rereg_mr *q, unsigned access)
{
	if (!(q->flags & IBV_REREG_MR_CHANGE_TRANSLATION))
		refuse_if(other_memory(mr, access), EOPNOTSUPP);
	else
		memory_check(q->start, q->length, q->hca_va, access);
}

// move gives a region other memory. One that is paged before or behind gets a new key (mlx5_ib_rereg_user_mr, recreate).
static void move(struct mr *mr, const struct ib_uverbs_rereg_mr *q, unsigned access)
{
	if (paged(mr) || access & IBV_ACCESS_ON_DEMAND) {
		key_end(&mr->key);
		check(key_new(&mr->key));
	}
	unmap(mr);
	memory_place(mr, q->start, q->length, q->hca_va);
}

// ib_uverbs_rereg_mr and mlx5_ib_rereg_user_mr: the key of pinned memory stays, as UMR changes the region in place.
static void rereg_mr(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_rereg_mr, q);
	struct mr *mr;
	struct object *pd = NULL;
	unsigned access;

	check_rereg(&q);
	mr = object_get(c->ctx, UVERBS_OBJECT_MR, q.mr_handle);
	refuse_if(mr->dm, EINVAL);
	access = q.flags & IBV_REREG_MR_CHANGE_ACCESS ? q.access_flags : mr->key.access;
	if (q.flags & IBV_REREG_MR_CHANGE_ACCESS)
		memory_access(c->dev, access);
	if (q.flags & IBV_REREG_MR_CHANGE_PD)
		pd = object_get(c->ctx, UVERBS_OBJECT_PD, q.pd_handle);
	check_memory(mr, &q, access);
	if (q.flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		move(mr, &q, access);
	mr->key.access = access;
	if (pd) {
		object_use(pd, 1);
		object_use(mr->o.needs[0], -1);
		mr->o.needs[0] = pd;
		mr->key.pd = OF(pd, struct pd, o);
	}
	object_changed(&mr->o);
	memory_publish(mr);
	ATTR_ANSWER(c, UVERBS_ATTR_CORE_OUT, ib_uverbs_rereg_mr_resp, mr->key.value, mr->key.value);
}

// The card refuses to destroy a key with windows bound to it.
static void destroy_mr(const struct call *c)
{
	const struct mr *mr = attr_object(c, UVERBS_ATTR_DESTROY_MR_HANDLE, UVERBS_OBJECT_MR);

	refuse_if(mr->key.windows, EBUSY);
	destroys(c);
}

static void query_mr(const struct call *c)
{
	const struct mr *mr = attr_object(c, UVERBS_ATTR_QUERY_MR_HANDLE, UVERBS_OBJECT_MR);

	attr_out32(c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, mr->key.value);
	attr_out32(c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, mr->key.value);
	ATTR_OUT(c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, mr->key.length);
	ATTR_OUT(c, UVERBS_ATTR_QUERY_MR_RESP_IOVA, mr->key.iova);
}

// Regions of device memory: UVERBS_METHOD_DM_MR_REG, with its checks in their order.
static void reg_dm_mr(const struct call *c)
{
	const uint64_t offset = attr_number(c, UVERBS_ATTR_REG_DM_MR_OFFSET, 0), length = attr_number(c, UVERBS_ATTR_REG_DM_MR_LENGTH, 0);
	const unsigned access = (unsigned)attr_number(c, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, 0);
	struct dm *dm = attr_object(c, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, UVERBS_OBJECT_DM);
	struct pd *pd = attr_object(c, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, UVERBS_OBJECT_PD);
	uint8_t *memory;
	struct mr *mr;

	refuse_if(access & ~(unsigned)(ACCESS_SUPPORTED | ACCESS_OPTIONAL) || !(access & IBV_ACCESS_ZERO_BASED), EINVAL);
	memory_access(c->dev, access);
	refuse_if(!within(offset, length, dm->length), EINVAL);
	memory = c->dev->provider->reg_dm(dm, access);
	mr = memory_region(c, pd, access);
	mr->dm = dm;
	object_needs(&mr->o, dm);
	memory_place(mr, (uintptr_t)memory + offset, length, 0);
	memory_publish(mr);
	attr_created(c, UVERBS_ATTR_REG_DM_MR_HANDLE, mr->o.handle);
	attr_out32(c, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, mr->key.value);
	attr_out32(c, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, mr->key.value);
}

static void end_dm(struct object *o)
{
	struct dm *dm = OF(o, struct dm, o);

	o->ctx->dev->provider->free_dm(dm);
	object_drop(o);
}

// What the open file has of device memory.
struct placed {
	uint64_t length, placed[2];
};

struct object *dm_import(struct context *c, uint32_t handle, const void *facts)
{
	const struct placed *p = facts;
	struct dm *dm = p->length ? calloc(1, sizeof *dm) : NULL;

	if (!dm)
		return NULL;
	dm->length = p->length;
	memcpy(dm->placed, p->placed, sizeof dm->placed);
	object_import(c, &dm->o, handle, end_dm);
	c->dev->provider->import_dm(dm);
	return &dm->o;
}

static void alloc_dm(const struct call *c)
{
	struct dm *dm;

	object_all(c->ctx, UVERBS_OBJECT_DM); // which have their places too
	dm = object_new(c->ctx, UVERBS_OBJECT_DM, sizeof *dm, end_dm);
	dm->length = attr_number(c, UVERBS_ATTR_ALLOC_DM_LENGTH, 0);
	c->dev->provider->alloc_dm(c, dm, (uint32_t)attr_number(c, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 0));
	*(struct placed *)object_facts(&dm->o) = (struct placed){dm->length, {dm->placed[0], dm->placed[1]}};
	attr_created(c, UVERBS_ATTR_ALLOC_DM_HANDLE, dm->o.handle);
}

static void end_mw(struct object *o)
{
	key_end(&OF(o, struct mw, o)->key);
	object_drop(o);
}

static void alloc_mw(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_alloc_mw, q);
	struct mw *mw;
	struct pd *pd = object_get(c->ctx, UVERBS_OBJECT_PD, q.pd_handle);

	refuse_if(q.mw_type != IBV_MW_TYPE_1 && q.mw_type != IBV_MW_TYPE_2, EINVAL);
	c->dev->provider->check_mw(c);
	mw = object_new(c->ctx, UVERBS_OBJECT_MW, sizeof *mw, end_mw);
	mw->key = (struct key){.kind = q.mw_type == IBV_MW_TYPE_1 ? KEY_WINDOW_1 : KEY_WINDOW_2, .dev = c->dev, .pd = pd};
	check(key_new(&mw->key));
	object_needs(&mw->o, pd);
	ATTR_ANSWER(c, UVERBS_ATTR_CORE_OUT, ib_uverbs_alloc_mw_resp, .mw_handle = mw->o.handle, .rkey = mw->key.value);
}

const struct method memory_methods[] = {
	{UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, destroy_mr, UVERBS_ATTR_DESTROY_MR_HANDLE, 0},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, query_mr},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, reg_dm_mr},
	{UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, alloc_dm},
	{UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, destroys, UVERBS_ATTR_FREE_DM_HANDLE},
	{UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, destroys, UVERBS_ATTR_DESTROY_MW_HANDLE},
	{WRITTEN, IB_USER_VERBS_CMD_REG_MR, reg_mr, sizeof(struct ib_uverbs_reg_mr) - 8, sizeof(struct ib_uverbs_reg_mr_resp)},
	{WRITTEN, IB_USER_VERBS_CMD_REREG_MR, rereg_mr, sizeof(struct ib_uverbs_rereg_mr) - 8, sizeof(struct ib_uverbs_rereg_mr_resp)},
	{WRITTEN, IB_USER_VERBS_CMD_ALLOC_MW, alloc_mw, 8, sizeof(struct ib_uverbs_alloc_mw_resp)},
	{0},
};

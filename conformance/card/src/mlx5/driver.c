// The device of mlx5_ib: its pages, doorbell pages, its own methods. Linux 6.1, drivers/infiniband/hw/mlx5/main.c, std_types.c, devx.c.
#include <sys/mman.h>

#include "mlx5/mlx5.h"
#include "uverbs/gid.h"

static struct object *uars[DEVICES][UARS];

static int start(struct device *dev)
{
	nowhere[dev->index] = (struct key){.value = (uint32_t)dev->index << 8 | 0xff, .kind = KEY_NOWHERE, .dev = dev};
	key_put(&nowhere[dev->index]);
	return 0;
}

static int map(struct context *ctx, size_t length, int prot, off_t offset)
{
	const uint64_t page = (uint64_t)offset / PAGE;
	const uint32_t index = (uint32_t)((page & 0xff) | (page >> 16) << 8);

	switch (page >> 8 & 0xff) {
	case MLX5_IB_MMAP_CORE_CLOCK: case MLX5_IB_MMAP_CLOCK_INFO: // mlx5_ib_mmap_clock_info_page
		return length != PAGE || index ? EINVAL : prot & PROT_WRITE ? EPERM : 0;
	case MLX5_IB_MMAP_DEVICE_MEM:
		return mlx5_map_dm(ctx, index, length);
	case MLX5_IB_MMAP_ALLOC_WC: // here: a doorbell page's entry
		return index < UARS && uars[ctx->dev->index][index] && uars[ctx->dev->index][index]->ctx == ctx &&
			length == PAGE ? 0 : EINVAL;
	default:
		return EINVAL;
	}
}

static void end_uar(struct object *o)
{
	for (int i = 0; i < UARS; i++)
		if (uars[o->ctx->dev->index][i] == o)
			uars[o->ctx->dev->index][i] = NULL;
	object_drop(o);
}

static void alloc_uar(const struct call *c)
{
	struct object **of = uars[c->dev->index];
	struct object *o;
	uint64_t offset;
	uint32_t i = 0;

	refuse_if(attr_number(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, 0) > MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, EOPNOTSUPP);
	while (i < UARS && of[i])
		i++;
	refuse_if(i == UARS, ENOMEM);
	o = object_new(c->ctx, MLX5_IB_OBJECT_UAR, sizeof *o, end_uar);
	of[i] = o;
	offset = (uint64_t)mlx5_offset(MLX5_IB_MMAP_ALLOC_WC, i);
	attr_created(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, o->handle);
	ATTR_OUT(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, offset);
	attr_out32(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, PAGE);
	attr_out32(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, i);
}

static void query_pd(const struct call *c)
{
	const struct pd *pd = attr_object(c, MLX5_IB_ATTR_QUERY_PD_HANDLE, UVERBS_OBJECT_PD);

	attr_out32(c, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, pd->o.number);
}

static void alloc_pd(const struct call *c, struct pd *pd)
{
	ATTR_ANSWER(c, UVERBS_ATTR_UHW_OUT, mlx5_ib_alloc_pd_resp, pd->o.number);
}

// The address of the other end's port (mlx5_ib_create_ah). All ports here have one address.
static void create_ah(const struct call *c)
{
	const struct mlx5_ib_create_ah_resp r = {.response_length = sizeof r, .dmac = {2, 0, 0, 0, 0, 1}};

	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

static void check_mw(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_UHW_IN, mlx5_ib_alloc_mw, q);

	refuse_if(q.comp_mask || q.reserved1 || q.reserved2, EOPNOTSUPP);
}

static const struct method methods[] = {
	{UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, query_pd},
	{UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, mlx5_query_dm},
	{UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR, mlx5_map_dm_op},
	{MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, alloc_uar},
	{MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, destroys, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE},
	{UVERBS_OBJECT_DEVICE, MLX5_IB_METHOD_QUERY_PORT, mlx5_query_port_info},
	{MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, mlx5_devx_other},
	{MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN, mlx5_query_eqn},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, mlx5_devx_create},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, mlx5_devx_query},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, mlx5_devx_modify},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, destroys, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE},
	{MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, mlx5_umem_reg},
	{MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, destroys, MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE},
	{MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE, mlx5_create_matcher},
	{MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY, destroys, MLX5_IB_ATTR_FLOW_MATCHER_DESTROY_HANDLE},
	{UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW, mlx5_create_rule},
	{MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_ALLOC, mlx5_alloc_pp},
	{MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_DESTROY, destroys, MLX5_IB_ATTR_PP_OBJ_DESTROY_HANDLE},
	{0},
};

static const struct format format = {mlx5_peek, mlx5_drop, mlx5_take, mlx5_take_wq, mlx5_complete, mlx5_armed, mlx5_tick};

const struct provider mlx5 = {
	.name = "mlx5", .gids = GIDS, .datagram = 4096, .size = 4ull * PAGE << 16, .methods = methods, .format = &format, .on_demand = true,
	.start = start, .map = map, .get_context = mlx5_get_context, .device_attr = mlx5_device_attr,
	.query_device = mlx5_query_device, .port_attr = mlx5_port_attr, .alloc_pd = alloc_pd, .create_ah = create_ah,
	.alloc_dm = mlx5_alloc_dm, .import_dm = mlx5_import_dm, .free_dm = mlx5_free_dm, .reg_dm = mlx5_reg_dm, .check_mw = check_mw,
	.create_cq = mlx5_create_cq, .resize_cq = mlx5_resize_cq, .modify_cq = mlx5_modify_cq, .create_srq = mlx5_create_srq, .modify_srq = mlx5_modify_srq,
	.create_wq = mlx5_create_wq, .modify_wq = mlx5_modify_wq, .create_table = mlx5_create_table, .table_most = TABLE_MOST,
	.create_flow = mlx5_create_flow, .destroy_flow = mlx5_destroy_flow, .read_counters = mlx5_read_counters,
	.create_qp = mlx5_create_qp, .modify_qp = mlx5_modify_qp, .query_qp = mlx5_query_qp, .reset_qp = mlx5_reset_qp,
};

// Device memory (MEMIC): Linux 6.1, drivers/infiniband/hw/mlx5/dm.c and mr.c.
//
// An allocation has pages of the BAR to itself (mlx5_cmd_alloc_memic keeps a map of pages); the card chooses where in them it lies. A
// process maps them by the number of an entry (add_dm_mmap_entry), which is where they lie in the open file.
#include "mlx5/mlx5.h"

enum { PAGES = DM_BAR / PAGE };
enum { ENTRY, AT };         // of placed: the first of as many as there are pages, and where in its pages the memory begins

static LIST_HEAD(, dm) all[DEVICES];

static uint32_t pages_of(uint64_t size)
{
	return (uint32_t)((size + PAGE - 1) / PAGE);
}

static uint64_t size_of(const struct dm *dm)
{
	return (dm->length + DM_UNIT - 1) / DM_UNIT * DM_UNIT;
}

static bool has_room(int device, uint64_t size)
{
	const struct dm *m;
	uint64_t sum = 0;
	uint32_t pages = pages_of(size);

	LIST_FOREACH(m, &all[device], link) {
		sum += size_of(m);
		pages += pages_of(size_of(m));
	}
	return within(sum, size, DM_BYTES) && pages <= PAGES;
}

// Entries are numbered within the open file (rdma_user_mmap_entry_insert_range).
static uint32_t free_entry(int device, const struct context *ctx, uint32_t n)
{
	const struct dm *m;
	uint32_t entry = 0;

	do
		LIST_FOREACH(m, &all[device], link)
			if (m->o.ctx == ctx && entry < m->placed[ENTRY] + pages_of(size_of(m)) && m->placed[ENTRY] < entry + n) {
				entry = (uint32_t)m->placed[ENTRY] + pages_of(size_of(m));
				break;
			}
	while (m);
	return entry;
}

static uint8_t *memory_of(const struct dm *m)
{
	return m->o.ctx->pages + mlx5_offset(MLX5_IB_MMAP_DEVICE_MEM, (uint32_t)m->placed[ENTRY]) + m->placed[AT];
}

// place is where in its pages the memory begins: not at their start where another place fits, as a card may choose.
static uint64_t place(uint64_t size, uint64_t align)
{
	return align + size <= (uint64_t)pages_of(size) * PAGE ? align : 0;
}

static void mlx5_import_dm(struct dm *dm)
{
	LIST_INSERT_HEAD(&all[dm->o.ctx->dev->index], dm, link);
}

// handle_alloc_dm_memic: the length is rounded up to units, 0 is EINVAL, so is an alignment that the card has not; no room is ENOMEM.
static void mlx5_alloc_dm(const struct call *c, struct dm *dm, uint32_t log_align)
{
	const uint64_t size = size_of(dm);
	const uint32_t above = log_align < 6 ? 0 : log_align - 6;
	const int d = c->dev->index;
	uint64_t type = attr_number(c, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, MLX5_IB_UAPI_DM_TYPE_MEMIC), start;
	uint16_t entry;

	refuse_if(c->dev->no_memory, EOPNOTSUPP); // mlx5_ib registers no alloc_dm then
	if (type != MLX5_IB_UAPI_DM_TYPE_MEMIC || !attr(c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET))
		refuse(type == MLX5_IB_UAPI_DM_TYPE_MEMIC ? EINVAL : EOPNOTSUPP); // ours: this card has no SW ICM
	refuse_if(!size || size < dm->length || above > DM_LOG_ALIGN, EINVAL);
	entry = (uint16_t)free_entry(d, c->ctx, pages_of(size));
	refuse_if(!has_room(d, size) || entry + pages_of(size) > PAGES, ENOMEM);
	start = place(size, (uint64_t)DM_UNIT << above);
	dm->placed[ENTRY] = entry;
	dm->placed[AT] = start;
	mlx5_import_dm(dm);
	memset(memory_of(dm), 0xa5, size); // its content is not said; no test may count on zeros
	ATTR_OUT(c, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, entry);
	ATTR_OUT(c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, start);
}

static void mlx5_free_dm(struct dm *dm)
{
	LIST_REMOVE(dm, link);
}

// mlx5_ib_reg_dm_mr allows these flags only (MLX5_IB_DM_MEMIC_ALLOWED_ACCESS).
static uint8_t *mlx5_reg_dm(const struct dm *dm, uint32_t access)
{
	refuse_if(access & ~(unsigned)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
		IBV_ACCESS_ZERO_BASED), EINVAL);
	return memory_of(dm);
}

// mlx5_ib_mmap_offset: all pages of an entry, or none.
static int mlx5_map_dm(const struct context *ctx, uint32_t index, size_t length)
{
	const struct dm *m;

	LIST_FOREACH(m, &all[ctx->dev->index], link)
		if (m->o.ctx == ctx && m->placed[ENTRY] == index)
			return length == (size_t)pages_of(size_of(m)) * PAGE ? 0 : EINVAL;
	return EINVAL;
}

// placed answers where the memory of a handle lies.
static const struct dm *placed(const struct call *c, uint16_t handle, uint16_t page, uint16_t offset)
{
	const struct dm *dm = attr_object(c, handle, UVERBS_OBJECT_DM);

	attr_out(c, page, &(uint16_t){(uint16_t)dm->placed[ENTRY]}, sizeof(uint16_t));
	ATTR_OUT(c, offset, dm->placed[AT]);
	return dm;
}

static void mlx5_query_dm(const struct call *c)
{
	const struct dm *dm = placed(c, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
		MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET);

	ATTR_OUT(c, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, dm->length);
}

// Ours: the card has one operation, number 0, which stores what is written and returns what is there; it is mapped as the memory itself.
static void mlx5_map_dm_op(const struct call *c)
{
	uint8_t op = 0;

	ATTR_IN(c, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, op);
	placed(c, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE, MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_PAGE_INDEX,
		MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET);
	refuse_if(op, EOPNOTSUPP);
}

// Device memory (MEMIC): Linux 6.1, drivers/infiniband/hw/mlx5/dm.c and mr.c.
//
// An allocation has pages of the BAR to itself (mlx5_cmd_alloc_memic keeps a map of pages); the card chooses where in them it lies. A
// process maps them by the number of an entry (add_dm_mmap_entry), which is where they lie in the open file.
#include "mlx5/mlx5.h"

enum { PAGES = DM_BAR / PAGE };

struct memic {
	LIST_ENTRY(memic) link;
	const struct context *ctx;
	uint32_t entry;          // the first of as many as there are pages
	uint64_t at, size;       // in its pages; the size is a multiple of the unit
};

static LIST_HEAD(, memic) all[DEVICES];

static uint32_t pages_of(uint64_t size)
{
	return (uint32_t)((size + PAGE - 1) / PAGE);
}

static bool has_room(int device, uint64_t size)
{
	const struct memic *m;
	uint64_t sum = 0;
	uint32_t pages = pages_of(size);

	LIST_FOREACH(m, &all[device], link) {
		sum += m->size;
		pages += pages_of(m->size);
	}
	return within(sum, size, DM_BYTES) && pages <= PAGES;
}

// Entries are numbered within the open file (rdma_user_mmap_entry_insert_range).
static uint32_t free_entry(int device, const struct context *ctx, uint32_t n)
{
	const struct memic *m;
	uint32_t entry = 0;

	do
		LIST_FOREACH(m, &all[device], link)
			if (m->ctx == ctx && entry < m->entry + pages_of(m->size) && m->entry < entry + n) {
				entry = m->entry + pages_of(m->size);
				break;
			}
	while (m);
	return entry;
}

static uint8_t *memory_of(const struct memic *m)
{
	return m->ctx->pages + mlx5_offset(MLX5_IB_MMAP_DEVICE_MEM, m->entry) + m->at;
}

// place is where in its pages the memory begins: not at their start where another place fits, as a card may choose.
static uint64_t place(uint64_t size, uint64_t align)
{
	return align + size <= (uint64_t)pages_of(size) * PAGE ? align : 0;
}

static uint64_t size_of(const struct dm *dm)
{
	return (dm->length + DM_UNIT - 1) / DM_UNIT * DM_UNIT;
}

int mlx5_import_dm(struct context *ctx, struct dm *dm)
{
	struct memic *m = calloc(1, sizeof *m);

	if (!m)
		return ENOMEM;
	*m = (struct memic){.ctx = ctx, .entry = (uint32_t)dm->placed[0], .size = size_of(dm), .at = dm->placed[1]};
	LIST_INSERT_HEAD(&all[ctx->dev->index], m, link);
	dm->o.own = m;
	return 0;
}

// handle_alloc_dm_memic: the length is rounded up to units, 0 is EINVAL, so is an alignment that the card has not; no room is ENOMEM.
void mlx5_alloc_dm(const struct call *c, struct dm *dm, uint32_t log_align)
{
	const uint64_t size = size_of(dm);
	const uint32_t above = log_align < 6 ? 0 : log_align - 6;
	const int d = c->dev->index;
	uint64_t type = attr_number(c, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, MLX5_IB_UAPI_DM_TYPE_MEMIC), start;
	uint16_t entry;

	if (c->dev->no_memory)
		refuse(EOPNOTSUPP); // mlx5_ib registers no alloc_dm then
	if (type != MLX5_IB_UAPI_DM_TYPE_MEMIC || !attr(c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET))
		refuse(type == MLX5_IB_UAPI_DM_TYPE_MEMIC ? EINVAL : EOPNOTSUPP); // ours: this card has no SW ICM
	if (!size || size < dm->length || above > DM_LOG_ALIGN)
		refuse(EINVAL);
	entry = (uint16_t)free_entry(d, c->ctx, pages_of(size));
	if (!has_room(d, size) || entry + pages_of(size) > PAGES)
		refuse(ENOMEM);
	start = place(size, (uint64_t)DM_UNIT << above);
	dm->placed[0] = entry;
	dm->placed[1] = start;
	check(mlx5_import_dm(c->ctx, dm));
	memset(memory_of(dm->o.own), 0xa5, size); // its content is not said; no test may count on zeros
	ATTR_OUT(c, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, entry);
	ATTR_OUT(c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, start);
}

void mlx5_free_dm(struct dm *dm)
{
	struct memic *m = dm->o.own;

	if (m)
		LIST_REMOVE(m, link);
}

// mlx5_ib_reg_dm_mr allows these flags only (MLX5_IB_DM_MEMIC_ALLOWED_ACCESS).
uint8_t *mlx5_reg_dm(const struct dm *dm, uint32_t access)
{
	if (access & ~(unsigned)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
		IBV_ACCESS_ZERO_BASED))
		refuse(EINVAL);
	return memory_of(dm->o.own);
}

// mlx5_ib_mmap_offset: all pages of an entry, or none.
int mlx5_map_dm(const struct context *ctx, uint32_t index, size_t length)
{
	const struct memic *m;

	LIST_FOREACH(m, &all[ctx->dev->index], link)
		if (m->ctx == ctx && m->entry == index)
			return length == (size_t)pages_of(m->size) * PAGE ? 0 : EINVAL;
	return EINVAL;
}

// placed answers where the memory of a handle lies.
static const struct dm *placed(const struct call *c, uint16_t handle, uint16_t page, uint16_t offset)
{
	const struct dm *dm = attr_object(c, handle, UVERBS_OBJECT_DM);
	const struct memic *m = dm->o.own;

	attr_out(c, page, &(uint16_t){(uint16_t)m->entry}, sizeof(uint16_t));
	ATTR_OUT(c, offset, m->at);
	return dm;
}

void mlx5_query_dm(const struct call *c)
{
	const struct dm *dm = placed(c, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
		MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET);

	ATTR_OUT(c, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, dm->length);
}

// Ours: the card has one operation, number 0, which stores what is written and returns what is there; it is mapped as the memory itself.
void mlx5_map_dm_op(const struct call *c)
{
	uint8_t op = 0;

	ATTR_IN(c, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, op);
	placed(c, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE, MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_PAGE_INDEX,
		MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET);
	check(op ? EOPNOTSUPP : 0);
}

// DevX, as far as the card has it: flow counters that count nothing, keys that lead to others, memory, and paces of packets. Linux 6.1,
// drivers/infiniband/hw/mlx5/devx.c, qos.c, std_types.c.
#include "mlx5/mlx5.h"
#include "uverbs/memory.h"
#include "wire/requester.h"

enum { QUERY_HCA_CAP = 0x100, CREATE_MKEY = 0x200, ALLOC_FLOW_COUNTER = 0x939, QUERY_FLOW_COUNTER = 0x93b,
	RTS2RTS_QP = 0x505 };

enum {
	HEADER = 16,   // of a command and of an answer
	COUNTER = 28,  // where the command QUERY_FLOW_COUNTER has the number of the counter
	PACE = 48,     // set_pp_rate_limit_context
	RINVAL = 28,   // where CREATE_MKEY says in its lowest bit that the key can be invalidated (en_rinval of struct mlx5_ifc_mkc_bits)
	EQN = 8,       // the number of the first event queue
};

static _Atomic uint32_t numbers; // of counters, memory and paces

struct numbered {
	struct object o;
	uint32_t number;
	struct key key; // KEY_LIST, of a memory key
};

static void end(struct object *o)
{
	struct numbered *n = (struct numbered *)o;

	if (n->key.kind == KEY_LIST) {
		key_end(&n->key);
		free(n->key.list);
	}
	object_drop(o);
}

static int add(const struct call *c, int type, uint16_t handle, uint32_t *number)
{
	int err;
	struct numbered *n = object_new(c->ctx, type, sizeof *n, end, &err);

	if (!n)
		return err;
	*number = n->number = atomic_fetch_add(&numbers, 1) + 1;
	attr_created(c, handle, n->o.handle);
	return 0;
}

static uint32_t number_at(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// A command has its opcode first; a header that is not whole is refused, as is an answer without room for one.
static const uint8_t *command(const struct call *c, uint16_t in, uint16_t out, unsigned *opcode, size_t *length)
{
	const uint8_t *cmd = attr_pointer(c, in, length);
	const struct ib_uverbs_attr *answer = attr(c, out);

	if (!cmd || *length < HEADER || !answer || answer->len < HEADER)
		return NULL;
	*opcode = (unsigned)cmd[0] << 8 | cmd[1];
	return cmd;
}

// The command QUERY_HCA_CAP, which libmlx5 sends when a context opens: of the abilities that it looks for there the card has two, of struct
// mlx5_ifc_cmd_hca_cap_bits in rdma-core 44.0, providers/mlx5/mlx5_ifc.h. RC and DCI copy local memory (dma_mmo_sq), and a change of a
// queue pair can have more than one word of options (qpc_extension).
int mlx5_devx_other(const struct call *c)
{
	enum { QPC_EXTENSION = 290, DMA_MMO_SQ = 339 };
	uint8_t out[HEADER + DMA_MMO_SQ / 8 + 1] = {0};
	unsigned opcode;
	size_t length;
	const uint8_t *in = command(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, &opcode, &length);

	if (!in || opcode != QUERY_HCA_CAP)
		return EINVAL;
	if (!in[6] && in[7] >> 1 == 0) { // the general abilities
		out[HEADER + DMA_MMO_SQ / 8] = 0x80 >> DMA_MMO_SQ % 8;
		out[HEADER + QPC_EXTENSION / 8] = 0x80 >> QPC_EXTENSION % 8;
	}
	attr_out(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, sizeof out);
	return 0;
}

// add_key adds a memory key, whose lower 8 bits are 0.
static int add_key(const struct call *c, bool invalidable, uint32_t *number)
{
	int err;
	struct numbered *n = object_new(c->ctx, MLX5_IB_OBJECT_DEVX_OBJ, sizeof *n, end, &err);

	if (!n)
		return err;
	n->key = (struct key){.kind = KEY_LIST, .dev = c->dev, .invalidable = invalidable};
	err = key_new(&n->key);
	if (err)
		return err;
	n->key.value &= ~0xffu;
	*number = n->number = n->key.value >> 8;
	attr_created(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, n->o.handle);
	return 0;
}

int mlx5_devx_create(const struct call *c)
{
	uint8_t answer[HEADER] = {0};
	uint32_t number;
	unsigned opcode;
	size_t length;
	const uint8_t *cmd = command(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, &opcode, &length);
	int err;

	if (!cmd || (opcode != ALLOC_FLOW_COUNTER && opcode != CREATE_MKEY))
		return EINVAL;
	err = opcode == CREATE_MKEY ? add_key(c, length > RINVAL && cmd[RINVAL] & 1, &number)
				    : add(c, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, &number);
	if (err)
		return err;
	number = htobe32(number); // the same place for both
	memcpy(answer + 8, &number, sizeof number);
	ATTR_OUT(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, answer);
	return 0;
}

int mlx5_devx_query(const struct call *c)
{
	int err;
	const struct numbered *n = attr_object(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, MLX5_IB_OBJECT_DEVX_OBJ, &err);
	const uint8_t *cmd;
	unsigned opcode;
	size_t length;

	if (!n)
		return err;
	cmd = command(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, &opcode, &length);
	if (!cmd || opcode != QUERY_FLOW_COUNTER || length < COUNTER + 4 || number_at(cmd + COUNTER) != n->number)
		return EINVAL;
	attr_out(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, "", 0);
	return 0;
}

// Of changes by a command there is one: the reset of a stream of a DCI, in the extension of struct mlx5_ifc_rts2rts_qp_in_bits.
int mlx5_devx_modify(const struct call *c)
{
	enum { QPN = 9, OPTIONS = 271, STREAM = 274 };
	int err;
	struct qp *q = attr_object(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, UVERBS_OBJECT_QP, &err);
	const uint8_t *cmd;
	unsigned opcode;
	size_t length;

	if (!q)
		return err;
	cmd = command(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT, &opcode, &length);
	if (!cmd || opcode != RTS2RTS_QP || length < STREAM + 2 || number_at(cmd + QPN - 1) << 8 != q->number << 8 || cmd[OPTIONS] != 1)
		return EINVAL;
	err = requester_reset_stream(q, (uint16_t)(cmd[STREAM] << 8 | cmd[STREAM + 1]));
	if (!err)
		attr_out(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT, "", 0);
	return err;
}

int mlx5_umem_reg(const struct call *c)
{
	const uint64_t access = attr_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, 0);
	uint32_t number;
	int err;

	if (access & ~(uint64_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_RELAXED_ORDERING))
		return EINVAL;
	err = memory_pin(attr_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 0), attr_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 0),
		(unsigned)access);
	if (err == 0)
		err = add(c, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, &number);
	if (err == 0)
		attr_out32(c, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, number);
	return err;
}

int mlx5_query_eqn(const struct call *c)
{
	const uint64_t vector = attr_number(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, 0);

	if (vector >= VECTORS)
		return ENOENT;
	attr_out32(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, EQN + (uint32_t)vector);
	return 0;
}

int mlx5_alloc_pp(const struct call *c)
{
	size_t length;
	uint32_t number;
	int err;

	if (!attr_pointer(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX, &length) || length < 1 || length > PACE)
		return EINVAL;
	err = add(c, MLX5_IB_OBJECT_PP, MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE, &number);
	if (err == 0) {
		const uint16_t index = (uint16_t)number;

		ATTR_OUT(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, index);
	}
	return err;
}

// A port that is not of a switch has no parts.
int mlx5_query_port_info(const struct call *c)
{
	if (attr_number(c, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, 0) != 1)
		return EINVAL;
	attr_out(c, MLX5_IB_ATTR_QUERY_PORT, "", 0);
	return 0;
}

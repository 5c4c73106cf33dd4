// DevX, as far as the card has it: flow counters that count nothing, keys that lead to others, memory, and paces of packets. Linux 6.1,
// drivers/infiniband/hw/mlx5/devx.c, qos.c, std_types.c.
#include "mlx5/mlx5.h"
#include "wire/wire.h"

enum { QUERY_HCA_CAP = 0x100, CREATE_MKEY = 0x200, ALLOC_FLOW_COUNTER = 0x939, QUERY_FLOW_COUNTER = 0x93b,
	RTS2RTS_QP = 0x505 };

enum {
	HEADER = 16,   // of a command and of an answer
	COUNTER = 28,  // where the command QUERY_FLOW_COUNTER has the number of the counter
	PACE = 48,     // set_pp_rate_limit_context
	RINVAL = 28,   // where CREATE_MKEY says in its lowest bit that the key can be invalidated (en_rinval of struct mlx5_ifc_mkc_bits)
	EQN = 8,       // the number of the first event queue
};

struct numbered {
	struct object o;
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

static struct numbered *add(const struct call *c, int type, uint16_t handle)
{
	struct numbered *n = object_new(c->ctx, type, sizeof *n, end);

	attr_created(c, handle, n->o.handle);
	return n;
}

// A command has its opcode first; a header that is not whole is refused, as is an answer without room for one.
static const uint8_t *command(const struct call *c, uint16_t in, uint16_t out, unsigned *opcode, size_t *length)
{
	const uint8_t *cmd = attr_pointer(c, in, length);
	const struct ib_uverbs_attr *answer = attr(c, out);

	refuse_if(!cmd || *length < HEADER || !answer || answer->len < HEADER, EINVAL);
	*opcode = be16_at(cmd);
	return cmd;
}

// The command QUERY_HCA_CAP, which libmlx5 sends when a context opens: of the abilities that it looks for there the card has two, of struct
// mlx5_ifc_cmd_hca_cap_bits in rdma-core 44.0, providers/mlx5/mlx5_ifc.h. RC and DCI copy local memory (dma_mmo_sq), and a change of a
// queue pair can have more than one word of options (qpc_extension).
static void mlx5_devx_other(const struct call *c)
{
	enum { QPC_EXTENSION = 290, DMA_MMO_SQ = 339 };
	uint8_t out[HEADER + DMA_MMO_SQ / 8 + 1] = {0};
	unsigned opcode;
	size_t length;
	const uint8_t *in = command(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, &opcode, &length);

	refuse_if(opcode != QUERY_HCA_CAP, EINVAL);
	if (!in[6] && in[7] >> 1 == 0) { // the general abilities
		out[HEADER + DMA_MMO_SQ / 8] = 0x80 >> DMA_MMO_SQ % 8;
		out[HEADER + QPC_EXTENSION / 8] = 0x80 >> QPC_EXTENSION % 8;
	}
	attr_out(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, sizeof out);
}

// add_key adds a memory key, whose lower 8 bits are 0.
static uint32_t add_key(const struct call *c, bool invalidable)
{
	struct numbered *n = add(c, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE);

	n->key = (struct key){.kind = KEY_LIST, .dev = c->dev, .invalidable = invalidable};
	check(key_new(&n->key));
	n->key.value &= ~0xffu;
	return n->o.number = n->key.value >> 8;
}

static void mlx5_devx_create(const struct call *c)
{
	uint8_t answer[HEADER] = {0};
	uint32_t number;
	unsigned opcode;
	size_t length;
	const uint8_t *cmd = command(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, &opcode, &length);

	refuse_if(opcode != ALLOC_FLOW_COUNTER && opcode != CREATE_MKEY, EINVAL);
	number = opcode == CREATE_MKEY ? add_key(c, length > RINVAL && cmd[RINVAL] & 1) :
		add(c, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->o.number;
	number = htobe32(number); // the same place for both
	memcpy(answer + 8, &number, sizeof number);
	ATTR_OUT(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, answer);
}

static void mlx5_devx_query(const struct call *c)
{
	const struct numbered *n = attr_object(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, MLX5_IB_OBJECT_DEVX_OBJ);
	const uint8_t *cmd;
	unsigned opcode;
	size_t length;

	cmd = command(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, &opcode, &length);
	refuse_if(opcode != QUERY_FLOW_COUNTER || length < COUNTER + 4 || be32_at(cmd + COUNTER) != n->o.number, EINVAL);
	attr_out(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, "", 0);
}

// Of changes by a command there is one: the reset of a stream of a DCI, in the extension of struct mlx5_ifc_rts2rts_qp_in_bits.
static void mlx5_devx_modify(const struct call *c)
{
	enum { QPN = 9, OPTIONS = 271, STREAM = 274 };
	struct qp *q = attr_object(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, UVERBS_OBJECT_QP);
	const uint8_t *cmd;
	unsigned opcode;
	size_t length;

	cmd = command(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT, &opcode, &length);
	refuse_if(opcode != RTS2RTS_QP || length < STREAM + 2 || be32_at(cmd + QPN - 1) << 8 != q->number << 8 || cmd[OPTIONS] != 1, EINVAL);
	check(requester_reset_stream(q, be16_at(cmd + STREAM)));
	attr_out(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT, "", 0);
}

static void mlx5_umem_reg(const struct call *c)
{
	const uint64_t access = attr_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, 0);

	refuse_if(access & ~(uint64_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_RELAXED_ORDERING),
		EINVAL);
	check(memory_pin(attr_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 0), attr_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 0),
		(unsigned)access));
	attr_out32(c, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, add(c, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE)->o.number);
}

static void mlx5_query_eqn(const struct call *c)
{
	const uint64_t vector = attr_number(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, 0);

	refuse_if(vector >= VECTORS, ENOENT);
	attr_out32(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, EQN + (uint32_t)vector);
}

static void mlx5_alloc_pp(const struct call *c)
{
	uint16_t index;
	size_t length;

	refuse_if(!attr_pointer(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX, &length) || length < 1 || length > PACE, EINVAL);
	index = (uint16_t)add(c, MLX5_IB_OBJECT_PP, MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE)->o.number;
	ATTR_OUT(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, index);
}

// A port that is not of a switch has no parts.
static void mlx5_query_port_info(const struct call *c)
{
	refuse_if(attr_number(c, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, 0) != 1, EINVAL);
	attr_out(c, MLX5_IB_ATTR_QUERY_PORT, "", 0);
}

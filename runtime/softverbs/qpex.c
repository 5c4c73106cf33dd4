//go:build linux && cgo

// Extended queue pairs: which requests they may be asked for, and the making of each kind.
#include "entry.h"
#include "xrc.h"

enum {
	RC_OPS = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
		 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV |
		 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_BIND_MW,
	UC_OPS = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
		 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_BIND_MW,
	UD_OPS = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
	RAW_OPS = IBV_QP_EX_WITH_SEND,
	TABLE_MASK = IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
	FLAGS = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB | IBV_QP_CREATE_SCATTER_FCS | IBV_QP_CREATE_CVLAN_STRIPPING | IBV_QP_CREATE_SOURCE_QPN |
		IBV_QP_CREATE_PCI_WRITE_END_PADDING,
	MASK = TABLE_MASK | IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
};

// xrc checks what is of XRC: a receiver belongs to a domain, and all others have a protection domain. What else is given is ignored.
static int xrc(const struct svb_dev *d, const struct ibv_qp_init_attr_ex *a)
{
	const bool receiver = a->qp_type == IBV_QPT_XRC_RECV;

	if ((receiver || a->qp_type == IBV_QPT_XRC_SEND) && !svb_has_xrc(d))
		return EOPNOTSUPP;
	return a->comp_mask & (receiver ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD) ? 0 : EINVAL;
}

// offered returns the requests that queue pairs of a type may be asked for.
static uint64_t offered(enum ibv_qp_type t)
{
	switch (t) {
	case IBV_QPT_UC:
		return UC_OPS;
	case IBV_QPT_UD:
		return UD_OPS;
	case IBV_QPT_RAW_PACKET:
		return RAW_OPS;
	case IBV_QPT_XRC_RECV:
		return 0;
	default:
		return RC_OPS;
	}
}

static int check(struct ibv_context *pub, const struct ibv_qp_init_attr_ex *a, struct svb_ctx **at)
{
	const uint64_t asked = a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ? a->send_ops_flags : 0;
	uint64_t can = offered(a->qp_type);
	bool mlx5;
	struct svb_ctx *c;
	int err;

	c = svb_begin(pub, SVB_T_CTX, SVB_CREATE_QP_EX, &err);
	mlx5 = c && c->dev->cfg.mlx5;
	if (mlx5)
		can &= ~(uint64_t)(IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE);
	if (mlx5 && a->qp_type == IBV_QPT_UC)
		can |= IBV_QP_EX_WITH_LOCAL_INV;
	svb_unlock_all();
	if (!err && mlx5 && a->comp_mask & ~(uint32_t)(MASK | (a->qp_type == IBV_QPT_RAW_PACKET ? IBV_QP_INIT_ATTR_MAX_TSO_HEADER : 0)))
		return SVB_SILENT;
	if (!err && (a->comp_mask & ~(uint32_t)MASK || asked & ~can))
		err = EOPNOTSUPP;
	if (!err && a->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && a->create_flags)
		err = mlx5 && (a->create_flags & ~(uint32_t)FLAGS || (a->qp_type != IBV_QPT_UD && a->qp_type != IBV_QPT_RAW_PACKET)) ?
			      EINVAL :
			      EOPNOTSUPP;
	if (!err && a->comp_mask & TABLE_MASK && asked)
		err = EOPNOTSUPP;
	*at = c;
	return err ? err : xrc(c->dev, a);
}

struct ibv_qp *svb_create_qp_ex(struct ibv_context *pub, struct ibv_qp_init_attr_ex *a)
{
	struct svb_qp *qp;
	struct ibv_qp *made;
	struct svb_ctx *c;
	const uint64_t ops = a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ? a->send_ops_flags : SVB_ALL_OPS;
	int err = check(pub, a, &c);

	if (err)
		return svb_null(err);
	if (a->qp_type == IBV_QPT_XRC_RECV)
		return svb_make_target(c, a);
	made = a->comp_mask & TABLE_MASK ? svb_create_table_qp(a) : svb_make_qp(a->pd, (struct ibv_qp_init_attr *)a, ops);
	if (!made || !(a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return made;
	qp = (struct svb_qp *)((char *)made - offsetof(struct svb_qp, pub));
	err = svb_stream_make(qp, a->send_ops_flags);
	if (!err)
		return made;
	svb_destroy_qp(made);
	return svb_null(err);
}

struct ibv_qp_ex *svb_qp_to_qp_ex(struct ibv_qp *pub)
{
	SVB_LOCKED;
	struct svb_qp *qp = svb_find_qp(pub);

	return qp && qp->stream ? &qp->ex : NULL;
}

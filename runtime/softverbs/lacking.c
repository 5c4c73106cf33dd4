//go:build linux && cgo

// Verbs that this device does not have: they answer what libibverbs answers for such a device.
#include "entry.h"

static int refused(const struct ibv_qp *pub, enum svb_verb v)
{
	int err;

	svb_begin_qp(pub, v, &err);
	return svb_end(err ? err : EOPNOTSUPP);
}

// No order is guaranteed: data is copied as libc does it.
int svb_query_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
	(void)op;
	(void)flags;
	refused(qp, SVB_QUERY_DATA_IN_ORDER);
	return 0;
}

int svb_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)ece;
	return refused(qp, SVB_SET_ECE);
}

int svb_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)ece;
	return refused(qp, SVB_QUERY_ECE);
}

struct ibv_dmah *svb_alloc_dmah(struct ibv_context *c, struct ibv_dmah_init_attr *a)
{
	int err;

	(void)a;
	svb_enter(c, SVB_T_CTX, SVB_ALLOC_DMAH, &err);
	return svb_null(err ? err : EOPNOTSUPP);
}

int svb_dealloc_dmah(struct ibv_dmah *h)
{
	(void)h; // there is none
	return errno = EOPNOTSUPP;
}

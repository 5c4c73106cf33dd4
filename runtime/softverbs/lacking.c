//go:build linux && cgo

// Verbs that this device does not have: they answer what libibverbs answers for such a device.
#include "entry.h"
#include "qp.h"
#include "instance.h"
#include "objects.h"

static int refused(const struct ibv_qp *pub, enum svb_verb v)
{
	struct svb_qp *qp;
	int err;

	svb_lock_all();
	qp = svb_find_qp(pub);
	err = qp ? svb_refused_locked(&qp->obj, v) : EINVAL;
	svb_unlock_all();
	return errno = err ? err : EOPNOTSUPP;
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
	svb_enter(c, SVB_ALLOC_DMAH, &err);
	errno = err ? err : EOPNOTSUPP;
	return NULL;
}

int svb_dealloc_dmah(struct ibv_dmah *h)
{
	(void)h; // there is none
	return errno = EOPNOTSUPP;
}

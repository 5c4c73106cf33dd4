//go:build linux && cgo

// The numbers of queue pairs.
#include "qp.h"

#define FIRST_QPN 17
#define QPN_MASK 0xffffffu

struct svb_qp *svb_qp_numbered(const struct svb_dev *d, uint32_t qpn)
{
	struct svb_qp *qp;

	LIST_FOREACH(qp, &d->numbered[qpn % SVB_ALIKE], alike)
		if (qp->pub.qp_num == qpn)
			return qp;
	return NULL;
}

uint32_t svb_qp_number(struct svb_dev *d)
{
	do {
		d->next_qpn = d->next_qpn < FIRST_QPN || d->next_qpn >= QPN_MASK ? FIRST_QPN : d->next_qpn + 1;
	} while (svb_qp_numbered(d, d->next_qpn));
	return d->next_qpn;
}

void svb_qp_enter(struct svb_qp *qp)
{
	TAILQ_INSERT_TAIL(&qp->dev->qps, qp, link);
	LIST_INSERT_HEAD(&qp->dev->numbered[qp->pub.qp_num % SVB_ALIKE], qp, alike);
}

void svb_qp_leave(struct svb_qp *qp)
{
	TAILQ_REMOVE(&qp->dev->qps, qp, link);
	LIST_REMOVE(qp, alike);
}

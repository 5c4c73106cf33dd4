//go:build linux && cgo

// The numbers of queue pairs.
#include "qp.h"
#include "instance.h"

#define FIRST_QPN 17
#define QPN_MASK 0xffffffu

struct svb_qp *svb_qp_numbered(const struct svb_dev *d, uint32_t qpn)
{
	struct svb_qp *qp;

	TAILQ_FOREACH(qp, &d->qps, link)
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

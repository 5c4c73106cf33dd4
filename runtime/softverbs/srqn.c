//go:build linux && cgo

// The numbers of shared receive queues of type XRC.
#include "xrc.h"

#define SRQN_MASK 0xffffffu

struct svb_srq *svb_srq_numbered(const struct svb_dev *d, const struct svb_domain *domain, uint32_t num)
{
	struct svb_srq *srq;

	TAILQ_FOREACH(srq, &d->srqs, link)
		if (srq->num == num && (!domain || srq->xrcd->domain == domain))
			return srq;
	return NULL;
}

uint32_t svb_srq_number(struct svb_dev *d)
{
	do {
		d->next_srqn = (d->next_srqn + 1) & SRQN_MASK;
	} while (!d->next_srqn || svb_srq_numbered(d, NULL, d->next_srqn));
	return d->next_srqn;
}

//go:build linux && cgo

// The numbers of shared receive queues of type XRC.
#include "xrc.h"

#define SRQN_MASK 0xffffffu

struct svb_srq *svb_srq_numbered(const struct svb_dev *d, const struct svb_domain *domain, uint32_t num)
{
	struct svb_srq *srq;

	TAILQ_FOREACH(srq, &d->srqs, link)
		if (srq->num == num && srq->xrcd->domain == domain)
			return srq;
	return NULL;
}

// taken reports whether a queue of any domain has a number.
static bool taken(const struct svb_dev *d, uint32_t num)
{
	const struct svb_srq *srq;

	TAILQ_FOREACH(srq, &d->srqs, link)
		if (srq->num == num)
			return true;
	return false;
}

uint32_t svb_srq_number(struct svb_dev *d)
{
	do {
		d->next_srqn = (d->next_srqn + 1) & SRQN_MASK;
	} while (!d->next_srqn || taken(d, d->next_srqn));
	return d->next_srqn;
}

//go:build linux && cgo

// Completions that a test has told the device to lose or to hold back. Those of one queue keep their order whatever happens;
// those of different queue pairs overtake each other.

#include "qp.h"

struct svb_late { // a completion that waits
	TAILQ_ENTRY(svb_late) link; // of its device, in the order of the requests
	struct svb_cq *cq;
	struct svb_cqe c;
	uint64_t due; // CLOCK_MONOTONIC, ns; SVB_NEVER: until it is let go
};

uint64_t svb_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// chosen is a number of ns between the bounds, the same ones in each run of a program.
static uint64_t chosen(struct svb_inst *in)
{
	uint64_t x = in->random ? in->random : 0x9e3779b97f4a7c15u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	in->random = x;
	return in->least_late + x % (in->most_late - in->least_late + 1);
}

// after is when a completion may come at the earliest, for those of its queue that wait already: 0 if none does.
static uint64_t after(const struct svb_dev *d, const struct svb_cq *cq, uint32_t qpn)
{
	const struct svb_late *l;
	uint64_t due = 0;

	TAILQ_FOREACH(l, &d->late, link)
		if (l->cq == cq && l->c.wc.qp_num == qpn && l->due > due)
			due = l->due;
	return due;
}

bool svb_qp_complete(struct svb_qp *qp, struct svb_cq *cq, const struct svb_cqe *c)
{
	struct svb_dev *d = qp->dev;
	struct svb_inst *in = d->inst;
	struct svb_late *l;
	uint64_t due = after(d, cq, c->wc.qp_num), at;

	if (svb_fails_locked(in, SVB_COMPLETED))
		return true; // lost
	if (qp->hold) {
		due = SVB_NEVER;
	} else if (in->most_late) {
		at = svb_now() + chosen(in);
		due = at > due ? at : due;
	}
	l = due ? calloc(1, sizeof *l) : NULL;
	if (!l)
		return svb_complete(cq, c);
	*l = (struct svb_late){.cq = cq, .c = *c, .due = due};
	TAILQ_INSERT_TAIL(&d->late, l, link);
	svb_kick(d);
	return true;
}

static void drop(struct svb_dev *d, struct svb_late *l)
{
	TAILQ_REMOVE(&d->late, l, link);
	free(l);
}

void svb_late_run(struct svb_dev *d, uint64_t now, uint64_t *next)
{
	struct svb_late *l, *following;

	for (l = TAILQ_FIRST(&d->late); l; l = following) {
		following = TAILQ_NEXT(l, link);
		if (l->due <= now) {
			svb_complete(l->cq, &l->c);
			drop(d, l);
		} else if (l->due < *next) {
			*next = l->due;
		}
	}
}

void svb_late_release(struct svb_dev *d, uint32_t qpn)
{
	struct svb_late *l;

	TAILQ_FOREACH(l, &d->late, link)
		if (l->c.wc.qp_num == qpn && l->due == SVB_NEVER)
			l->due = 1;
	svb_kick(d);
}

void svb_late_forget(struct svb_cq *cq, uint32_t qpn)
{
	struct svb_dev *d = cq->obj.ctx->dev;
	struct svb_late *l, *following;

	for (l = TAILQ_FIRST(&d->late); l; l = following) {
		following = TAILQ_NEXT(l, link);
		if (l->cq == cq && (!qpn || l->c.wc.qp_num == qpn))
			drop(d, l);
	}
}

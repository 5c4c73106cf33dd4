//go:build linux && cgo

// Which multicast groups a queue pair is in. The kernel keeps a list for each queue pair; spread.c reads it.

#include "entry.h"
#include "address.h"
#include "qp.h"

// group finds the place of a group in the list of a queue pair; that behind the list when it is not there.
static unsigned group(const struct svb_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	unsigned i;

	for (i = 0; i < qp->ngroups; i++)
		if (!memcmp(&qp->groups[i].gid, gid, sizeof *gid) && qp->groups[i].lid == lid)
			break;
	return i;
}

static int join(struct svb_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	struct svb_group *more;
	struct svb_qp *q;
	unsigned members = 0;

	if (group(qp, gid, lid) < qp->ngroups)
		return 0;
	if (qp->pub.qp_type != IBV_QPT_UD || !svb_multicast(gid))
		return EINVAL;
	TAILQ_FOREACH(q, &qp->dev->qps, link)
		members += group(q, gid, lid) < q->ngroups;
	if (members == SVB_MAX_MEMBERS)
		return ENOMEM;
	more = realloc(qp->groups, (qp->ngroups + 1) * sizeof *more);
	if (!more)
		return ENOMEM;
	qp->groups = more;
	more[qp->ngroups++] = (struct svb_group){*gid, lid};
	qp->obj.users++;
	return 0;
}

static int leave(struct svb_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	const unsigned i = group(qp, gid, lid);

	if (i == qp->ngroups)
		return EINVAL;
	qp->groups[i] = qp->groups[--qp->ngroups];
	qp->obj.users--;
	return 0;
}

static int change(struct ibv_qp *pub, enum svb_verb v, int (*how)(struct svb_qp *, const union ibv_gid *, uint16_t),
		  const union ibv_gid *gid, uint16_t lid)
{
	int err;
	struct svb_qp *qp = svb_begin_qp(pub, v, &err);

	if (!err)
		err = how(qp, gid, lid);
	return svb_end(err);
}

int svb_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return change(qp, SVB_ATTACH_MCAST, join, gid, lid);
}

int svb_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return change(qp, SVB_DETACH_MCAST, leave, gid, lid);
}

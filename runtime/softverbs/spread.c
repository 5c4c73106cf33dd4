//go:build linux && cgo

// Datagrams to a multicast group. Every queue pair of the network that is in the group gets a copy, as with soft-RoCE: those on the
// device of the sender too, and the sender itself. A member that has no receive posted, or another Q_Key, gets none.

#include "wire.h"

#define EVERYBODY 0xffffffu // the number that a request to a group names

static bool member(const struct svb_qp *qp, const struct svb_swr *r)
{
	const unsigned port = qp->attr.port_num;
	unsigned i;

	if (!svb_receives(qp) || qp->pub.qp_type != IBV_QPT_UD || qp->attr.qkey != r->remote_qkey || !port || qp->dev->port_down[port - 1])
		return false;
	for (i = 0; i < qp->ngroups; i++)
		if (!memcmp(&qp->groups[i].gid, &r->av.grh.dgid, sizeof r->av.grh.dgid))
			return true;
	return false;
}

// members gives the members of the group, which stay until their busy counts fall.
static size_t members(struct svb_inst *in, const struct svb_swr *r, struct svb_qp **list)
{
	struct svb_qp *qp;
	size_t n = 0;
	int i;

	for (i = 0; i < in->ndevs; i++)
		if (!in->devs[i].gone)
			TAILQ_FOREACH(qp, &in->devs[i].qps, link)
				if (member(qp, r)) {
					if (list) {
						list[n] = qp;
						qp->busy++;
					}
					n++;
				}
	return n;
}

enum svb_fate svb_spread(struct svb_message *m, enum ibv_wc_status *status)
{
	struct svb_inst *in = m->from->dev->inst;
	size_t i, n = m->r->remote_qpn == EVERYBODY ? members(in, m->r, NULL) : 0;
	struct svb_qp **to = n ? calloc(n, sizeof *to) : NULL;

	if (!to)
		return SVB_ENDED;
	members(in, m->r, to);
	for (i = 0; i < n; i++) {
		m->to = to[i];
		if (*status == IBV_WC_SUCCESS)
			svb_respond(m, status);
		svb_idles(&to[i]->busy);
	}
	free(to);
	return SVB_ENDED;
}

// Groups: rdma_join_multicast and rdma_leave_multicast of the kernel's cma.c, on RoCE, where nobody needs to be asked.
#include "kernel.h"

#define ENOTSUPP 524 // of the kernel; it has no name outside
#define ANY_QPN 0xffffff

// cma_iboe_set_mgid of RoCE version 2
static void set_mgid(struct scm_group *g)
{
	if (scm_any(&g->addr))
		memset(&g->mgid, 0, sizeof g->mgid);
	else
		scm_gid_of(&g->addr, &g->mgid);
}

int scm_join(struct scm_group *g)
{
	struct scm_id *id = g->id;
	struct scm_event *e;

	if (!id->dev || (id->state != SCM_ADDR_BOUND && id->state != SCM_ADDR_RESOLVED) || id->qp_type != IBV_QPT_UD || scm_zero(&g->addr))
		return EINVAL;
	if (id->loopback)
		return ENODEV;
	if (g->addr.ss_family != AF_INET)
		return ENOTSUPP;
	if (!id->qkey)
		id->qkey = SCM_QKEY;
	set_mgid(g);
	e = scm_event_new(id, RDMA_CM_EVENT_MULTICAST_JOIN, 0);
	if (!e)
		return ENOMEM;
	e->group = g;
	e->param.qp_num = ANY_QPN;
	e->param.qkey = id->qkey;
	scm_ah(id, &g->mgid, &e->ah);
	LIST_INSERT_HEAD(&id->groups, g, link);
	scm_event_add(e);
	return 0;
}

void scm_leave(struct scm_group *g)
{
	LIST_REMOVE(g, link);
	scm_events_drop(g->id, g);
}

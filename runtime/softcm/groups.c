//go:build linux && cgo

// Multicast groups.
#include "entry.h"

int scm_rdma_join_multicast(struct rdma_cm_id *pub, struct sockaddr *addr, void *context)
{
	struct lib_id *id = SCM_ID(pub);
	struct lib_group *g = calloc(1, sizeof *g);
	const socklen_t n = scm_addr_len(addr);
	int err = scm_enter(pub, SCM_V_JOIN_MULTICAST);

	if (!err)
		err = !n ? EINVAL : g ? 0 : ENOMEM;
	if (!err) {
		g->k.id = &id->k;
		g->context = context;
		memcpy(&g->k.addr, addr, n);
		err = scm_join(&g->k);
	}
	if (err)
		free(g);
	return scm_leave_with(err);
}

static struct lib_group *find(struct lib_id *id, const struct sockaddr *addr)
{
	struct scm_group *g;

	LIST_FOREACH(g, &id->k.groups, link)
		if (!memcmp(&g->addr, addr, scm_addr_len(addr)))
			break;
	return SCM_LIB(group, g);
}

// It waits until the events of the group are acknowledged.
int scm_rdma_leave_multicast(struct rdma_cm_id *pub, struct sockaddr *addr)
{
	struct lib_id *id = SCM_ID(pub);
	struct lib_group *g;
	int err = scm_enter(pub, SCM_V_LEAVE_MULTICAST);

	if (!err && !scm_addr_len(addr))
		err = EINVAL;
	g = err ? NULL : find(id, addr);
	if (!err && !g)
		err = EADDRNOTAVAIL;
	if (err)
		return scm_leave_with(err);
	scm_leave(&g->k);
	scm_wait_acked(&g->completed, &g->k.reported);
	scm_unlock_all();
	if (pub->qp && g->attached)
		scm_v(id)->detach_mcast(pub->qp, &g->k.mgid, 0);
	free(g);
	return 0;
}

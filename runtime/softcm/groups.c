//go:build linux && cgo

// Multicast groups.
#include "entry.h"

int scm_rdma_join_multicast(struct rdma_cm_id *pub, struct sockaddr *addr, void *context)
{
	struct scm_id *id = SCM_ID(pub);
	struct scm_group *g = calloc(1, sizeof *g);
	const socklen_t n = scm_addr_len(addr);
	int err = scm_enter(pub, SCM_V_JOIN_MULTICAST);

	if (!err)
		err = !n ? EINVAL : g ? 0 : ENOMEM;
	if (!err) {
		g->id = id;
		g->context = context;
		memcpy(&g->addr, addr, n);
		err = scm_join(g);
	}
	if (err)
		free(g);
	return scm_leave_with(err);
}

static struct scm_group *find(struct scm_id *id, const struct sockaddr *addr)
{
	struct scm_group *g;

	LIST_FOREACH(g, &id->groups, link)
		if (!memcmp(&g->addr, addr, scm_addr_len(addr)))
			return g;
	return NULL;
}

// It waits until the events of the group are acknowledged.
int scm_rdma_leave_multicast(struct rdma_cm_id *pub, struct sockaddr *addr)
{
	struct scm_id *id = SCM_ID(pub);
	struct scm_group *g;
	int err = scm_enter(pub, SCM_V_LEAVE_MULTICAST);

	if (!err && !scm_addr_len(addr))
		err = EINVAL;
	g = err ? NULL : find(id, addr);
	if (!err && !g)
		err = EADDRNOTAVAIL;
	if (err)
		return scm_leave_with(err);
	scm_leave(g);
	while (g->completed < g->reported)
		pthread_cond_wait(&scm_acked, &scm_lock);
	scm_unlock_all();
	if (pub->qp && g->attached)
		id->m->v.detach_mcast(pub->qp, &g->mgid, 0);
	free(g);
	return 0;
}

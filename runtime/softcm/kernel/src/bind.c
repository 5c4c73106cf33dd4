// Addresses and routes of identifiers: rdma_bind_addr, rdma_resolve_addr, rdma_resolve_route and rdma_listen of the kernel's cma.c.
#include "kernel.h"

void scm_attach(struct scm_id *id, struct scm_dev *d, const struct scm_gid *g)
{
	id->dev = d;
	id->port = g->port;
	id->gid_index = g->index;
	LIST_INSERT_HEAD(&d->ids, id, in_dev);
}

void scm_detach(struct scm_id *id)
{
	if (id->dev)
		LIST_REMOVE(id, in_dev);
	id->dev = NULL;
}

// acquire: cma_translate_addr and cma_acquire_dev_by_src_ip
static int acquire(struct scm_id *id)
{
	const struct scm_gid *g;
	struct scm_dev *d = scm_dev_at(id->m, &id->src, &g);

	if (!d)
		return EADDRNOTAVAIL;
	if (id->ps == RDMA_PS_IPOIB)
		return EINVAL; // it is of InfiniBand only
	scm_attach(id, d, g);
	return 0;
}

static void want_family(struct scm_id *id)
{
	if (!id->afonly_set)
		id->afonly = id->src.ss_family == AF_INET;
}

// attach_first binds an identifier to the first device: cma_bind_loopback.
static int attach_first(struct scm_id *id)
{
	struct scm_dev **d = id->m->devs, **end = d + id->m->ndevs;

	while (d < end && (!(*d)->ngids || (*d)->gone))
		d++;
	if (d == end)
		return ENODEV;
	scm_attach(id, *d, (*d)->gids);
	return 0;
}

int scm_bind(struct scm_id *id, const struct sockaddr_storage *src, const struct sockaddr_storage *dst)
{
	const bool specific = !scm_any(src);
	int err;

	if (id->state != SCM_IDLE)
		return EINVAL;
	if (scm_link_local(src) && !((const struct sockaddr_in6 *)(const void *)src)->sin6_scope_id)
		return EINVAL;
	id->src = *src;
	err = specific ? acquire(id) : 0;
	if (err)
		return err;
	want_family(id);
	if (dst)
		id->dst = *dst;
	id->dst.ss_family = src->ss_family;
	err = scm_port_take(id);
	if (err) {
		scm_detach(id);
		return err;
	}
	id->state = SCM_ADDR_BOUND;
	scm_port_tell(id);
	return 0;
}

int scm_listen(struct scm_id *id, int backlog)
{
	struct sockaddr_storage any = {.ss_family = AF_INET};
	int err;

	id->backlog = backlog <= 0 || backlog > SCM_MAX_BACKLOG ? SCM_MAX_BACKLOG : (unsigned)backlog;
	if (id->state != SCM_ADDR_BOUND && (err = scm_bind(id, &any, NULL)))
		return err;
	err = scm_port_alone(id);
	if (err)
		return err;
	id->state = SCM_LISTEN;
	scm_port_tell(id);
	id->has_cm = id->dev != NULL;
	return 0;
}

// prepare: resolve_prepare_src
static int prepare(struct scm_id *id, const struct sockaddr_storage *src, const struct sockaddr_storage *dst)
{
	struct sockaddr_storage any = {.ss_family = dst->ss_family};
	int err;

	if (id->state == SCM_ADDR_BOUND) {
		id->dst = *dst;
		scm_port_tell(id);
	} else {
		err = scm_bind(id, src ? src : &any, dst);
		if (err)
			return err;
	}
	return id->src.ss_family == dst->ss_family ? 0 : EINVAL;
}

static void resolved(struct scm_id *id, int err)
{
	id->state = err ? SCM_ADDR_BOUND : SCM_ADDR_RESOLVED;
	scm_port_tell(id);
	scm_event_add(scm_event_new(id, err ? RDMA_CM_EVENT_ADDR_ERROR : RDMA_CM_EVENT_ADDR_RESOLVED, -err));
}

static void unresolved(struct scm_id *id)
{
	resolved(id, ETIMEDOUT);
}

// own_address: the address that packets to another one leave from. To one of this machine they leave from that address.
static int own_address(struct scm_id *id)
{
	if (id->dev)
		return 0;
	if (!scm_zero(&id->src))
		return ENODEV; // bound to a loopback address
	scm_copy_ip(&id->src, &id->dst);
	return acquire(id);
}

// resolve_to_self: as if the first address of the port was asked for
static int resolve_to_self(struct scm_id *id)
{
	struct sockaddr_storage at = {0};
	const struct scm_gid *g;

	for (g = id->dev->gids; g < id->dev->gids + id->dev->ngids; g++)
		if ((g->gid.raw[10] == 0xff) == (id->dst.ss_family == AF_INET) && g->port == id->port)
			break;
	if (g == id->dev->gids + id->dev->ngids)
		return ENODEV;
	scm_ip_of(&g->gid, id->dst.ss_family, &at);
	id->gid_index = g->index;
	scm_copy_ip(&id->dst, &at);
	scm_copy_ip(&id->src, &at);
	resolved(id, 0);
	return 0;
}

static int resolve_loopback(struct scm_id *id)
{
	union ibv_gid g = {.raw = {[15] = 1}};
	int err = id->dev ? 0 : attach_first(id);

	if (err)
		return err;
	if (id->m->cfg.loopback)
		return resolve_to_self(id);
	if (id->src.ss_family == AF_INET)
		g = (union ibv_gid){.raw = {[12] = 127, [15] = 1}};
	scm_ip_of(&g, id->src.ss_family, &id->src);
	id->loopback = true;
	resolved(id, 0);
	return 0;
}

int scm_resolve_addr(struct scm_id *id, const struct sockaddr_storage *src, const struct sockaddr_storage *dst, uint32_t ms)
{
	const struct scm_gid *g;
	int err = prepare(id, src, dst);

	if (err)
		return err;
	if (scm_any(dst))
		return resolve_loopback(id);
	if (scm_link_local(dst) && !((const struct sockaddr_in6 *)(const void *)dst)->sin6_scope_id)
		return EINVAL;
	if (!scm_on_network(id->m, dst) && !id->dev)
		return ENETUNREACH; // an interface that is given asks there, and nobody answers
	if (scm_multicast(dst) && id->dev) { // no neighbour is asked (arp_mc_map)
		resolved(id, 0);
		return 0;
	}
	if (!scm_dev_at(id->m, dst, &g) || scm_is_silent(id->m, dst)) {
		id->state = SCM_ADDR_QUERY;
		scm_timer_set(id, (uint64_t)ms * SCM_NS_PER_MS, unresolved);
		return 0;
	}
	resolved(id, own_address(id));
	return 0;
}

// There is one path, at once, unless no interface has the address.
int scm_resolve_route(struct scm_id *id, uint32_t ms)
{
	if (!ms || id->state != SCM_ADDR_RESOLVED)
		return EINVAL;
	if (id->loopback)
		return ENODEV;
	id->state = SCM_ROUTE_RESOLVED;
	scm_event_add(scm_event_new(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0));
	return 0;
}

//go:build linux && cgo

// Identifiers: their making and end, their addresses, and their options.
#include "entry.h"

void scm_id_made(struct lib_id *id, void *context)
{
	id->pub.channel = &SCM_LIB(channel, id->k.ch)->pub;
	id->pub.context = context;
	id->pub.ps = (unsigned)id->k.ps;
	id->pub.qp_type = id->k.qp_type;
}

int scm_rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **pub, void *context, unsigned ps)
{
	const bool ud = ps == RDMA_PS_IPOIB || ps == RDMA_PS_UDP;
	struct lib_id *id = NULL;
	int err = EINVAL; // an identifier has a channel here: those without one wait in every call

	scm_lock_all();
	if (channel)
		err = scm_fails(SCM_LIB(machine, SCM_CHANNEL(channel)->k.m), SCM_V_CREATE_ID);
	if (!err && !ud && ps != RDMA_PS_TCP && ps != RDMA_PS_IB)
		err = EINVAL;
	if (!err) {
		id = SCM_LIB(id, scm_id_new(&SCM_CHANNEL(channel)->k, (int)ps, ud ? IBV_QPT_UD : IBV_QPT_RC));
		err = id ? 0 : ENOMEM;
	}
	if (id) {
		scm_id_made(id, context);
		*pub = &id->pub;
	}
	return scm_leave_with(err);
}

// It waits until the events of the identifier are acknowledged.
int scm_rdma_destroy_id(struct rdma_cm_id *pub)
{
	struct lib_id *id = SCM_ID(pub);
	struct lib_channel *ch;
	int err;

	scm_lock_all();
	err = scm_fails(SCM_LIB(machine, id->k.m), SCM_V_DESTROY_ID);
	if (err)
		return scm_leave_with(err);
	ch = SCM_LIB(channel, id->k.ch);
	scm_id_end(&id->k);
	scm_wait_acked(&id->completed, &id->k.reported);
	if (id->open)
		scm_dev_leave(id->open);
	free(pub->route.path_rec);
	scm_id_free(&id->k);
	if (ch->k.ended && LIST_EMPTY(&ch->k.ids))
		free(ch);
	return scm_leave_with(0);
}

int scm_rdma_migrate_id(struct rdma_cm_id *pub, struct rdma_event_channel *channel)
{
	struct lib_id *id = SCM_ID(pub);
	struct lib_channel *to = SCM_CHANNEL(channel);
	int err = scm_enter(pub, SCM_V_MIGRATE_ID);

	if (!err && !channel)
		err = EINVAL;
	if (!err && to->k.m != id->k.m)
		err = ENOENT;
	if (err)
		return scm_leave_with(err);
	LIST_REMOVE(&id->k, in_channel);
	LIST_INSERT_HEAD(&to->k.ids, &id->k, in_channel);
	scm_events_move(&id->k, &to->k);
	pub->channel = channel;
	scm_wait_acked(&id->completed, &id->k.reported);
	return scm_leave_with(0);
}

// storage copies an address; false: of no family known here, or none.
static bool storage(struct sockaddr_storage *to, const struct sockaddr *from)
{
	const socklen_t n = scm_addr_len(from);

	memset(to, 0, sizeof *to);
	if (n)
		memcpy(to, from, n);
	return n > 0;
}

int scm_rdma_bind_addr(struct rdma_cm_id *pub, struct sockaddr *addr)
{
	struct lib_id *id = SCM_ID(pub);
	struct sockaddr_storage a;
	int err = scm_enter(pub, SCM_V_BIND_ADDR);

	if (!err && !storage(&a, addr))
		err = EINVAL;
	if (!err)
		err = scm_bind(&id->k, &a, NULL);
	if (!err)
		err = scm_query_addr(id);
	if (!err)
		scm_query_gid(id);
	return scm_leave_with(err);
}

int scm_rdma_resolve_addr(struct rdma_cm_id *pub, struct sockaddr *src, struct sockaddr *dst, int timeout_ms)
{
	struct sockaddr_storage from, to;
	int err = scm_enter(pub, SCM_V_RESOLVE_ADDR);

	if (!err && (!storage(&to, dst) || (src && !storage(&from, src))))
		err = EINVAL;
	if (!err)
		err = scm_resolve_addr(&SCM_ID(pub)->k, src ? &from : NULL, &to, (uint32_t)timeout_ms);
	if (!err)
		memcpy(&pub->route.addr.dst_storage, &to, scm_addr_len(dst));
	return scm_leave_with(err);
}

int scm_rdma_resolve_route(struct rdma_cm_id *pub, int timeout_ms)
{
	return SCM_CALL(pub, SCM_V_RESOLVE_ROUTE, !pub->verbs || !SCM_ID(pub)->k.dev ? EINVAL : scm_resolve_route(&SCM_ID(pub)->k, (uint32_t)timeout_ms));
}

int scm_rdma_set_option(struct rdma_cm_id *pub, int level, int name, void *value, size_t len)
{
	int err = scm_enter(pub, SCM_V_SET_OPTION);

	if (!err && len && !value)
		err = EFAULT;
	if (!err && level == RDMA_OPTION_ID)
		err = scm_set_option_id(&SCM_ID(pub)->k, name, value, len);
	else if (!err)
		err = level == RDMA_OPTION_IB ? scm_set_option_ib(&SCM_ID(pub)->k, name, value, len) : ENOSYS;
	return scm_leave_with(err);
}

int scm_rdma_write_cm_event(struct rdma_cm_id *pub, enum rdma_cm_event_type type, int status, uint64_t arg)
{
	struct scm_event *e;
	int err = scm_enter(pub, SCM_V_WRITE_CM_EVENT);

	if (!err && type != RDMA_CM_EVENT_USER)
		err = EINVAL;
	if (err)
		return scm_leave_with(err);
	e = scm_event_new(&SCM_ID(pub)->k, type, status);
	if (e)
		e->arg = arg;
	scm_event_add(e);
	return scm_leave_with(e ? 0 : ENOMEM);
}

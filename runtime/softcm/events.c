//go:build linux && cgo

// Taking events, which is where librdmacm does its part of a connection: rdma_get_cm_event and what it calls.
#include <fcntl.h>
#include <poll.h>

#include "entry.h"

// told is what a program gets a pointer to.
struct told {
	struct rdma_cm_event event;
	struct lib_id *id;       // that counts it
	struct lib_group *group; // that counts it, too; or NULL
	uint8_t data[SCM_DATA];
};

static void acknowledged(struct lib_id *id, struct lib_group *g)
{
	SCM_LOCKED;

	id->completed++;
	if (g)
		g->completed++;
	pthread_cond_broadcast(&scm_acked);
}

int scm_rdma_ack_cm_event(struct rdma_cm_event *event)
{
	struct told *t = (struct told *)(void *)event;

	if (!event)
		return scm_answer(EINVAL);
	acknowledged(t->id, t->group);
	free(t);
	return 0;
}

static const void *copy_data(struct told *t, const struct scm_param *p)
{
	memcpy(t->data, p->data, p->len);
	return p->len ? t->data : NULL;
}

static void copy_conn(struct told *t, const struct scm_param *p)
{
	t->event.param.conn = (struct rdma_conn_param){.private_data = copy_data(t, p), .private_data_len = p->len,
		.responder_resources = p->responder_resources, .initiator_depth = p->initiator_depth, .flow_control = p->flow_control,
		.retry_count = p->retry_count, .rnr_retry_count = p->rnr_retry_count, .srq = p->srq, .qp_num = p->qp_num};
}

static void copy_ud(struct told *t, const struct scm_event *e)
{
	t->event.param.ud = (struct rdma_ud_param){.private_data = copy_data(t, &e->param), .private_data_len = e->param.len,
		.ah_attr = e->ah, .qp_num = e->param.qp_num, .qkey = e->param.qkey};
}

static void copy_param(struct told *t, const struct scm_event *e)
{
	if (e->id->qp_type == IBV_QPT_UD)
		copy_ud(t, e);
	else
		copy_conn(t, &e->param);
}

// become changes an event to one of an error. As there, the status is -1 and errno has the reason.
static void become(struct told *t, enum rdma_cm_event_type type, int err)
{
	if (!err)
		return;
	errno = err;
	t->event.status = -1;
	t->event.event = type;
}

static int addr_resolved(struct lib_id *id)
{
	SCM_LOCKED;
	const int err = scm_query_addr(id);

	if (err || !id->pub.verbs)
		return err ? err : ENODEV;
	scm_query_gid(id);
	return 0;
}

static int route_resolved(struct lib_id *id)
{
	SCM_LOCKED;

	return scm_query_path(id);
}

static void take_ece(struct lib_id *id, const struct scm_param *p)
{
	id->remote_ece.vendor_id = p->ece_vendor;
	id->remote_ece.options = p->ece_options;
}

// requested: ucma_process_conn_req. Without it the request is as if it had never come.
static int requested(struct told *t, struct lib_id *child, const struct scm_param *p)
{
	int err;

	t->event.listen_id = &t->id->pub;
	t->event.id = &child->pub;
	child->initiator_depth = p->initiator_depth;
	child->responder_resources = p->responder_resources;
	take_ece(child, p);
	scm_lock_all();
	err = child->k.state == SCM_REMOVED ? ENXIO : scm_query_addr(child);
	if (!err)
		scm_query_gid(child);
	if (!err)
		err = scm_query_path(child);
	scm_unlock_all();
	if (err)
		scm_rdma_destroy_id(&child->pub);
	return err;
}

// responded: ucma_process_conn_resp
static int responded(struct lib_id *id)
{
	int err = scm_qp_rtr(id, RDMA_MAX_RESP_RES);

	if (!err)
		err = scm_qp_rts(id, RDMA_MAX_INIT_DEPTH);
	if (!err)
		err = scm_accepted(id, NULL);
	if (err)
		scm_qp_err(id);
	return err;
}

static void response(struct told *t, const struct scm_event *e)
{
	int err;

	copy_conn(t, &e->param);
	if (!t->id->pub.qp) {
		take_ece(t->id, &e->param);
		return;
	}
	err = responded(t->id);
	t->event.event = RDMA_CM_EVENT_ESTABLISHED;
	t->id->connect_error = err != 0;
	become(t, RDMA_CM_EVENT_CONNECT_ERROR, err);
}

static void joined(struct told *t, const struct scm_event *e)
{
	struct lib_group *g = SCM_LIB(group, e->group);
	int err = 0;

	copy_ud(t, e);
	t->event.param.ud.private_data = g->context;
	if (t->id->pub.qp) {
		err = scm_v(t->id)->attach_mcast(t->id->pub.qp, &g->k.mgid, 0);
		g->attached = !err;
	}
	become(t, RDMA_CM_EVENT_MULTICAST_ERROR, err);
}

// process makes of an event of the kernel what the program gets; false: nothing.
static bool process(struct told *t, const struct scm_event *e)
{
	switch (e->type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		become(t, RDMA_CM_EVENT_ADDR_ERROR, addr_resolved(t->id));
		return true;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		become(t, RDMA_CM_EVENT_ROUTE_ERROR, route_resolved(t->id));
		return true;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		copy_param(t, e);
		return !requested(t, SCM_LIB(id, e->child), &e->param);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		response(t, e);
		return true;
	case RDMA_CM_EVENT_REJECTED:
		if (!t->id->connect_error)
			scm_qp_err(t->id);
		copy_conn(t, &e->param);
		return !t->id->connect_error;
	case RDMA_CM_EVENT_DISCONNECTED:
		copy_conn(t, &e->param);
		return !t->id->connect_error;
	case RDMA_CM_EVENT_MULTICAST_JOIN:
		joined(t, e);
		return true;
	case RDMA_CM_EVENT_USER:
		t->event.param.arg = e->arg;
		return true;
	default:
		copy_param(t, e);
		return true;
	}
}

static int wait_fd(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	const int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return errno;
	if (flags & O_NONBLOCK)
		return EAGAIN;
	return poll(&p, 1, -1) < 0 ? errno : 0;
}

static int take(struct lib_channel *ch, struct scm_event **e)
{
	SCM_LOCKED;
	const int err = scm_fails(SCM_LIB(machine, ch->k.m), SCM_V_GET_CM_EVENT);

	*e = err ? NULL : scm_event_take(&ch->k);
	return err;
}

int scm_rdma_get_cm_event(struct rdma_event_channel *pub, struct rdma_cm_event **event)
{
	struct told *t = event ? calloc(1, sizeof *t) : NULL;
	struct scm_event *e = NULL;
	bool given = false;
	int err = event ? t ? 0 : ENOMEM : EINVAL;

	while (!err && !given) {
		err = take(SCM_CHANNEL(pub), &e);
		if (!err && !e)
			err = wait_fd(pub->fd);
		if (err || !e)
			continue;
		*t = (struct told){.event = {.id = &SCM_LIB(id, e->id)->pub, .event = e->type, .status = e->status}, .id = SCM_LIB(id, e->id),
			.group = SCM_LIB(group, e->group)};
		given = process(t, e);
		if (!given)
			acknowledged(t->id, t->group);
		free(e);
	}
	if (err)
		free(t);
	else
		*event = &t->event;
	return scm_answer(err);
}

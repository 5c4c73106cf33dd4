//go:build linux && cgo

// The messages between identifiers, as the kernel's cm.c sends and takes them. A message arrives at once or is lost. Who sent one that
// needs an answer sends it again, until it gives up.
#include "kernel.h"

static void again(struct scm_timer *t);

static void await(struct scm_id *id)
{
	scm_timer_set(id->m, &id->timer, id->m->cfg.response_ns, again);
}

static bool port_up(const struct scm_id *id)
{
	struct ibv_port_attr a;

	if (!id->dev->verbs) // nobody could take the port down without opening the device
		return true;
	return !id->m->v.query_port(id->dev->verbs, id->port, (struct _compat_ibv_port_attr *)(void *)&a) && a.state == IBV_PORT_ACTIVE;
}

// arrives reports whether a message of an identifier reaches its destination.
static bool arrives(struct scm_id *id, enum scm_message kind)
{
	struct scm_machine *m = id->m;
	const bool lost = scm_rule_strikes(&m->lost[kind]);

	return !lost && id->dev && port_up(id) && !scm_is_silent(m, &id->dst) && !scm_is_silent(m, &id->src) &&
		(!id->peer || (id->peer->dev && port_up(id->peer)));
}

static struct scm_event *said(struct scm_id *id, enum rdma_cm_event_type type, int status, const struct scm_param *p, uint8_t len)
{
	struct scm_event *e = scm_event_new(id, type, status);

	if (e && p)
		e->param = *p;
	if (e)
		e->param.len = len;
	return e;
}

static void part(struct scm_id *id)
{
	if (id->peer && id->peer->peer == id)
		id->peer->peer = NULL;
	id->peer = NULL;
}

void scm_reset(struct scm_id *id)
{
	scm_timer_stop(id->m, &id->timer);
	id->cm = SCM_CM_IDLE;
	part(id);
}

static void ended(struct scm_timer *t)
{
	struct scm_id *id = (struct scm_id *)(void *)((char *)t - offsetof(struct scm_id, timer));

	id->cm = SCM_CM_IDLE;
	if (id->state == SCM_DISCONNECT)
		scm_event_add(scm_event_new(id, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0));
}

void scm_timewait(struct scm_id *id)
{
	id->cm = SCM_CM_TIMEWAIT;
	scm_timer_set(id->m, &id->timer, id->m->cfg.timewait_ns, ended);
}

// disconnected: what cma_ib_handler does once, whichever message comes first
static void disconnected(struct scm_id *id, int status)
{
	if (id->state != SCM_CONNECT)
		return;
	id->state = SCM_DISCONNECT;
	scm_event_add(scm_event_new(id, RDMA_CM_EVENT_DISCONNECTED, status));
}

static void rejected(struct scm_id *id, int reason, const void *data, uint8_t len)
{
	struct scm_event *e;

	switch (id->cm) {
	case SCM_CM_REQ_SENT: case SCM_CM_REP_SENT: case SCM_CM_REQ_RCVD:
		scm_reset(id);
		break;
	case SCM_CM_DREQ_SENT: case SCM_CM_REP_RCVD: case SCM_CM_ESTABLISHED:
		scm_timewait(id);
		break;
	default:
		return;
	}
	if (id->state != SCM_CONNECT)
		return;
	e = said(id, RDMA_CM_EVENT_REJECTED, reason, NULL, SCM_REJ_DATA);
	if (e && len)
		memcpy(e->param.data, data, len);
	scm_event_add(e);
}

// adopt makes the identifier of a request: cma_ib_new_conn_id and cma_ib_new_udp_id.
static struct scm_id *adopt(struct scm_id *listener, struct scm_id *from)
{
	const struct scm_gid *g;
	struct scm_dev *d = scm_dev_at(from->m, &from->dst, &g);
	struct scm_id *id = d ? scm_id_new(listener->ch, listener->ps, listener->qp_type) : NULL;

	if (!id)
		return NULL;
	id->pub.context = listener->pub.context;
	id->told = false;
	id->passive = true;
	id->state = SCM_CONNECT;
	id->has_cm = true;
	id->cm = from->qp_type == IBV_QPT_UD ? SCM_CM_SIDR_RCVD : SCM_CM_REQ_RCVD;
	id->src = from->dst;
	id->dst = from->src;
	id->tos = listener->tos;
	id->theirs = from->mine;
	id->peer = from;
	from->peer = id;
	scm_attach(id, d, g);
	return id;
}

// The peer learns what this end allows as what it may use.
static void swap(struct scm_param *p)
{
	const uint8_t depth = p->initiator_depth;

	p->initiator_depth = p->responder_resources;
	p->responder_resources = depth;
}

static void request(struct scm_id *listener, struct scm_id *from)
{
	const bool ud = from->qp_type == IBV_QPT_UD;
	struct scm_event *e = said(listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0, &from->mine,
		(ud ? SCM_SIDR_REQ_DATA : SCM_REQ_DATA) - SCM_HEADER);
	struct scm_id *id = e ? adopt(listener, from) : NULL;

	if (!id) {
		free(e);
		await(from);
		return;
	}
	swap(&e->param);
	e->child = id;
	listener->backlog--;
	scm_event_add(e);
}

// A listener with a full backlog does not answer, so that the peer asks again. Taking a request asks for more time, so that a peer
// whose request arrived waits for the answer.
void scm_send_req(struct scm_id *id)
{
	const bool ud = id->qp_type == IBV_QPT_UD;
	struct scm_id *l;

	id->cm = ud ? SCM_CM_SIDR_SENT : SCM_CM_REQ_SENT;
	if (!arrives(id, ud ? SCM_SIDR_REQ : SCM_REQ)) {
		await(id);
		return;
	}
	if (id->peer)
		return; // it has the request already
	l = scm_listener(id->m, id->ps, &id->dst);
	if (l && l->backlog && l->qp_type == id->qp_type) {
		request(l, id);
	} else if (l && l->qp_type == id->qp_type) {
		await(id);
	} else if (ud) {
		id->peer = NULL;
		id->cm = SCM_CM_IDLE;
		scm_event_add(said(id, RDMA_CM_EVENT_UNREACHABLE, SCM_SIDR_UNSUPPORTED, NULL, SCM_SIDR_REP_DATA));
	} else {
		rejected(id, l ? SCM_REJ_CONSUMER : SCM_REJ_INVALID_SERVICE_ID, NULL, 0);
	}
}

static void answered(struct scm_id *id, const struct scm_param *p)
{
	struct scm_event *e;

	scm_timer_stop(id->m, &id->timer);
	id->cm = SCM_CM_REP_RCVD;
	id->theirs = *p;
	if (id->state != SCM_CONNECT)
		return;
	e = said(id, RDMA_CM_EVENT_CONNECT_RESPONSE, 0, p, SCM_REP_DATA);
	if (e)
		swap(&e->param);
	scm_event_add(e);
}

void scm_send_rep(struct scm_id *id)
{
	struct scm_id *to = id->peer;

	id->cm = SCM_CM_REP_SENT;
	if (!arrives(id, SCM_REP) || !to)
		await(id);
	else if (to->cm == SCM_CM_REQ_SENT)
		answered(to, &id->mine);
	else if (to->cm == SCM_CM_ESTABLISHED)
		scm_send_rtu(to);
}

// If it is lost, the peer sends its answer again.
void scm_send_rtu(struct scm_id *id)
{
	struct scm_id *to = id->peer;

	id->cm = SCM_CM_ESTABLISHED;
	if (!to || to->cm != SCM_CM_REP_SENT)
		return;
	if (!arrives(id, SCM_RTU)) {
		await(to);
		return;
	}
	scm_timer_stop(to->m, &to->timer);
	to->cm = SCM_CM_ESTABLISHED;
	if (to->state == SCM_CONNECT)
		scm_event_add(said(to, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, 0));
}

// The caller has set its own state, but not parted yet.
void scm_send_rej(struct scm_id *id, int reason, const void *data, uint8_t len)
{
	struct scm_id *to = id->peer;
	const bool ok = arrives(id, SCM_REJ);

	part(id);
	if (to && ok)
		rejected(to, reason, data, len);
	else if (to && to->cm == SCM_CM_REQ_SENT)
		await(to);
}

void scm_send_dreq(struct scm_id *id)
{
	struct scm_id *to = id->peer;

	id->cm = SCM_CM_DREQ_SENT;
	await(id);
	if (!arrives(id, SCM_DREQ))
		return;
	switch (to ? to->cm : SCM_CM_TIMEWAIT) {
	case SCM_CM_REP_SENT: case SCM_CM_DREQ_SENT: case SCM_CM_ESTABLISHED:
		scm_timer_stop(to->m, &to->timer);
		to->cm = SCM_CM_DREQ_RCVD;
		disconnected(to, 0);
		break;
	case SCM_CM_TIMEWAIT: case SCM_CM_IDLE: // which answers again, as does a machine that knows nothing of the connection
		if (scm_rule_strikes(&id->m->lost[SCM_DREP]))
			break;
		scm_timewait(id);
		disconnected(id, 0);
		break;
	default:
		break;
	}
}

void scm_send_drep(struct scm_id *id)
{
	struct scm_id *to = id->peer;

	scm_timewait(id);
	if (!arrives(id, SCM_DREP) || !to || (to->cm != SCM_CM_DREQ_SENT && to->cm != SCM_CM_DREQ_RCVD))
		return;
	scm_timewait(to);
	disconnected(to, 0);
}

void scm_send_sidr_rep(struct scm_id *id, int status, const void *data, uint8_t len)
{
	struct scm_id *to = id->peer;
	struct scm_event *e;
	const bool ok = arrives(id, SCM_SIDR_REP);

	id->cm = SCM_CM_IDLE;
	part(id);
	if (!to || to->cm != SCM_CM_SIDR_SENT)
		return;
	if (!ok) {
		await(to);
		return;
	}
	scm_timer_stop(to->m, &to->timer);
	to->cm = SCM_CM_IDLE;
	e = said(to, status ? RDMA_CM_EVENT_UNREACHABLE : RDMA_CM_EVENT_ESTABLISHED, status, NULL, SCM_SIDR_REP_DATA);
	if (e && len)
		memcpy(e->param.data, data, len);
	if (e && !status) {
		union ibv_gid g;

		e->param.qp_num = id->mine.qp_num;
		e->param.qkey = id->qkey;
		scm_gid_of(&to->dst, &g);
		scm_ah(to, &g, &e->ah);
	}
	scm_event_add(e);
}

static void gave_up(struct scm_id *id)
{
	const enum scm_cm at = id->cm;

	if (at == SCM_CM_DREQ_SENT) {
		scm_timewait(id);
		disconnected(id, -ETIMEDOUT);
		return;
	}
	scm_reset(id);
	if (id->state == SCM_CONNECT)
		scm_event_add(scm_event_new(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT));
}

static void again(struct scm_timer *t)
{
	struct scm_id *id = (struct scm_id *)(void *)((char *)t - offsetof(struct scm_id, timer));

	if (id->tries++ >= id->m->cfg.retries)
		gave_up(id);
	else if (id->cm == SCM_CM_REQ_SENT || id->cm == SCM_CM_SIDR_SENT)
		scm_send_req(id);
	else if (id->cm == SCM_CM_REP_SENT)
		scm_send_rep(id);
	else if (id->cm == SCM_CM_DREQ_SENT)
		scm_send_dreq(id);
}

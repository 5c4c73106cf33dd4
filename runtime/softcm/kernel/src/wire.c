// The messages between identifiers, as the kernel's cm.c sends and takes them. To one of this process a message arrives at once; each may
// be lost. Who sent one that needs an answer sends it again, until it gives up.
#include "kernel.h"

#define MORE_TIME_NS 68719476736u // that CMA_CM_MRA_SETTING asks for: 4.096 us, 24 times doubled

static void again(struct scm_id *id);

static void await(struct scm_id *id)
{
	scm_timer_set(id, id->m->cfg.response_ns + (id->patient ? MORE_TIME_NS : 0), again);
}

static bool port_up(const struct scm_id *id)
{
	return id->dev && id->m->host->port_up(id->dev, id->port);
}

static void carry(struct scm_machine *m, const struct scm_wire *w, int process)
{
	if (process == m->process)
		scm_arrive(m, w);
	else
		m->host->send(process, w);
}

// transmit sends a message to the peer, or to the listener that w->to is, unless it gets lost.
static void transmit(struct scm_id *id, struct scm_wire *w, int process)
{
	struct scm_machine *m = id->m;
	const bool lost = scm_rule_strikes(&m->lost[w->kind]);

	if (lost || !port_up(id) || (m->host->loses && m->host->loses(id->dev)) || scm_is_silent(m, &id->dst) || scm_is_silent(m, &id->src))
		return;
	w->from = id->number;
	w->process = m->process;
	carry(m, w, process);
}

void scm_tell(struct scm_id *id, enum scm_message kind, int reason, const void *data, uint8_t len)
{
	struct scm_wire w = {.kind = kind, .to = id->peer, .reason = reason};

	if (kind == SCM_REP || kind == SCM_SIDR_REP)
		w.param = id->mine;
	if (data)
		memcpy(w.param.data, data, len);
	if (id->peer)
		transmit(id, &w, id->peer_process);
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

void scm_reset(struct scm_id *id)
{
	scm_timer_stop(id);
	id->cm = SCM_CM_IDLE;
	id->peer = 0;
}

static void ended(struct scm_id *id)
{
	scm_reset(id);
	if (id->state == SCM_DISCONNECT)
		scm_event_add(scm_event_new(id, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0));
}

void scm_timewait(struct scm_id *id)
{
	id->cm = SCM_CM_TIMEWAIT;
	scm_timer_set(id, id->m->cfg.timewait_ns, ended);
}

// disconnected: what cma_ib_handler does once, whichever message comes first
static void disconnected(struct scm_id *id, int status)
{
	if (id->state != SCM_CONNECT)
		return;
	id->state = SCM_DISCONNECT;
	scm_event_add(scm_event_new(id, RDMA_CM_EVENT_DISCONNECTED, status));
}

static void rejected(struct scm_id *id, const struct scm_wire *w)
{
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
	if (id->state == SCM_CONNECT)
		scm_event_add(said(id, RDMA_CM_EVENT_REJECTED, w->reason, &w->param, SCM_REJ_DATA));
}

// adopt makes the identifier of a request: cma_ib_new_conn_id and cma_ib_new_udp_id.
static struct scm_id *adopt(struct scm_id *listener, const struct scm_wire *w)
{
	const struct scm_gid *g;
	struct scm_dev *d = scm_dev_at(listener->m, &w->dst, &g);
	struct scm_id *id = d && listener->m->host->port_up(d, g->port) ? scm_id_new(listener->ch, listener->ps, listener->qp_type) : NULL;

	if (!id)
		return NULL;
	if (listener->m->host->made)
		listener->m->host->made(id, listener);
	id->told = false;
	id->passive = true;
	id->state = SCM_CONNECT;
	id->has_cm = true;
	id->cm = w->qp_type == IBV_QPT_UD ? SCM_CM_SIDR_RCVD : SCM_CM_REQ_RCVD;
	id->src = w->dst;
	id->dst = w->src;
	id->tos = listener->tos;
	id->theirs = w->param;
	id->peer = w->from;
	id->peer_process = w->process;
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

// known finds the identifier that a request has made already.
static struct scm_id *known(struct scm_machine *m, const struct scm_wire *w)
{
	struct scm_channel *ch;
	struct scm_id *id;

	if (w->again)
		LIST_FOREACH(ch, &m->channels, link)
			LIST_FOREACH(id, &ch->ids, in_channel)
				if (id->passive && id->peer == w->from && id->peer_process == w->process)
					return id;
	return NULL;
}

// A listener with a full backlog does not answer, so that the peer asks again. Taking a request asks for more time, so that a peer
// whose request arrived waits for the answer. (Linux has a peer that looks up a datagram service wait no longer for that.)
static void requested(struct scm_id *listener, const struct scm_wire *w)
{
	const bool ud = w->qp_type == IBV_QPT_UD;
	struct scm_event *e;
	struct scm_id *id;

	if (!listener || listener->state != SCM_LISTEN)
		return;
	id = known(listener->m, w);
	if (id && (id->cm == SCM_CM_REQ_RCVD || id->cm == SCM_CM_SIDR_RCVD))
		scm_tell(id, SCM_MRA, 0, NULL, 0); // cm_dup_req_handler
	if (id || !listener->backlog)
		return;
	e = said(listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0, &w->param, (ud ? SCM_SIDR_REQ_DATA : SCM_REQ_DATA) - SCM_HEADER);
	id = e ? adopt(listener, w) : NULL;
	if (!id) {
		free(e);
		return;
	}
	swap(&e->param);
	e->child = id;
	listener->backlog--;
	scm_tell(id, SCM_MRA, 0, NULL, 0);
	scm_event_add(e);
}

// request_type is the type of the queue pair that a request is for (cm_req_get_qp_type): of XRC the target.
static enum ibv_qp_type request_type(const struct scm_id *id)
{
	return id->qp_type == IBV_QPT_XRC_SEND ? IBV_QPT_XRC_RECV : id->qp_type;
}

static void request(struct scm_id *id)
{
	const bool ud = id->qp_type == IBV_QPT_UD;
	const struct scm_port l = scm_listener(id->m, id->ps, &id->dst);
	struct scm_wire w = {.kind = ud ? SCM_SIDR_REQ : SCM_REQ, .to = l.id, .again = id->tries, .space = id->ps, .qp_type = request_type(id),
		.src = id->src, .dst = id->dst, .param = id->mine};

	if (l.used && l.qp_type == request_type(id)) {
		transmit(id, &w, l.process);
		return;
	}
	// Nobody listens: the machine answers.
	w.to = id->number;
	w.kind = ud ? SCM_SIDR_REP : SCM_REJ;
	w.reason = ud ? SCM_SIDR_UNSUPPORTED : l.used ? SCM_REJ_CONSUMER : SCM_REJ_INVALID_SERVICE_ID;
	w.param = (struct scm_param){0};
	if (!scm_rule_strikes(&id->m->lost[ud ? SCM_SIDR_REQ : SCM_REQ]))
		transmit(id, &w, id->m->process);
}

static void answered(struct scm_id *id, const struct scm_wire *w)
{
	struct scm_event *e;

	scm_timer_stop(id);
	id->cm = SCM_CM_REP_RCVD;
	id->theirs = w->param;
	if (id->state != SCM_CONNECT)
		return;
	scm_tell(id, SCM_MRA, 0, NULL, 0);
	e = said(id, RDMA_CM_EVENT_CONNECT_RESPONSE, 0, &w->param, SCM_REP_DATA);
	if (e)
		swap(&e->param);
	scm_event_add(e);
}

// advance sends the message that brings an identifier to its state. If that of ESTABLISHED is lost, the peer sends its answer again; to the
// others an answer is awaited.
static void advance(struct scm_id *id)
{
	if (id->cm == SCM_CM_TIMEWAIT)
		scm_timewait(id);
	else if (id->cm != SCM_CM_ESTABLISHED)
		await(id);
	if (id->cm == SCM_CM_REQ_SENT || id->cm == SCM_CM_SIDR_SENT)
		request(id);
	else
		scm_tell(id, id->cm == SCM_CM_REP_SENT ? SCM_REP : id->cm == SCM_CM_ESTABLISHED ? SCM_RTU :
			id->cm == SCM_CM_DREQ_SENT ? SCM_DREQ : SCM_DREP, 0, NULL, 0);
}

void scm_begin(struct scm_id *id, enum scm_cm cm)
{
	id->tries = 0;
	id->patient = false;
	id->cm = cm;
	advance(id);
}

static void found(struct scm_id *id, const struct scm_wire *w)
{
	struct scm_event *e;
	union ibv_gid g;

	scm_reset(id);
	e = said(id, w->reason ? RDMA_CM_EVENT_UNREACHABLE : RDMA_CM_EVENT_ESTABLISHED, w->reason, NULL, SCM_SIDR_REP_DATA);
	if (e)
		memcpy(e->param.data, w->param.data, SCM_SIDR_REP_DATA);
	if (e && !w->reason) {
		e->param.qp_num = w->param.qp_num;
		e->param.qkey = w->param.qkey;
		scm_gid_of(&id->dst, &g);
		scm_ah(id, &g, &e->ah);
	}
	scm_event_add(e);
}

// A machine that knows nothing of a connection says that it has ended.
static void nothing_to_end(struct scm_machine *m, const struct scm_wire *w)
{
	struct scm_wire answer = {.kind = SCM_DREP, .from = w->to, .to = w->from, .process = m->process};

	if (!scm_rule_strikes(&m->lost[SCM_DREP]))
		carry(m, &answer, w->process);
}

static void asked_to_end(struct scm_id *id, const struct scm_wire *w)
{
	switch (id ? id->cm : SCM_CM_IDLE) {
	case SCM_CM_REP_SENT: case SCM_CM_DREQ_SENT: case SCM_CM_ESTABLISHED:
		scm_timer_stop(id);
		id->cm = SCM_CM_DREQ_RCVD;
		disconnected(id, 0);
		break;
	case SCM_CM_TIMEWAIT: case SCM_CM_IDLE:
		nothing_to_end(id->m, w);
		break;
	default:
		break;
	}
}

void scm_established(struct scm_id *id)
{
	scm_timer_stop(id);
	id->cm = SCM_CM_ESTABLISHED;
	if (id->state == SCM_CONNECT)
		scm_event_add(scm_event_new(id, RDMA_CM_EVENT_ESTABLISHED, 0));
}

// receiver finds whom a message is for. One that awaits the first answer learns who its peer is.
static struct scm_id *receiver(struct scm_machine *m, const struct scm_wire *w)
{
	struct scm_id *id = scm_id_find(m, w->to);

	if (!id || !port_up(id))
		return NULL;
	if (!id->peer && w->kind != SCM_REJ && (id->cm == SCM_CM_REQ_SENT || id->cm == SCM_CM_SIDR_SENT)) {
		id->peer = w->from;
		id->peer_process = w->process;
	}
	if (w->from != w->to && id->peer && (id->peer != w->from || id->peer_process != w->process))
		return NULL;
	return id;
}

void scm_arrive(struct scm_machine *m, const struct scm_wire *w)
{
	struct scm_id *id;

	if (w->kind == SCM_REQ || w->kind == SCM_SIDR_REQ) {
		requested(scm_id_find(m, w->to), w);
		return;
	}
	id = receiver(m, w);
	if (w->kind == SCM_DREQ && (id || !scm_id_find(m, w->to)))
		id ? asked_to_end(id, w) : nothing_to_end(m, w);
	if (!id)
		return;
	switch (w->kind) {
	case SCM_MRA:
		id->patient = true;
		if (id->cm == SCM_CM_REQ_SENT || id->cm == SCM_CM_REP_SENT || id->cm == SCM_CM_SIDR_SENT)
			await(id);
		break;
	case SCM_REP:
		if (id->cm == SCM_CM_REQ_SENT)
			answered(id, w);
		else if (id->cm == SCM_CM_ESTABLISHED)
			advance(id);
		else if (id->cm == SCM_CM_REP_RCVD)
			scm_tell(id, SCM_MRA, 0, NULL, 0);
		break;
	case SCM_RTU:
		if (id->cm == SCM_CM_REP_SENT)
			scm_established(id);
		break;
	case SCM_REJ:
		rejected(id, w);
		break;
	case SCM_DREP:
		if (id->cm == SCM_CM_DREQ_SENT || id->cm == SCM_CM_DREQ_RCVD) {
			scm_timewait(id);
			disconnected(id, 0);
		}
		break;
	case SCM_SIDR_REP:
		if (id->cm == SCM_CM_SIDR_SENT)
			found(id, w);
		break;
	default:
		break;
	}
}

// What the end of its identifiers would have said.
void scm_process_died(struct scm_machine *m, int process)
{
	struct scm_channel *ch;
	struct scm_id *id;

	LIST_FOREACH(ch, &m->channels, link)
		LIST_FOREACH(id, &ch->ids, in_channel) {
			struct scm_wire w = {.kind = SCM_REJ, .from = id->peer, .to = id->number, .process = process, .reason = SCM_REJ_CONSUMER};

			if (!id->peer || id->peer_process != process)
				continue;
			if (id->cm == SCM_CM_ESTABLISHED)
				w.kind = SCM_DREQ;
			else if (id->cm == SCM_CM_DREQ_SENT || id->cm == SCM_CM_DREQ_RCVD)
				w.kind = SCM_DREP;
			scm_arrive(m, &w);
		}
}

static void gave_up(struct scm_id *id)
{
	if (id->cm == SCM_CM_DREQ_SENT) {
		scm_timewait(id);
		disconnected(id, -ETIMEDOUT);
		return;
	}
	scm_reset(id);
	if (id->state == SCM_CONNECT)
		scm_event_add(scm_event_new(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT));
}

static void again(struct scm_id *id)
{
	if (id->tries++ >= id->m->cfg.retries)
		gave_up(id);
	else if (id->cm == SCM_CM_REQ_SENT || id->cm == SCM_CM_SIDR_SENT || id->cm == SCM_CM_REP_SENT || id->cm == SCM_CM_DREQ_SENT)
		advance(id);
}

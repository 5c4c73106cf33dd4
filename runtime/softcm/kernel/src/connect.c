// Connections: rdma_connect, rdma_accept, rdma_reject, rdma_disconnect and rdma_notify of the kernel's cma.c, with what they call in
// cm.c, and the attributes of a queue pair in each state of a connection.
#include "kernel.h"

#define ACK_TIMEOUT 19 // exponent: that of a path with the packet life time of RoCE
#define HOPS 64

static void set_default_qkey(struct scm_id *id)
{
	if (id->ps == RDMA_PS_UDP || id->ps == RDMA_PS_IB)
		id->qkey = SCM_QKEY;
}

// What the peer is told: the kernel cuts what has three bits.
static struct scm_param said_to_peer(const struct scm_id *id, const struct scm_param *p)
{
	struct scm_param mine = *p;

	mine.retry_count = p->retry_count < 7 ? p->retry_count : 7;
	mine.rnr_retry_count = p->rnr_retry_count < 7 ? p->rnr_retry_count : 7;
	mine.psn = id->psn;
	return mine;
}

// cma_connect_ib and cma_resolve_ib_udp
int scm_k_connect(struct scm_id *id, const struct scm_param *p)
{
	const int most = id->qp_type == IBV_QPT_UD ? SCM_SIDR_REQ_DATA : SCM_REQ_DATA;

	if (!id->dev || id->state != SCM_ROUTE_RESOLVED || p->len + SCM_HEADER > most)
		return EINVAL;
	id->state = SCM_CONNECT;
	id->has_cm = true;
	id->mine = said_to_peer(id, p);
	id->peer = 0;
	scm_begin(id, id->qp_type == IBV_QPT_UD ? SCM_CM_SIDR_SENT : SCM_CM_REQ_SENT);
	return 0;
}

// cma_send_sidr_rep
static int sidr_rep(struct scm_id *id, int status, const void *data, uint8_t len)
{
	if (!status && !id->qkey)
		set_default_qkey(id);
	if (len > SCM_SIDR_REP_DATA || id->cm != SCM_CM_SIDR_RCVD)
		return EINVAL;
	id->mine.qkey = id->qkey;
	id->cm = SCM_CM_IDLE;
	memset(id->mine.data, 0, sizeof id->mine.data);
	scm_tell(id, SCM_SIDR_REP, status, data, len);
	id->peer = 0;
	return 0;
}

// cma_accept_ib
static int send_answer(struct scm_id *id, const struct scm_param *p)
{
	if (p->len > SCM_REP_DATA || id->cm != SCM_CM_REQ_RCVD)
		return EINVAL;
	id->mine = said_to_peer(id, p);
	scm_begin(id, SCM_CM_REP_SENT);
	return 0;
}

// cma_rep_recv, without the queue pair, which the user's half changes
static int take_answer(struct scm_id *id)
{
	if (id->cm != SCM_CM_REP_RCVD)
		return EINVAL;
	scm_begin(id, SCM_CM_ESTABLISHED);
	return 0;
}

int scm_k_accept(struct scm_id *id, const struct scm_param *p)
{
	int err;

	if (!id->dev || id->state != SCM_CONNECT)
		return EINVAL;
	if (p) {
		id->mine.qp_num = p->qp_num;
		id->mine.srq = p->srq;
	}
	if (id->qp_type == IBV_QPT_UD)
		err = sidr_rep(id, SCM_SIDR_OK, p ? p->data : NULL, p ? p->len : 0);
	else
		err = p ? send_answer(id, p) : take_answer(id);
	if (err)
		scm_k_reject(id, SCM_REJ_CONSUMER, NULL, 0);
	else if (p)
		id->told = true;
	return err;
}

// cm_send_rej_locked
static int reject(struct scm_id *id, int reason, const void *data, uint8_t len)
{
	if (len > SCM_REJ_DATA)
		return EINVAL;
	switch (id->cm) {
	case SCM_CM_REQ_SENT: case SCM_CM_REQ_RCVD: case SCM_CM_REP_RCVD:
		scm_timer_stop(id);
		id->cm = SCM_CM_IDLE;
		break;
	case SCM_CM_REP_SENT:
		scm_timewait(id);
		break;
	default:
		return EINVAL;
	}
	scm_tell(id, SCM_REJ, reason, data, len);
	id->peer = 0;
	return 0;
}

int scm_k_reject(struct scm_id *id, int reason, const void *data, uint8_t len)
{
	if (!id->dev || !id->has_cm)
		return EINVAL;
	return id->qp_type == IBV_QPT_UD ? sidr_rep(id, SCM_SIDR_REJECTED, data, len) : reject(id, reason, data, len);
}

// An identifier without a connection to end has none to end, which is no error.
int scm_k_disconnect(struct scm_id *id)
{
	if (!id->dev || !id->has_cm)
		return EINVAL;
	if (id->cm == SCM_CM_ESTABLISHED)
		scm_begin(id, SCM_CM_DREQ_SENT);
	else if (id->cm == SCM_CM_DREQ_RCVD)
		scm_begin(id, SCM_CM_TIMEWAIT);
	return 0;
}

// cm_establish: data came before the message that should come first
static int establish(struct scm_id *id)
{
	if (id->cm != SCM_CM_REP_SENT)
		return id->cm == SCM_CM_ESTABLISHED ? EISCONN : EINVAL;
	scm_established(id);
	return 0;
}

int scm_k_notify(struct scm_id *id, enum ibv_event_type event)
{
	if (!id->dev || !id->has_cm)
		return EINVAL;
	if (event == IBV_EVENT_COMM_EST)
		return establish(id);
	return event == IBV_EVENT_PATH_MIG && id->cm == SCM_CM_ESTABLISHED ? 0 : EINVAL;
}

// cm_destroy_id: the peer is told in the way that fits
void scm_cm_end(struct scm_id *id)
{
	switch (id->cm) {
	case SCM_CM_REQ_SENT:
		reject(id, SCM_REJ_TIMEOUT, NULL, 0);
		break;
	case SCM_CM_REQ_RCVD: case SCM_CM_REP_SENT: case SCM_CM_REP_RCVD:
		reject(id, SCM_REJ_CONSUMER, NULL, 0);
		break;
	case SCM_CM_ESTABLISHED:
		scm_begin(id, SCM_CM_DREQ_SENT);
		break;
	case SCM_CM_DREQ_RCVD:
		scm_begin(id, SCM_CM_TIMEWAIT);
		break;
	case SCM_CM_SIDR_RCVD:
		sidr_rep(id, SCM_SIDR_REJECTED, NULL, 0);
		break;
	default:
		break;
	}
	scm_reset(id);
	id->has_cm = false;
}

void scm_ah(const struct scm_id *id, const union ibv_gid *to, struct ibv_ah_attr *a)
{
	memset(a, 0, sizeof *a);
	a->grh.dgid = *to;
	a->grh.sgid_index = id->gid_index;
	a->grh.hop_limit = HOPS;
	a->grh.traffic_class = id->tos;
	a->is_global = 1;
	a->port_num = id->port;
}

// cma_ib_init_qp_attr: without a connection
static void unconnected(struct scm_id *id, struct ibv_qp_attr *a, int *mask)
{
	a->port_num = id->port;
	*mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	if (id->qp_type == IBV_QPT_UD) {
		set_default_qkey(id);
		a->qkey = id->qkey;
		*mask |= IBV_QP_QKEY;
	} else {
		*mask |= IBV_QP_ACCESS_FLAGS;
	}
}

static uint8_t allowed(const struct scm_id *id) // reads and atomics of the peer
{
	return id->cm == SCM_CM_REQ_SENT || id->passive ? id->mine.responder_resources : id->theirs.initiator_depth;
}

static void to_init(const struct scm_id *id, struct ibv_qp_attr *a, int *mask)
{
	*mask = IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	a->port_num = id->port;
	a->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (id->cm == SCM_CM_REQ_RCVD ? id->theirs.initiator_depth : allowed(id))
		a->qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
}

static void to_rtr(const struct scm_id *id, struct ibv_qp_attr *a, int *mask)
{
	union ibv_gid g;

	*mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (id->qp_type == IBV_QPT_RC || id->qp_type == IBV_QPT_XRC_RECV)
		*mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	scm_gid_of(&id->dst, &g);
	scm_ah(id, &g, &a->ah_attr);
	a->path_mtu = id->dev->mtu;
	a->dest_qp_num = id->theirs.qp_num;
	a->rq_psn = id->psn;
	a->max_dest_rd_atomic = id->cm == SCM_CM_REQ_RCVD ? id->theirs.initiator_depth : allowed(id);
}

static void to_rts(const struct scm_id *id, struct ibv_qp_attr *a, int *mask)
{
	*mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (id->qp_type == IBV_QPT_RC || id->qp_type == IBV_QPT_XRC_SEND)
		*mask |= IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	if (id->qp_type != IBV_QPT_UC)
		*mask |= IBV_QP_TIMEOUT;
	a->sq_psn = id->theirs.psn;
	a->retry_cnt = id->passive ? id->theirs.retry_count : id->mine.retry_count;
	a->rnr_retry = id->theirs.rnr_retry_count;
	a->max_rd_atomic = id->theirs.responder_resources;
	a->timeout = id->timeout_set ? id->timeout : ACK_TIMEOUT;
}

// rdma_init_qp_attr and ib_cm_init_qp_attr
int scm_qp_attr(struct scm_id *id, struct ibv_qp_attr *a, int *mask)
{
	const bool open = id->cm >= SCM_CM_REQ_RCVD && id->cm <= SCM_CM_ESTABLISHED;

	if (!id->dev)
		return EINVAL;
	if (!id->has_cm || id->qp_type == IBV_QPT_UD) {
		unconnected(id, a, mask);
		return 0;
	}
	if (a->qp_state == IBV_QPS_INIT && (open || id->cm == SCM_CM_REQ_SENT))
		to_init(id, a, mask);
	else if (a->qp_state == IBV_QPS_RTR && open)
		to_rtr(id, a, mask);
	else if (a->qp_state == IBV_QPS_RTS && open)
		to_rts(id, a, mask);
	else
		return EINVAL;
	return 0;
}

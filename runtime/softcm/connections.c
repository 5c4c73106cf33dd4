//go:build linux && cgo

// Connections.
#include "entry.h"

int scm_rdma_listen(struct rdma_cm_id *pub, int backlog)
{
	return SCM_CALL(pub, SCM_V_LISTEN, scm_listen(&SCM_ID(pub)->k, backlog) ?: scm_query_addr(SCM_ID(pub)));
}

// valid: ucma_valid_param
static bool valid(const struct lib_id *id, const struct rdma_conn_param *p)
{
	if (!id->open || (!id->pub.qp && !p))
		return false;
	if (id->k.ps != RDMA_PS_TCP || !p)
		return true;
	return (p->responder_resources == RDMA_MAX_RESP_RES || p->responder_resources <= id->open->max_responder_resources) &&
		(p->initiator_depth == RDMA_MAX_INIT_DEPTH || p->initiator_depth <= id->open->max_initiator_depth);
}

static uint8_t least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static void fill_param(const struct lib_id *id, const struct rdma_conn_param *from, struct scm_param *p)
{
	const struct ibv_qp *qp = id->pub.qp;

	*p = (struct scm_param){.qp_num = qp ? qp->qp_num : from->qp_num & 0xffffff, .srq = qp ? qp->srq != NULL : from->srq != 0,
		.responder_resources = id->responder_resources, .initiator_depth = id->initiator_depth, .retry_count = 7, .rnr_retry_count = 7};
	if (!from)
		return;
	p->flow_control = from->flow_control != 0;
	p->retry_count = from->retry_count;
	p->rnr_retry_count = from->rnr_retry_count;
	if (from->private_data && from->private_data_len) {
		memcpy(p->data, from->private_data, from->private_data_len);
		p->len = from->private_data_len;
	}
}

int scm_rdma_connect(struct rdma_cm_id *pub, struct rdma_conn_param *p)
{
	struct lib_id *id = SCM_ID(pub);
	struct scm_param param;
	int err = scm_enter(pub, SCM_V_CONNECT);

	if (!err && !valid(id, p))
		err = EINVAL;
	if (err)
		return scm_leave_with(err);
	id->initiator_depth = p && p->initiator_depth != RDMA_MAX_INIT_DEPTH ? p->initiator_depth : id->open->max_initiator_depth;
	id->responder_resources = p && p->responder_resources != RDMA_MAX_RESP_RES ? p->responder_resources :
		id->open->max_responder_resources;
	fill_param(id, p, &param);
	param.ece_vendor = id->local_ece.vendor_id;
	param.ece_options = id->local_ece.options;
	return scm_leave_with(scm_k_connect(&id->k, &param));
}

static void choose_depths(struct lib_id *id, const struct rdma_conn_param *p)
{
	if (p && p->initiator_depth != RDMA_MAX_INIT_DEPTH)
		id->initiator_depth = p->initiator_depth;
	else
		id->initiator_depth = least(id->initiator_depth, id->open->max_initiator_depth);
	if (p && p->responder_resources != RDMA_MAX_RESP_RES)
		id->responder_resources = p->responder_resources;
	else
		id->responder_resources = least(id->responder_resources, id->open->max_responder_resources);
}

// The queue pair comes first, so that it can take what the peer sends when it hears of the answer.
int scm_accepted(struct lib_id *id, const struct scm_param *p)
{
	SCM_LOCKED;

	return id->k.state == SCM_REMOVED ? ENXIO : scm_k_accept(&id->k, p);
}

int scm_rdma_accept(struct rdma_cm_id *pub, struct rdma_conn_param *p)
{
	struct lib_id *id = SCM_ID(pub);
	struct scm_param param;
	int err = scm_enter(pub, SCM_V_ACCEPT);

	scm_unlock_all();
	if (!err && !valid(id, p))
		err = EINVAL;
	if (err)
		return scm_answer(err);
	choose_depths(id, p);
	fill_param(id, p, &param);
	param.ece_vendor = id->remote_ece.vendor_id; // both ends have one vendor, or no options
	param.ece_options = id->local_ece.options;
	if (id->k.qp_type != IBV_QPT_UD) {
		err = scm_qp_rtr(id, id->responder_resources);
		if (!err)
			err = scm_qp_rts(id, id->initiator_depth);
		if (err)
			return scm_answer(err);
	}
	err = scm_accepted(id, &param);
	if (err)
		scm_qp_err(id);
	return scm_answer(err);
}

int scm_rdma_establish(struct rdma_cm_id *pub)
{
	return SCM_CALL(pub, SCM_V_ESTABLISH, pub->qp ? EINVAL : scm_k_accept(&SCM_ID(pub)->k, NULL));
}

int scm_rdma_reject(struct rdma_cm_id *pub, const void *data, uint8_t len)
{
	return SCM_CALL(pub, SCM_V_REJECT, scm_k_reject(&SCM_ID(pub)->k, SCM_REJ_CONSUMER, data, data ? len : 0));
}

int scm_rdma_reject_ece(struct rdma_cm_id *pub, const void *data, uint8_t len)
{
	return SCM_CALL(pub, SCM_V_REJECT_ECE, scm_k_reject(&SCM_ID(pub)->k, SCM_REJ_VENDOR_OPTION, data, data ? len : 0));
}

int scm_rdma_notify(struct rdma_cm_id *pub, enum ibv_event_type event)
{
	return SCM_CALL(pub, SCM_V_NOTIFY, scm_k_notify(&SCM_ID(pub)->k, event));
}

int scm_rdma_disconnect(struct rdma_cm_id *pub)
{
	int err = scm_enter(pub, SCM_V_DISCONNECT);

	scm_unlock_all();
	if (!err)
		err = pub->verbs ? scm_qp_err(SCM_ID(pub)) : EINVAL;
	if (err)
		return scm_answer(err);
	scm_lock_all();
	return scm_leave_with(SCM_ID(pub)->k.state == SCM_REMOVED ? ENXIO : scm_k_disconnect(&SCM_ID(pub)->k));
}

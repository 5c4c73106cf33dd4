//go:build linux && cgo

// Queue pairs of identifiers, and their states.
#include "entry.h"

// attr_of asks the kernel's half for the attributes of a state.
static int attr_of(struct lib_id *id, enum ibv_qp_state to, struct ibv_qp_attr *a, int *mask)
{
	SCM_LOCKED;

	memset(a, 0, sizeof *a);
	a->qp_state = to;
	return id->k.state == SCM_REMOVED ? ENXIO : scm_qp_attr(&id->k, a, mask);
}

#define KEPT 0xff // RDMA_MAX_RESP_RES and RDMA_MAX_INIT_DEPTH: as deep as the kernel's half says

static int modify(struct lib_id *id, struct ibv_qp *qp, enum ibv_qp_state to, uint8_t depth)
{
	struct ibv_qp_attr a;
	int mask, err = attr_of(id, to, &a, &mask);

	if (err)
		return err;
	if (depth != KEPT)
		*(to == IBV_QPS_RTR ? &a.max_dest_rd_atomic : &a.max_rd_atomic) = depth;
	return scm_v(id)->modify_qp(qp, &a, mask);
}

int scm_qp_rtr(struct lib_id *id, uint8_t responder_resources)
{
	const int err = id->pub.qp ? modify(id, id->pub.qp, IBV_QPS_INIT, KEPT) : 0;

	return !err && id->pub.qp ? modify(id, id->pub.qp, IBV_QPS_RTR, responder_resources) : err;
}

int scm_qp_rts(struct lib_id *id, uint8_t initiator_depth)
{
	return id->pub.qp ? modify(id, id->pub.qp, IBV_QPS_RTS, initiator_depth) : 0;
}

int scm_qp_err(struct lib_id *id)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_ERR};

	return id->pub.qp ? scm_v(id)->modify_qp(id->pub.qp, &a, IBV_QP_STATE) : 0;
}

// init_datagrams: ucma_init_ud_qp
static int init_datagrams(struct lib_id *id, struct ibv_qp *qp)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_RTR};
	int err = modify(id, qp, IBV_QPS_INIT, KEPT);

	if (!err)
		err = scm_v(id)->modify_qp(qp, &a, IBV_QP_STATE);
	a.qp_state = IBV_QPS_RTS;
	return err ? err : scm_v(id)->modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static void destroy_cqs(struct lib_id *id)
{
	const struct scm_verbs *v = scm_v(id);
	struct rdma_cm_id *pub = &id->pub;

	if (pub->recv_cq)
		v->destroy_cq(pub->recv_cq);
	if (pub->send_cq)
		v->destroy_cq(pub->send_cq);
	if (pub->recv_cq_channel)
		v->destroy_comp_channel(pub->recv_cq_channel);
	if (pub->send_cq_channel)
		v->destroy_comp_channel(pub->send_cq_channel);
	pub->recv_cq = pub->send_cq = NULL;
	pub->recv_cq_channel = pub->send_cq_channel = NULL;
}

static int create_cq(struct lib_id *id, uint32_t size, struct ibv_comp_channel **ch, struct ibv_cq **cq)
{
	if (!size)
		return 0;
	*ch = scm_v(id)->create_comp_channel(id->pub.verbs);
	if (*ch)
		*cq = scm_v(id)->create_cq(id->pub.verbs, (int)size, id, *ch, 0);
	return *cq ? 0 : errno;
}

// fill_cqs makes the queues that the program did not give: ucma_create_cqs.
static int fill_cqs(struct lib_id *id, struct ibv_qp_init_attr *a)
{
	struct rdma_cm_id *pub = &id->pub;
	int err = 0;

	if (!a->recv_cq && !pub->recv_cq)
		err = create_cq(id, a->cap.max_recv_wr, &pub->recv_cq_channel, &pub->recv_cq);
	if (!err && !a->send_cq && !pub->send_cq)
		err = create_cq(id, a->cap.max_send_wr, &pub->send_cq_channel, &pub->send_cq);
	if (!a->send_cq)
		a->send_cq = pub->send_cq;
	if (!a->recv_cq)
		a->recv_cq = pub->recv_cq;
	return err;
}

static int create(struct lib_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	const struct scm_verbs *v = scm_v(id);
	struct ibv_qp *qp;
	int err = fill_cqs(id, a);

	if (err)
		return err;
	if (id->pub.srq && !a->srq)
		a->srq = id->pub.srq;
	qp = v->create_qp(pd, a);
	if (!qp)
		return errno;
	err = id->k.qp_type == IBV_QPT_UD ? init_datagrams(id, qp) : modify(id, qp, IBV_QPS_INIT, KEPT);
	if (err) {
		v->destroy_qp(qp);
		return err;
	}
	id->pub.pd = pd;
	id->pub.qp = qp;
	return 0;
}

int scm_rdma_create_qp(struct rdma_cm_id *pub, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct lib_id *id = SCM_ID(pub);
	int err = scm_enter(pub, SCM_V_CREATE_QP);

	scm_unlock_all();
	if (!pd)
		pd = pub->pd;
	if (!err && (pub->qp || !pd || pub->verbs != pd->context))
		err = EINVAL;
	if (!err && ((pub->recv_cq && attr->recv_cq && pub->recv_cq != attr->recv_cq) ||
		(pub->send_cq && attr->send_cq && pub->send_cq != attr->send_cq)))
		err = EINVAL;
	if (err)
		return scm_answer(err);
	err = create(id, pd, attr);
	if (err)
		destroy_cqs(id);
	return scm_answer(err);
}

int scm_rdma_init_qp_attr(struct rdma_cm_id *pub, struct ibv_qp_attr *attr, int *mask)
{
	struct ibv_qp_attr a;
	int err = scm_enter(pub, SCM_V_INIT_QP_ATTR);

	scm_unlock_all();
	if (!err && attr->qp_state > IBV_QPS_ERR)
		err = EINVAL;
	if (!err)
		err = attr_of(SCM_ID(pub), attr->qp_state, &a, mask);
	if (!err)
		*attr = a;
	return scm_answer(err);
}

int scm_rdma_set_local_ece(struct rdma_cm_id *pub, struct ibv_ece *ece)
{
	int err = scm_enter(pub, SCM_V_SET_LOCAL_ECE);

	if (!err && (pub->qp || !ece || !ece->vendor_id || ece->comp_mask))
		err = EINVAL;
	if (!err)
		SCM_ID(pub)->local_ece = *ece;
	return scm_leave_with(err);
}

int scm_rdma_get_remote_ece(struct rdma_cm_id *pub, struct ibv_ece *ece)
{
	int err = scm_enter(pub, SCM_V_GET_REMOTE_ECE);

	if (!err && (pub->qp || !ece))
		err = EINVAL;
	if (!err)
		*ece = SCM_ID(pub)->remote_ece;
	return scm_leave_with(err);
}

void scm_rdma_destroy_qp(struct rdma_cm_id *pub)
{
	struct lib_id *id = SCM_ID(pub);

	if (pub->qp)
		scm_v(id)->destroy_qp(pub->qp);
	pub->qp = NULL;
	destroy_cqs(id);
}

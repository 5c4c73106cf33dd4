// Queue pairs: Linux 6.1, drivers/infiniband/core/uverbs_std_types_qp.c.
#include <unistd.h>

#include "uverbs/provider.h"
#include "uverbs/gid.h"
#include "wire/wire.h"

enum {
	KNOWN_FLAGS = IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK | IB_UVERBS_QP_CREATE_SCATTER_FCS | IB_UVERBS_QP_CREATE_CVLAN_STRIPPING |
		IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING | IB_UVERBS_QP_CREATE_SQ_SIG_ALL,
};

static void parents_of_target(const struct call *c, struct qp *q)
{
	refuse_if(attr(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE) || attr(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE) ||
		attr(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE), EINVAL);
	q->xrcd = attr_needed(c, &q->o, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, UVERBS_OBJECT_XRCD);
}

// A queue pair over a table has no receives of its own, and a send queue if it wants to.
static void parents_over_table(const struct call *c, struct qp *q)
{
	refuse_if(q->cap.max_recv_wr || q->cap.max_recv_sge || attr(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE) ||
		attr(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE), EINVAL);
	q->table = attr_needed(c, &q->o, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, UVERBS_OBJECT_RWQ_IND_TBL);
	if (q->cap.max_send_wr)
		q->scq = attr_needed(c, &q->o, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, UVERBS_OBJECT_CQ);
}

static void parents_of_others(const struct call *c, struct qp *q)
{
	refuse_if(attr(c, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE) || (attr(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE) && q->type == IBV_QPT_XRC_SEND),
		EINVAL);
	q->pd = attr_needed(c, &q->o, UVERBS_ATTR_CREATE_QP_PD_HANDLE, UVERBS_OBJECT_PD);
	if (attr(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE)) {
		parents_over_table(c, q);
		return;
	}
	q->scq = attr_needed(c, &q->o, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, UVERBS_OBJECT_CQ);
	if (q->type != IBV_QPT_XRC_SEND)
		q->rcq = attr_needed(c, &q->o, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, UVERBS_OBJECT_CQ);
}

static void check_flags(int type, uint32_t flags)
{
	refuse_if(flags & ~(unsigned)KNOWN_FLAGS, EINVAL);
	flags &= ~(uint32_t)IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	if (!flags || type == IBV_QPT_DRIVER)
		return;
	refuse_if(flags & (IB_UVERBS_QP_CREATE_SCATTER_FCS | IB_UVERBS_QP_CREATE_CVLAN_STRIPPING) && type != IBV_QPT_RAW_PACKET,
		EINVAL); // check_creation_flags
	refuse_if(type != IBV_QPT_RAW_PACKET && type != IBV_QPT_UD, EINVAL);
}

static void prepare(const struct call *c, struct qp *q, uint32_t flags)
{
	switch (q->type) {
	case IBV_QPT_XRC_RECV:
		parents_of_target(c, q);
		break;
	case IBV_QPT_RAW_PACKET: // for CAP_NET_RAW
		refuse_if(geteuid(), EPERM);
		parents_of_others(c, q);
		break;
	case IBV_QPT_RC: case IBV_QPT_UC: case IBV_QPT_UD: case IBV_QPT_XRC_SEND: case IBV_QPT_DRIVER:
		parents_of_others(c, q);
		break;
	default:
		refuse(EINVAL);
	}
	check_flags(q->type, flags);
	if (!attr(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE))
		return;
	q->srq = attr_needed(c, &q->o, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, UVERBS_OBJECT_SRQ);
	refuse_if((q->srq->type == IB_UVERBS_SRQT_XRC) != (q->type == IBV_QPT_XRC_RECV), EINVAL);
}

static void create(const struct call *c)
{
	const uint32_t flags = (uint32_t)attr_number(c, UVERBS_ATTR_CREATE_QP_FLAGS, 0);
	struct qp *q = object_new(c->ctx, UVERBS_OBJECT_QP, sizeof *q, qp_end);

	ATTR_IN(c, UVERBS_ATTR_CREATE_QP_CAP, q->cap);
	q->type = (int)attr_number(c, UVERBS_ATTR_CREATE_QP_TYPE, 0);
	q->signal_all = flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	q->no_loopback = flags & IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	prepare(c, q, flags);
	c->dev->provider->create_qp(c, q, flags & ~(uint32_t)IB_UVERBS_QP_CREATE_SQ_SIG_ALL);
	if (!q->table) // one over a table has the number 0 (hw/mlx5/qp.c, create_rss_raw_qp_tir) and sends nothing
		check(net_join(q));
	q->o.user = attr_number(c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 0);
	ATTR_OUT(c, UVERBS_ATTR_CREATE_QP_RESP_CAP, q->cap);
	attr_out32(c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, q->unnamed ? 0 : q->number);
	attr_created(c, UVERBS_ATTR_CREATE_QP_HANDLE, q->o.handle);
}

// A queue pair in a multicast group is EBUSY (core/uverbs_std_types_qp.c, uverbs_free_qp).
static void destroy(const struct call *c)
{
	struct qp *q = attr_object(c, UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_OBJECT_QP);

	refuse_if(q->ngroups, EBUSY);
	qp_settle(q);
	attr_out32(c, UVERBS_ATTR_DESTROY_QP_RESP, event_forget_async(&q->o));
	qp_end(&q->o);
}

// ib_attach_mcast wants UD and a multicast GID; joining twice does nothing, leaving what was not joined is EINVAL.
static void group(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_attach_mcast, in);
	const bool join = c->method->method == IB_USER_VERBS_CMD_ATTACH_MCAST;
	int i = 0;
	struct qp *q = qp_get(c, in.qp_handle);

	refuse_if(q->type != IBV_QPT_UD || !gid_multicast(in.gid), EINVAL);
	while (i < q->ngroups && memcmp(q->groups[i], in.gid, 16) != 0)
		i++;
	if (join && i == q->ngroups) {
		refuse_if(i == GROUPS, ENOMEM);
		memcpy(q->groups[q->ngroups++], in.gid, 16);
	}
	if (!join) {
		refuse_if(i == q->ngroups, EINVAL);
		memcpy(q->groups[i], q->groups[--q->ngroups], 16);
	}
}

const struct method qp_methods[] = {
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, create},
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, destroy},
	{WRITTEN, IB_USER_VERBS_CMD_MODIFY_QP, qp_modify, sizeof(struct ib_uverbs_modify_qp), 0},
	{WRITTEN, EXTENDED(IB_USER_VERBS_EX_CMD_MODIFY_QP), qp_modify_ex, sizeof(struct ib_uverbs_ex_modify_qp),
		sizeof(struct ib_uverbs_ex_modify_qp_resp)},
	{WRITTEN, IB_USER_VERBS_CMD_OPEN_QP, qp_open, 24, sizeof(struct ib_uverbs_create_qp_resp)},
	{WRITTEN, IB_USER_VERBS_CMD_QUERY_QP, qp_query, 8, offsetof(struct ib_uverbs_query_qp_resp, driver_data)},
	{WRITTEN, IB_USER_VERBS_CMD_ATTACH_MCAST, group, 24, 0},
	{WRITTEN, IB_USER_VERBS_CMD_DETACH_MCAST, group, 24, 0},
	{0},
};

//go:build linux && cgo

// The requester's side of a work request: what it may ask for, its own memory, and whom it reaches.
#include <endian.h>

#include "wire.h"
#include "address.h"

#define PSN 0xffffffu
#define MAX_UD 4096
#define UDP 17

static bool sends(enum ibv_wr_opcode op)
{
	return op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM || op == IBV_WR_SEND_WITH_INV || op == IBV_WR_RDMA_WRITE ||
	       op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

// local tells whether an operation ends where it began.
static bool local(enum ibv_wr_opcode op) { return op == IBV_WR_LOCAL_INV || op == IBV_WR_BIND_MW; }

static bool offered(enum ibv_qp_type t, enum ibv_wr_opcode op)
{
	if (t == IBV_QPT_RC)
		return sends(op) || svb_reads(op) || local(op) || svb_streamed(op);
	if (t == IBV_QPT_XRC_SEND)
		return sends(op) || svb_reads(op) || local(op);
	if (t == IBV_QPT_UC)
		return (sends(op) && op != IBV_WR_SEND_WITH_INV) || op == IBV_WR_BIND_MW;
	return op == IBV_WR_SEND || (op == IBV_WR_SEND_WITH_IMM && t == IBV_QPT_UD);
}

// own gives the address that a path starts at.
static bool own(const struct svb_dev *d, const struct ibv_ah_attr *av, union ibv_gid *g)
{
	return svb_gid(d, av->port_num, av->grh.sgid_index, g) && !d->port_down[av->port_num - 1];
}

// pair says whether two queue pairs are of types that belong together.
static bool pair(const struct svb_qp *from, const struct svb_qp *to)
{
	return to->pub.qp_type == (from->pub.qp_type == IBV_QPT_XRC_SEND ? IBV_QPT_XRC_RECV : from->pub.qp_type);
}

static struct svb_qp *reach(struct svb_qp *qp, const struct ibv_ah_attr *av, uint32_t qpn)
{
	unsigned port;
	struct svb_dev *d = svb_dev_of_gid(qp->dev->inst, &av->grh.dgid, &port);
	struct svb_qp *to = d && !d->gone && !d->port_down[port - 1] ? svb_qp_numbered(d, qpn) : NULL;

	return to && pair(qp, to) && svb_receives(to) ? to : NULL;
}

// Two queue pairs are connected when each has the address and the number of the other. Packets that count
// otherwise than the receiver expects are not answered by RC; UC starts anew with each message.
static struct svb_qp *connected(struct svb_qp *qp)
{
	struct svb_qp *to = reach(qp, &qp->attr.ah_attr, qp->attr.dest_qp_num);
	union ibv_gid mine, its;

	if (!to || to->attr.dest_qp_num != qp->pub.qp_num)
		return NULL;
	if (!own(qp->dev, &qp->attr.ah_attr, &mine) || !own(to->dev, &to->attr.ah_attr, &its))
		return NULL;
	if (memcmp(&mine, &to->attr.ah_attr.grh.dgid, sizeof mine) || memcmp(&its, &qp->attr.ah_attr.grh.dgid, sizeof its))
		return NULL;
	return qp->pub.qp_type == IBV_QPT_UC || qp->req_psn == to->resp_psn ? to : NULL;
}

// The header that a datagram's receiver finds in front of the data: of IPv6, or of IPv4 in the last 20 bytes.
static void fill_grh(struct ibv_grh *g, const struct ibv_ah_attr *av, const union ibv_gid *from, uint64_t length)
{
	const struct ibv_global_route *r = &av->grh;
	uint8_t *v4 = (uint8_t *)g + 20;
	const uint16_t payload = (uint16_t)(length + 32); // UDP, BTH, DETH and ICRC around it

	memset(g, 0, sizeof *g);
	if (r->dgid.raw[10] == 0xff) {
		v4[0] = 0x45;
		v4[1] = r->traffic_class;
		v4[2] = (uint8_t)((payload + 20) >> 8);
		v4[3] = (uint8_t)(payload + 20);
		v4[6] = 0x40;
		v4[8] = r->hop_limit;
		v4[9] = UDP;
		memcpy(v4 + 12, from->raw + 12, 4);
		memcpy(v4 + 16, r->dgid.raw + 12, 4);
		return;
	}
	g->version_tclass_flow = htobe32(6u << 28 | (uint32_t)r->traffic_class << 20 | (r->flow_label & 0xfffff));
	g->paylen = htobe16(payload);
	g->next_hdr = UDP;
	g->hop_limit = r->hop_limit;
	g->sgid = *from;
	g->dgid = r->dgid;
}

static struct svb_qp *datagram(struct svb_message *m)
{
	const struct svb_swr *r = m->r;
	struct svb_qp *to = reach(m->from, &r->av, r->remote_qpn);
	union ibv_gid mine;

	if (!to || to->attr.qkey != r->remote_qkey || r->length > MAX_UD || !own(m->from->dev, &r->av, &mine))
		return NULL;
	fill_grh(&m->grh, &r->av, &mine, r->length);
	return to;
}

static enum svb_fate to_group(struct svb_message *m, enum ibv_wc_status *status)
{
	const struct svb_swr *r = m->r;
	union ibv_gid mine;

	if (r->length > MAX_UD || !own(m->from->dev, &r->av, &mine))
		return SVB_ENDED;
	fill_grh(&m->grh, &r->av, &mine, r->length);
	return svb_spread(m, status);
}

static int take_source(struct svb_message *m, char *data)
{
	const struct svb_swr *r = m->r;

	if (!sends(r->opcode))
		return 0;
	if (r->flags & IBV_SEND_INLINE) {
		svb_list_add(&m->source, data, r->length);
		return 0;
	}
	return svb_take_sges(m->from->dev, m->from->obj.kpd, (struct ibv_sge *)(void *)data, r->nsge, r->length, 0, &m->source);
}

static bool port_up(const struct svb_qp *qp, const struct svb_swr *r)
{
	const enum ibv_qp_type t = qp->pub.qp_type;
	const unsigned port = t == IBV_QPT_UD ? r->av.port_num : t == IBV_QPT_RAW_PACKET ? qp->attr.port_num : qp->attr.ah_attr.port_num;

	return port && !qp->dev->port_down[port - 1];
}

// too_long reports whether a message is longer than its port allows, which ends a connection, as cards do it. soft-RoCE does not look at
// max_msg_sz and counts bytes in 32 bits, so of 2^32 + 64 bytes it would send 64.
static bool too_long(const struct svb_qp *qp, const struct svb_swr *r)
{
	const enum ibv_qp_type t = qp->pub.qp_type;

	return t != IBV_QPT_UD && t != IBV_QPT_RAW_PACKET && (sends(r->opcode) || r->opcode == IBV_WR_RDMA_READ) &&
	       r->length > qp->dev->cfg.max_msg_sz;
}

static uint32_t packets(const struct svb_qp *qp, const struct svb_swr *r)
{
	const uint32_t mtu = 128u << qp->attr.path_mtu;

	return r->length && !svb_streamed(r->opcode) ? (uint32_t)((r->length - 1) / mtu) + 1 : 1;
}

static enum svb_fate deliver(struct svb_message *m, enum ibv_wc_status *status)
{
	struct svb_qp *qp = m->from;
	enum svb_fate fate;

	if (qp->pub.qp_type == IBV_QPT_RAW_PACKET)
		return svb_raw(m, status);
	if (qp->pub.qp_type == IBV_QPT_UD && svb_multicast(&m->r->av.grh.dgid))
		return to_group(m, status);
	m->to = qp->pub.qp_type == IBV_QPT_UD ? datagram(m) : connected(qp);
	if (!m->to)
		return svb_reliable(qp) ? SVB_UNANSWERED : SVB_ENDED;
	if (qp->pub.qp_type == IBV_QPT_UC)
		m->to->resp_psn = qp->req_psn;
	m->to->busy++;
	fate = svb_respond(m, status);
	if (fate == SVB_ENDED && *status == IBV_WC_SUCCESS && qp->pub.qp_type != IBV_QPT_UD)
		m->to->resp_psn = (m->to->resp_psn + packets(qp, m->r)) & PSN;
	svb_idles(&m->to->busy);
	return fate;
}

static void do_local(struct svb_qp *qp, const struct svb_swr *r, enum ibv_wc_status *status)
{
	if (r->opcode == IBV_WR_BIND_MW)
		*status = svb_window_bind(qp->dev, qp, qp->obj.kpd, &r->bind) ? IBV_WC_MW_BIND_ERR : IBV_WC_SUCCESS;
	else
		*status = svb_invalidate(qp->dev, r->imm) ? IBV_WC_LOC_QP_OP_ERR : IBV_WC_SUCCESS;
}

enum svb_fate svb_request(struct svb_qp *qp, const struct svb_swr *r, char *data, struct svb_worker *w, enum ibv_wc_status *status)
{
	struct svb_message m = {.from = qp, .r = r, .w = w};
	enum svb_fate fate = SVB_ENDED;
	int err;

	*status = IBV_WC_LOC_QP_OP_ERR;
	if (offered(qp->pub.qp_type, r->opcode) && local(r->opcode)) {
		do_local(qp, r, status);
		return SVB_ENDED;
	}
	if (!offered(qp->pub.qp_type, r->opcode) || !port_up(qp, r))
		return SVB_ENDED;
	if (svb_reads(r->opcode) && !qp->attr.max_rd_atomic)
		return SVB_STUCK; // it waits for a place among none
	if (too_long(qp, r)) {
		*status = IBV_WC_LOC_LEN_ERR;
		return SVB_ENDED;
	}
	err = take_source(&m, data);
	if (err) {
		*status = err == EFAULT ? IBV_WC_LOC_PROT_ERR : IBV_WC_LOC_QP_OP_ERR;
	} else {
		*status = IBV_WC_SUCCESS;
		qp->left = svb_reliable(qp) ? 0 : svb_stamp();
		fate = deliver(&m, status);
	}
	svb_list_drop(&m.source);
	if (fate == SVB_ENDED && *status == IBV_WC_SUCCESS)
		qp->req_psn = (qp->req_psn + packets(qp, r)) & PSN;
	return fate;
}

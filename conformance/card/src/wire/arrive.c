#include "uverbs/gid.h"
#include "wire/wire.h"

enum { ALL_QPS = 0xffffff, PSN = 0xffffff };

bool is_multicast(const struct request *r)
{
	return r->qpn == ALL_QPS && gid_multicast(r->gid);
}

bool is_reliable(int type)
{
	return type == IBV_QPT_RC || type == IBV_QPT_XRC_SEND || type == IBV_QPT_DRIVER;
}

static bool receives(const struct qp *p)
{
	return p->state == IBV_QPS_RTR || p->state == IBV_QPS_RTS || p->state == IBV_QPS_SQD || p->state == IBV_QPS_SQE;
}

static bool has_gid(const struct qp *p, const uint8_t *gid)
{
	return p->o.ctx->dev == gid_owner(gid);
}

static bool takes_datagram(const struct qp *p, const struct request *r)
{
	return p && p->type == IBV_QPT_UD && receives(p) && !fault_cuts(p->o.ctx->dev) && p->at.qkey == r->qkey;
}

// takes_message reports whether a queue pair is the other end of the one that sends.
static bool takes_message(const struct qp *p, const struct source *from, const struct target *to, const struct request *r)
{
	const int type = from->type == IBV_QPT_XRC_SEND ? IBV_QPT_XRC_RECV : from->type;

	if (p && fault_cuts(p->o.ctx->dev))
		return false;
	if (type == IBV_QPT_DRIVER) // SRD and DC: each request names its queue pair
		return p && p->type == type && !p->only_sends && receives(p) && p->at.qkey == r->qkey && p->dc_key == r->dc_key &&
			has_gid(p, to->gid);
	return p && p->type == type && receives(p) && p->at.dest_qp_num == from->number && has_gid(p, to->gid) &&
		(!is_reliable(from->type) || p->at.rq_psn == from->psn);
}

struct group {
	const struct source *from;
	struct request *r;
};

static void to_member(struct qp *p, void *arg)
{
	const struct group *c = arg;

	if ((p->number == c->from->number && p->no_loopback) || !takes_datagram(p, c->r))
		return;
	for (int i = 0; i < p->ngroups; i++)
		if (!memcmp(p->groups[i], c->r->gid, 16)) {
			responder_do(p, c->from, c->r);
			return;
		}
}

static void datagram(struct qp *p, const struct source *from, struct request *r)
{
	if (is_multicast(r))
		net_each(to_member, &(struct group){from, r});
	else if (takes_datagram(p, r) && has_gid(p, r->gid))
		responder_do(p, from, r);
}

static int deliver(const struct source *from, const struct target *to, struct request *r, uint32_t *rnr_timer)
{
	struct qp *p = net_find(to->number);
	int status;

	if (from->type == IBV_QPT_UD) {
		datagram(p, from, r);
		return IBV_WC_SUCCESS;
	}
	if (from->type == IBV_QPT_RAW_PACKET) {
		frame_arrive(r);
		return IBV_WC_SUCCESS;
	}
	if (!takes_message(p, from, to, r))
		return SILENCE;
	status = responder_do(p, from, r);
	if (status == NOT_READY)
		*rnr_timer = p->at.min_rnr_timer;
	else if (status == IBV_WC_SUCCESS && is_reliable(from->type))
		p->at.rq_psn = (p->at.rq_psn + from->packets) & PSN;
	return status;
}

int arrive(const struct source *from, const struct target *to, struct request *r, uint32_t *rnr_timer)
{
	const int status = deliver(from, to, r, rnr_timer);

	if (from->type != IBV_QPT_RAW_PACKET)
		pcap_message(from, to, r, status, rnr_timer ? *rnr_timer : 0);
	return status;
}

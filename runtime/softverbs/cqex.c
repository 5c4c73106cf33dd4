//go:build linux && cgo

// Extended completion queues: which fields can be read is decided when one is made, and the functions of the others are NULL, as
// with real providers. soft-RoCE has the standard fields; mlx5 times, VLANs and flow tags too, and can ignore overruns.

#include "entry.h"
#include "completion.h"
#include "domain.h"

enum {
	STANDARD = IBV_WC_STANDARD_FLAGS,
	MORE = STANDARD | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK | IBV_WC_EX_WITH_CVLAN |
		    IBV_WC_EX_WITH_FLOW_TAG,
};

static struct svb_cq *of(struct ibv_cq_ex *ex) { return (struct svb_cq *)((char *)ex - offsetof(struct svb_cq, ex)); }

// advance makes the oldest entry the current one.
static int advance(struct ibv_cq_ex *ex, int verb)
{
	int err;
	struct svb_cq *cq = svb_begin((struct ibv_cq *)ex, SVB_T_CQ, verb, &err);

	if (!err && !cq->count)
		err = ENOENT;
	if (!err) {
		svb_dequeue(cq, &cq->current);
		ex->status = cq->current.wc.status;
		ex->wr_id = cq->current.wc.wr_id;
	}
	svb_unlock_all();
	return err;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	int err;

	if (attr->comp_mask)
		return EINVAL;
	pthread_mutex_lock(&of(ex)->polling);
	err = advance(ex, SVB_START_POLL);
	if (err)
		pthread_mutex_unlock(&of(ex)->polling);
	return err;
}

static int next_poll(struct ibv_cq_ex *ex) { return advance(ex, SVB_NEXT_POLL); }

static void end_poll(struct ibv_cq_ex *ex)
{
	pthread_mutex_unlock(&of(ex)->polling);
}

// The fields that are there if they were asked for: their flag, member and type, and its value of an entry c.
#define FIELDS(field) \
	field(BYTE_LEN, read_byte_len, uint32_t, c->wc.byte_len) \
	field(IMM, read_imm_data, __be32, c->wc.imm_data) \
	field(QP_NUM, read_qp_num, uint32_t, c->wc.qp_num) \
	field(SRC_QP, read_src_qp, uint32_t, c->wc.src_qp) \
	field(SLID, read_slid, uint32_t, c->wc.slid) \
	field(SL, read_sl, uint8_t, c->wc.sl) \
	field(DLID_PATH_BITS, read_dlid_path_bits, uint8_t, c->wc.dlid_path_bits) \
	field(COMPLETION_TIMESTAMP, read_completion_ts, uint64_t, c->at / 4) /* the clock has 250 MHz */ \
	field(COMPLETION_TIMESTAMP_WALLCLOCK, read_completion_wallclock_ns, uint64_t, c->at) \
	field(CVLAN, read_cvlan, uint16_t, 0) \
	field(FLOW_TAG, read_flow_tag, uint32_t, c->tag)

#define READER(flag, member, type, value)                        \
	static type member(struct ibv_cq_ex *ex)                 \
	{                                                        \
		const struct svb_cqe *c = &of(ex)->current;      \
		(void)c;                                         \
		return value;                                    \
	}
FIELDS(READER)
READER(, read_opcode, enum ibv_wc_opcode, c->wc.opcode)
READER(, read_vendor_err, uint32_t, c->wc.vendor_err)
READER(, read_wc_flags, unsigned int, c->wc.wc_flags)

// give sets the functions that were asked for.
static void give(struct ibv_cq_ex *ex, uint64_t asked)
{
#define GIVE(flag, member, type, value)        \
	if (asked & IBV_WC_EX_WITH_##flag)     \
		ex->member = member;
	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
	FIELDS(GIVE)
}

// careless tells whether overruns are to be ignored.
static bool careless(const struct ibv_cq_init_attr_ex *a)
{
	return a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS && a->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
}

static bool is_parent(const struct ibv_pd *pub)
{
	const struct svb_pd *pd = pub ? svb_live(pub, SVB_T_PD) : NULL;

	return pd && pd->inner;
}

static int check(struct ibv_context *pub, const struct ibv_cq_init_attr_ex *a)
{
	SVB_LOCKED;
	const struct svb_ctx *c = svb_live(pub, SVB_T_CTX);

	if (!c)
		return EINVAL;
	if (a->wc_flags & ~(uint64_t)(c->dev->cfg.plain_cq_ex ? STANDARD : MORE))
		return EOPNOTSUPP;
	if (c->dev->cfg.mlx5 && (a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) && a->flags >> 2)
		return EINVAL;
	if (c->dev->cfg.plain_cq_ex && careless(a))
		return EOPNOTSUPP;
	if (c->dev->cfg.mlx5 && a->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD && !is_parent(a->parent_domain))
		return EINVAL;
	return a->comp_mask & ~(uint32_t)(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD) ? EINVAL : 0;
}

struct ibv_cq_ex *svb_create_cq_ex(struct ibv_context *pub, struct ibv_cq_init_attr_ex *attr)
{
	const int err = check(pub, attr);
	struct svb_cq *cq = err ? svb_null(err) : svb_make_cq(pub, attr, SVB_CREATE_CQ_EX);

	if (!cq)
		return NULL;
	cq->careless = careless(attr);
	give(&cq->ex, attr->wc_flags);
	return &cq->ex;
}

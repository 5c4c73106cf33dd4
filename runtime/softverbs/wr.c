//go:build linux && cgo

// Posting to extended queue pairs as a stream of commands. The builders lay requests down where they wait for the end of
// the stream; then all are posted or none. What was not asked for has no builder, as with real providers.

#include "entry.h"
#include "qp.h"

struct svb_stream {
	pthread_mutex_t open; // from wr_start to wr_complete or wr_abort
	uint32_t room, sges, inlines; // requests; elements and bytes of each
	uint32_t n;
	int err; // of a builder
	struct ibv_send_wr *wrs;
	struct ibv_sge *list; // sges for each request
	char *data;           // inlines for each request
};

void svb_stream_free(struct svb_stream *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->open);
	free(s->wrs);
	free(s->list);
	free(s->data);
	free(s);
}

static struct svb_stream *stream_of(const struct ibv_qp_cap *cap)
{
	struct svb_stream *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	pthread_mutex_init(&s->open, NULL);
	s->room = cap->max_send_wr;
	s->sges = cap->max_send_sge;
	s->inlines = cap->max_inline_data;
	s->wrs = calloc((size_t)s->room + 1, sizeof *s->wrs);
	s->list = calloc((size_t)s->room * s->sges + 1, sizeof *s->list);
	s->data = calloc((size_t)s->room * s->inlines + 1, 1);
	if (s->wrs && s->list && s->data)
		return s;
	svb_stream_free(s);
	return NULL;
}

static struct svb_qp *of(struct ibv_qp_ex *ex) { return (struct svb_qp *)((char *)ex - offsetof(struct svb_qp, ex)); }
static struct svb_stream *in(struct ibv_qp_ex *ex) { return of(ex)->stream; }

static void start(struct ibv_qp_ex *ex)
{
	pthread_mutex_lock(&in(ex)->open);
	in(ex)->n = 0;
	in(ex)->err = 0;
}

static void abort_stream(struct ibv_qp_ex *ex) { pthread_mutex_unlock(&in(ex)->open); }

static int complete(struct ibv_qp_ex *ex)
{
	struct svb_stream *s = in(ex);
	uint32_t i;
	int err = s->err;

	for (i = 0; i + 1 < s->n; i++)
		s->wrs[i].next = &s->wrs[i + 1];
	if (!err && s->n)
		err = svb_post_all(of(ex), s->wrs, s->n, SVB_WR_COMPLETE);
	pthread_mutex_unlock(&s->open);
	return err;
}

// fails keeps the first error of the builders, which the end of the stream answers. What is too much is ENOSPC to soft-RoCE.
static void fails(struct ibv_qp_ex *ex)
{
	if (!in(ex)->err)
		in(ex)->err = of(ex)->dev->cfg.mlx5 ? ENOMEM : ENOSPC;
}

// begin lays down one more request. When there is no room, it is one that nobody posts.
static struct ibv_send_wr *begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	struct svb_stream *s = in(ex);
	struct ibv_send_wr *w = &s->wrs[s->n];

	if (s->n != s->room)
		s->n++;
	else
		fails(ex);
	memset(w, 0, sizeof *w);
	w->wr_id = ex->wr_id;
	w->opcode = opcode;
	w->send_flags = ex->wr_flags & ~(unsigned int)IBV_SEND_INLINE;
	return w;
}

// place is the number of the request that a setter is for. A setter before the first request changes one that nobody posts.
static size_t place(const struct svb_stream *s) { return s->n ? s->n - 1 : 0; }
static struct ibv_send_wr *last(struct svb_stream *s) { return &s->wrs[place(s)]; }

static struct ibv_send_wr *rdma(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr)
{
	struct ibv_send_wr *w = begin(ex, opcode);

	w->wr.rdma.remote_addr = addr;
	w->wr.rdma.rkey = rkey;
	return w;
}

static void send_(struct ibv_qp_ex *ex) { begin(ex, IBV_WR_SEND); }
static void send_imm(struct ibv_qp_ex *ex, __be32 imm) { begin(ex, IBV_WR_SEND_WITH_IMM)->imm_data = imm; }
static void send_inv(struct ibv_qp_ex *ex, uint32_t rkey) { begin(ex, IBV_WR_SEND_WITH_INV)->invalidate_rkey = rkey; }
static void bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	struct ibv_send_wr *w = begin(ex, IBV_WR_BIND_MW);

	w->bind_mw.mw = mw;
	w->bind_mw.rkey = rkey;
	w->bind_mw.bind_info = *info;
}

static void local_inv(struct ibv_qp_ex *ex, uint32_t rkey) { begin(ex, IBV_WR_LOCAL_INV)->invalidate_rkey = rkey; }
static void rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr) { rdma(ex, IBV_WR_RDMA_WRITE, rkey, addr); }
static void rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr) { rdma(ex, IBV_WR_RDMA_READ, rkey, addr); }

static void rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	rdma(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr)->imm_data = imm;
}

static void atomic(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr, uint64_t compare_add, uint64_t swap)
{
	struct ibv_send_wr *w = begin(ex, opcode);

	w->wr.atomic.remote_addr = addr;
	w->wr.atomic.rkey = rkey;
	w->wr.atomic.compare_add = compare_add;
	w->wr.atomic.swap = swap;
}

static void cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap)
{
	atomic(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr, compare, swap);
}

static void fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	atomic(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr, add, 0);
}

static void flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, size_t length, uint8_t type, uint8_t level)
{
	atomic(ex, IBV_WR_FLUSH, rkey, addr, length, level);
	last(in(ex))->imm_data = type;
}

static void atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, const void *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof number);
	atomic(ex, IBV_WR_ATOMIC_WRITE, rkey, addr, number, 0);
}

static void set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ibv_send_wr *w = last(in(ex));

	w->wr.ud.ah = ah;
	w->wr.ud.remote_qpn = qpn;
	w->wr.ud.remote_qkey = qkey;
}

static void set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn) { last(in(ex))->qp_type.xrc.remote_srqn = srqn; }

static void set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *list)
{
	struct svb_stream *s = in(ex);
	struct ibv_send_wr *w = last(s);

	if (s->err)
		return;
	if (n > s->sges) {
		fails(ex);
		return;
	}
	w->sg_list = s->list + place(s) * s->sges;
	w->num_sge = (int)n;
	memcpy(w->sg_list, list, n * sizeof *list);
}

static void set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const struct ibv_sge one = {.addr = addr, .length = length, .lkey = lkey};

	set_sge_list(ex, 1, &one);
}

static void set_inline_data_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *bufs)
{
	struct svb_stream *s = in(ex);
	size_t i, total = 0;
	char *to;

	for (i = 0; i < n && bufs[i].length <= s->inlines - total; i++)
		total += bufs[i].length;
	if (i < n)
		fails(ex);
	if (s->err)
		return;
	to = s->data + place(s) * s->inlines;
	set_sge(ex, 0, (uintptr_t)to, (uint32_t)total);
	last(s)->send_flags |= IBV_SEND_INLINE;
	for (i = 0; i < n; to += bufs[i++].length)
		if (!svb_copy_host(bufs[i].addr, to, bufs[i].length, false))
			s->err = EFAULT;
}

static void set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	const struct ibv_data_buf one = {.addr = addr, .length = length};

	set_inline_data_list(ex, 1, &one);
}

// give sets the functions that were asked for.
static void give(struct ibv_qp_ex *ex, uint64_t asked)
{
#define GIVE(FLAG, MEMBER, FUNCTION)       \
	if (asked & IBV_QP_EX_WITH_##FLAG) \
	ex->MEMBER = FUNCTION
	ex->wr_start = start;
	ex->wr_complete = complete;
	ex->wr_abort = abort_stream;
	ex->wr_set_sge = set_sge;
	ex->wr_set_sge_list = set_sge_list;
	ex->wr_set_inline_data = set_inline_data;
	ex->wr_set_inline_data_list = set_inline_data_list;
	ex->wr_set_ud_addr = set_ud_addr;
	if (ex->qp_base.qp_type == IBV_QPT_XRC_SEND) // others name no shared receive queue: mlx5 and hns leave it out of them
		ex->wr_set_xrc_srqn = set_xrc_srqn;
	GIVE(SEND, wr_send, send_);
	GIVE(SEND_WITH_IMM, wr_send_imm, send_imm);
	GIVE(SEND_WITH_INV, wr_send_inv, send_inv);
	GIVE(LOCAL_INV, wr_local_inv, local_inv);
	GIVE(FLUSH, wr_flush, flush);
	GIVE(ATOMIC_WRITE, wr_atomic_write, atomic_write);
	GIVE(BIND_MW, wr_bind_mw, bind_mw);
	GIVE(RDMA_WRITE, wr_rdma_write, rdma_write);
	GIVE(RDMA_WRITE_WITH_IMM, wr_rdma_write_imm, rdma_write_imm);
	GIVE(RDMA_READ, wr_rdma_read, rdma_read);
	GIVE(ATOMIC_CMP_AND_SWP, wr_atomic_cmp_swp, cmp_swp);
	GIVE(ATOMIC_FETCH_AND_ADD, wr_atomic_fetch_add, fetch_add);
#undef GIVE
}

int svb_stream_make(struct svb_qp *qp, uint64_t asked)
{
	qp->stream = stream_of(&qp->cap);
	if (!qp->stream)
		return ENOMEM;
	give(&qp->ex, asked);
	return 0;
}

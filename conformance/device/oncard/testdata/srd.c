// Sends by SRD between two devices of efa, with the real libefa: many messages, by buffers and inline, with and without immediate data;
// one whose completion tells the GID of the source; one that finds no receive, and one to a queue pair that is not there. Reads memory of
// the other device, and memory that it does not offer. The first step that fails is named.
#include <infiniband/efadv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

#define CHECK(ok) do { if (!(ok)) { perror(#ok); exit(1); } } while (0)

enum { QKEY = 0x1d1d, ROUNDS = 100 };

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cqx; // the same
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	union ibv_gid gid;
	char buf[256];
};

static void modify(struct end *e, struct ibv_qp_attr attr, int mask)
{
	CHECK(!ibv_modify_qp(e->qp, &attr, mask | IBV_QP_STATE));
}

static void start(struct end *e)
{
	modify(e, (struct ibv_qp_attr){.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY}, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	modify(e, (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR}, 0);
	modify(e, (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS}, IBV_QP_SQ_PSN);
}

static void make(struct end *e, struct ibv_device *dev)
{
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_DRIVER, .sq_sig_all = 1,
		.cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 2, .max_inline_data = 32}};
	struct ibv_device_attr_ex attr;
	struct ibv_port_attr port;
	struct efadv_device_attr own;
	struct ibv_cq_init_attr_ex queue = {.cqe = 16, .wc_flags = IBV_WC_STANDARD_FLAGS};
	struct efadv_cq_init_attr wishes = {.wc_flags = EFADV_WC_EX_WITH_SGID};

	CHECK(e->ctx = ibv_open_device(dev));
	CHECK(!ibv_query_device_ex(e->ctx, NULL, &attr) && attr.orig_attr.vendor_id == 0x1d0f);
	CHECK(!efadv_query_device(e->ctx, &own, sizeof own) && own.max_sq_sge == 2 && own.inline_buf_size == 32);
	CHECK(!ibv_query_port(e->ctx, 1, &port) && port.state == IBV_PORT_ACTIVE && port.max_msg_sz > 4096);
	CHECK(!ibv_query_gid(e->ctx, 1, 0, &e->gid));
	CHECK(e->pd = ibv_alloc_pd(e->ctx));
	CHECK(!ibv_reg_mr(e->pd, e->buf, sizeof e->buf, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)); // efa allows no remote writing
	CHECK(e->mr = ibv_reg_mr(e->pd, e->buf, sizeof e->buf, IBV_ACCESS_LOCAL_WRITE));
	CHECK(e->cqx = efadv_create_cq(e->ctx, &queue, &wishes, sizeof wishes));
	e->cq = ibv_cq_ex_to_cq(e->cqx);
	init.send_cq = init.recv_cq = e->cq;
	CHECK(e->qp = efadv_create_driver_qp(e->pd, &init, EFADV_QP_DRIVER_TYPE_SRD));
	start(e);
}

static struct ibv_wc await(struct end *e)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(e->cq, 1, &wc)))
		;
	CHECK(n == 1);
	return wc;
}

static enum ibv_wc_status post(struct end *e, struct ibv_ah *ah, uint32_t qpn, int round)
{
	struct ibv_sge sge[2] = {{(uintptr_t)e->buf, 10, e->mr->lkey}, {(uintptr_t)e->buf + 100, 7, e->mr->lkey}};
	struct ibv_send_wr *bad, wr = {.wr_id = (uint64_t)round, .sg_list = sge, .num_sge = 2, .opcode = IBV_WR_SEND};
	struct ibv_wc wc;

	if (round % 2)
		wr.send_flags = IBV_SEND_INLINE;
	if (round % 3 == 0) {
		wr.opcode = IBV_WR_SEND_WITH_IMM;
		wr.imm_data = htonl((uint32_t)round);
	}
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = QKEY;
	memset(e->buf, 'a' + round % 26, 10);
	memset(e->buf + 100, 'A' + round % 26, 7);
	CHECK(!ibv_post_send(e->qp, &wr, &bad));
	wc = await(e);
	CHECK(wc.wr_id == (uint64_t)round && wc.opcode == IBV_WC_SEND && wc.qp_num == e->qp->qp_num);
	return wc.status;
}

static void round_trip(struct end *a, struct end *b, struct ibv_ah *ah, int round)
{
	struct ibv_sge sge[2] = {{(uintptr_t)b->buf, 5, b->mr->lkey}, {(uintptr_t)b->buf + 50, 60, b->mr->lkey}};
	struct ibv_recv_wr *bad, wr = {.wr_id = (uint64_t)(1000 + round), .sg_list = sge, .num_sge = 2};
	struct ibv_wc wc;

	CHECK(!ibv_post_recv(b->qp, &wr, &bad));
	CHECK(post(a, ah, b->qp->qp_num, round) == IBV_WC_SUCCESS);
	wc = await(b);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV && wc.wr_id == (uint64_t)(1000 + round));
	CHECK(wc.byte_len == 17 && wc.src_qp == a->qp->qp_num);
	CHECK(!memcmp(b->buf, a->buf, 5) && !memcmp(b->buf + 50, a->buf + 5, 5) && !memcmp(b->buf + 55, a->buf + 100, 7));
	CHECK(round % 3 ? !(wc.wc_flags & IBV_WC_WITH_IMM) : wc.wc_flags & IBV_WC_WITH_IMM && ntohl(wc.imm_data) == (uint32_t)round);
}

// source sends a message whose receiver asks where it came from.
static void source(struct end *a, struct end *b, struct ibv_ah *ah)
{
	struct ibv_sge sge = {(uintptr_t)b->buf, 64, b->mr->lkey};
	struct ibv_recv_wr *bad, wr = {.sg_list = &sge, .num_sge = 1};
	struct ibv_poll_cq_attr attr = {0};
	union ibv_gid gid;

	CHECK(!ibv_post_recv(b->qp, &wr, &bad));
	CHECK(post(a, ah, b->qp->qp_num, 0) == IBV_WC_SUCCESS);
	while (ibv_start_poll(b->cqx, &attr))
		;
	CHECK(!efadv_wc_read_sgid(efadv_cq_from_ibv_cq_ex(b->cqx), &gid) && !memcmp(&gid, &a->gid, sizeof gid));
	ibv_end_poll(b->cqx);
}

// reads reads memory of b by a queue pair that can.
static void reads(struct end *a, struct end *b, struct ibv_ah *ah)
{
	static char from[20000], to[sizeof from]; // more than the MTU
	struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_DRIVER, .sq_sig_all = 1, .send_cq = a->cq, .recv_cq = a->cq, .pd = a->pd,
		.cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags = IBV_QP_EX_WITH_RDMA_READ};
	struct efadv_qp_init_attr own = {.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD};
	struct ibv_mr *local, *remote, *hidden;
	struct ibv_wc wc;
	struct end e = *a;

	for (size_t i = 0; i < sizeof from; i++)
		from[i] = (char)(i * 7);
	CHECK(local = ibv_reg_mr(a->pd, to, sizeof to, IBV_ACCESS_LOCAL_WRITE));
	CHECK(remote = ibv_reg_mr(b->pd, from, sizeof from, IBV_ACCESS_REMOTE_READ));
	CHECK(hidden = ibv_reg_mr(b->pd, from, sizeof from, IBV_ACCESS_LOCAL_WRITE));
	CHECK(e.qp = efadv_create_qp_ex(a->ctx, &init, &own, sizeof own));
	start(&e);
	for (int i = 0; i < 2; i++) {
		struct ibv_qp_ex *x = ibv_qp_to_qp_ex(e.qp);

		ibv_wr_start(x);
		x->wr_id = (uint64_t)i;
		ibv_wr_rdma_read(x, i ? hidden->rkey : remote->rkey, (uintptr_t)from);
		ibv_wr_set_ud_addr(x, ah, b->qp->qp_num, QKEY);
		ibv_wr_set_sge(x, local->lkey, (uintptr_t)to, sizeof to);
		CHECK(!ibv_wr_complete(x));
		wc = await(&e);
		CHECK(wc.wr_id == (uint64_t)i && wc.status == (i ? IBV_WC_GENERAL_ERR : IBV_WC_SUCCESS) && wc.vendor_err == (i ? 7 : 0));
	}
	CHECK(!memcmp(from, to, sizeof from));
	CHECK(!ibv_destroy_qp(e.qp) && !ibv_dereg_mr(local) && !ibv_dereg_mr(remote) && !ibv_dereg_mr(hidden));
}

int main(void)
{
	static struct end a, b;
	struct ibv_ah_attr way = {.is_global = 1, .port_num = 1};
	struct ibv_device **list;
	struct ibv_ah *ah;
	int n;

	CHECK((list = ibv_get_device_list(&n)) && n == 2);
	make(&a, list[0]);
	make(&b, list[1]);
	way.grh.dgid = b.gid;
	CHECK(ah = ibv_create_ah(a.pd, &way));
	for (int i = 0; i < ROUNDS; i++)
		round_trip(&a, &b, ah, i);
	source(&a, &b, ah);
	reads(&a, &b, ah);
	CHECK(post(&a, ah, b.qp->qp_num, 1) == IBV_WC_RNR_RETRY_EXC_ERR);
	CHECK(post(&a, ah, 0x3000, 2) == IBV_WC_REM_INV_RD_REQ_ERR);
	round_trip(&a, &b, ah, 3);
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(a.qp) && !ibv_destroy_cq(a.cq));
	CHECK(!ibv_dereg_mr(a.mr) && !ibv_dealloc_pd(a.pd) && !ibv_close_device(a.ctx));
	puts("all arrived");
	return 0;
}

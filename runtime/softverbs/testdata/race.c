// A program for the race detectors of C: threads that make and end objects of one context while the peer
// writes. Before that it makes mistakes that bindings refuse. It prints "ok" when every call did what it should. See race_test.go.
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control.h"
#include "entry.h"
#include "objects.h"
#include "peer.h"

#define ROUNDS 20
#define MUST(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, #cond); \
			_exit(1); \
		} \
	} while (0)

static int slot;
static struct svb_peer *peer;
static struct ibv_context *ctx;

static char *map(size_t n)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	MUST(p != MAP_FAILED);
	return p;
}

static void host_region(struct ibv_pd *pd, char *m, int round)
{
	struct ibv_mr *mr = svb_reg_mr(pd, m, 65536, 15);
	uint64_t old;
	char buf[64];

	MUST(mr);
	memset(buf, round, sizeof buf);
	MUST(svb_peer_op(peer, SVB_RDMA_WRITE, mr->rkey, (uint64_t)(uintptr_t)m, buf, sizeof buf, 0, 0, &old) == 0);
	MUST(svb_peer_op(peer, SVB_RDMA_FETCH_ADD, mr->rkey, (uint64_t)(uintptr_t)m + 64, NULL, 0, 1, 0, &old) == 0);
	if (round % 3 == 0)
		MUST(svb_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, m + 4096, 4096, 0) == 0);
	MUST(svb_dereg_mr(mr) == 0);
}

static void device_region(struct ibv_pd *pd)
{
	struct ibv_alloc_dm_attr a = {.length = 4096};
	struct ibv_dm *dm = svb_alloc_dm(ctx, &a);
	struct ibv_mr *mr;
	uint64_t old;
	char buf[64];

	MUST(dm);
	mr = svb_reg_dm_mr(pd, dm, 0, 4096, IBV_ACCESS_ZERO_BASED | 15);
	MUST(mr);
	MUST(svb_peer_op(peer, SVB_RDMA_READ, mr->rkey, 0, buf, sizeof buf, 0, 0, &old) == 0);
	MUST(svb_dereg_mr(mr) == 0);
	MUST(svb_free_dm(dm) == 0);
}

static void second_context(const struct ibv_pd *pd)
{
	struct ibv_context *c = svb_import_device(slot, dup(ctx->cmd_fd));
	struct ibv_pd *imported;

	MUST(c);
	imported = svb_import_pd(c, pd->handle);
	MUST(imported);
	svb_unimport_pd(imported);
	MUST(svb_close_device(c) == 0);
}

#define TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define TO_RTR (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | \
		IBV_QP_MIN_RNR_TIMER)
#define TO_RTS (IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

// to_itself makes a queue pair, and the attributes with which it is its own other end.
static struct ibv_qp *to_itself(struct ibv_pd *pd, struct ibv_cq *cq, struct ibv_qp_attr *a)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = cq, .recv_cq = cq, .cap = {.max_send_wr = 7, .max_recv_wr = 7, .max_send_sge = 2, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_FLUSH,
	};
	struct ibv_qp *qp = svb_create_qp_ex(pd->context, &init);

	MUST(qp);
	*a = (struct ibv_qp_attr){
		.port_num = 1, .qp_access_flags = 15 | IBV_ACCESS_FLUSH_GLOBAL, .path_mtu = IBV_MTU_1024, .timeout = 10,
		.ah_attr = {.is_global = 1, .port_num = 1}, .max_rd_atomic = 1, .max_dest_rd_atomic = 1, .rnr_retry = 7,
		.retry_cnt = 7, .min_rnr_timer = 1, .dest_qp_num = qp->qp_num,
	};
	MUST(svb_query_gid(pd->context, 1, 0, &a->ah_attr.grh.dgid) == 0);
	return qp;
}

static int step(struct ibv_qp *qp, struct ibv_qp_attr *a, enum ibv_qp_state state, int mask)
{
	a->qp_state = state;
	return svb_modify_qp(qp, a, mask);
}

static struct ibv_qp *connect_self(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_attr a;
	struct ibv_qp *qp = to_itself(pd, cq, &a);

	MUST(step(qp, &a, IBV_QPS_INIT, TO_INIT) == 0 && step(qp, &a, IBV_QPS_RTR, TO_RTR) == 0 && step(qp, &a, IBV_QPS_RTS, TO_RTS) == 0);
	return qp;
}

// drain takes n completions by event; without may_fail all of them are successes.
static void drain(struct ibv_comp_channel *ch, struct ibv_cq *cq, int n, bool may_fail)
{
	struct ibv_wc wc[4];
	struct ibv_cq *from;
	void *arg;
	int i, got;

	while (n) {
		MUST(svb_req_notify_cq(cq, 0) == 0);
		got = svb_poll_cq(cq, 4, wc);
		MUST(got >= 0);
		for (i = 0; i < got; i++)
			MUST(may_fail || wc[i].status == IBV_WC_SUCCESS);
		n -= got;
		if (got || !n)
			continue;
		MUST(svb_get_cq_event(ch, &from, &arg) == 0 && from == cq);
		svb_ack_cq_events(cq, 1);
	}
}

static void queues(struct ibv_pd *pd, char *m, bool flushed)
{
	struct ibv_comp_channel *ch = svb_create_comp_channel(ctx);
	struct ibv_cq *cq = svb_create_cq(ctx, 31, NULL, ch, 0);
	struct ibv_mr *mr = svb_reg_mr(pd, m, 65536, 15);
	struct ibv_qp *qp = connect_self(pd, cq);
	struct ibv_sge from = {.addr = (uintptr_t)m, .length = 8, .lkey = mr->lkey};
	struct ibv_sge to = {.addr = (uintptr_t)m + 4096, .length = 8, .lkey = mr->lkey};
	struct ibv_recv_wr r = {.sg_list = &to, .num_sge = 1}, *bad_recv;
	struct ibv_send_wr s[2] = {
		{.next = &s[1], .sg_list = &from, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED},
		{.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED},
	}, *bad_send;
	struct ibv_qp_attr err = {.qp_state = IBV_QPS_ERR};
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr init;

	s[0].wr.rdma.remote_addr = to.addr;
	s[0].wr.rdma.rkey = mr->rkey;
	MUST(ch && cq && mr);
	MUST(svb_post_send(qp, s, &bad_send) == 0); // before there is a receive, as a rule
	MUST(svb_post_recv(qp, &r, &bad_recv) == 0);
	if (flushed)
		MUST(svb_modify_qp(qp, &err, IBV_QP_STATE) == 0);
	MUST(svb_query_qp(qp, &a, 0, &init) == 0);
	drain(ch, cq, 3, flushed);
	MUST(svb_post_recv(qp, &r, &bad_recv) == 0);
	MUST(svb_destroy_qp(qp) == 0);
	MUST(svb_destroy_cq(cq) == 0);
	MUST(svb_destroy_comp_channel(ch) == 0);
	MUST(svb_dereg_mr(mr) == 0);
}

// wraps posts requests whose lengths count more than their type holds: none may begin anew at 0.
static void wraps(struct ibv_pd *pd, char *m)
{
	struct ibv_cq *cq = svb_create_cq(ctx, 31, NULL, NULL, 0);
	struct ibv_mr *mr = svb_reg_mr(pd, m, 4096, 15 | IBV_ACCESS_FLUSH_GLOBAL);
	struct ibv_qp *qp = connect_self(pd, cq);
	struct ibv_qp_ex *ex = svb_qp_to_qp_ex(qp);
	struct ibv_data_buf parts[] = {{.addr = m, .length = SIZE_MAX}, {.addr = m, .length = 9}}; // 8 in a size_t
	struct ibv_sge sums[] = {{.addr = (uintptr_t)m, .length = 4096}, {.addr = (uintptr_t)m, .length = UINT32_MAX - 4095 + 8}};
	struct ibv_send_wr s = {.sg_list = sums, .num_sge = 2, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_INLINE}, *bad;
	struct ibv_wc wc;

	MUST(cq && mr && ex);
	ex->wr_start(ex);
	ex->wr_flags = 0;
	ex->wr_set_inline_data_list(ex, 1, parts + 1); // of no request
	ex->wr_rdma_write(ex, mr->rkey, (uintptr_t)m);
	ex->wr_set_inline_data_list(ex, 2, parts);
	MUST(ex->wr_complete(ex) == ENOSPC);
	MUST(svb_post_send(qp, &s, &bad) == EINVAL && bad == &s);
	ex->wr_start(ex);
	ex->wr_flags = IBV_SEND_SIGNALED;
	ex->wr_flush(ex, mr->rkey, (uintptr_t)m, ((size_t)1 << 32) + 64, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
	MUST(ex->wr_complete(ex) == 0);
	while (svb_poll_cq(cq, 1, &wc) == 0)
		usleep(100);
	MUST(wc.status == IBV_WC_REM_ACCESS_ERR);
	MUST(svb_destroy_qp(qp) == 0 && svb_destroy_cq(cq) == 0 && svb_dereg_mr(mr) == 0);
}

// edge posts a request of two equal elements on a queue pair of its own. The completion of one whose elements are not in the region is no
// success, whatever their sum is in 32 or 64 bits.
static void edge(struct ibv_pd *pd, const struct ibv_mr *mr, enum ibv_wr_opcode op, unsigned flags, uint64_t addr, uint32_t length)
{
	struct ibv_cq *cq = svb_create_cq(ctx, 31, NULL, NULL, 0);
	struct ibv_qp *qp = connect_self(pd, cq);
	struct ibv_sge two[] = {{.addr = addr, .length = length, .lkey = mr->lkey}, {.addr = addr, .length = length, .lkey = mr->lkey}};
	struct ibv_sge in = {.addr = addr, .length = length, .lkey = mr->lkey};
	struct ibv_recv_wr r = {.sg_list = &in, .num_sge = 1}, *bad_recv;
	struct ibv_send_wr s = {.sg_list = two, .num_sge = 2, .opcode = op, .send_flags = flags | IBV_SEND_SIGNALED}, *bad_send;
	bool inside = length <= 8 && addr == (uintptr_t)mr->addr, sent = false;
	struct ibv_wc wc;

	s.wr.rdma.rkey = mr->rkey;
	s.wr.rdma.remote_addr = addr;
	MUST(cq && svb_post_recv(qp, &r, &bad_recv) == 0);
	if (svb_post_send(qp, &s, &bad_send) == 0) {
		while (!sent) {
			if (svb_poll_cq(cq, 1, &wc) == 0)
				usleep(100);
			else
				sent = !(wc.opcode & IBV_WC_RECV);
		}
		MUST(inside || !length || wc.status != IBV_WC_SUCCESS);
	}
	MUST(svb_destroy_qp(qp) == 0 && svb_destroy_cq(cq) == 0);
}

// edges goes through lengths and addresses near 2^31, 2^32 and 2^64. Inline data is read where it is, so that its address is one of memory.
static void edges(struct ibv_pd *pd, char *m)
{
	static const uint32_t lengths[] = {0, 8, 4097, INT32_MAX, (uint32_t)INT32_MAX + 1, UINT32_MAX - 4095, UINT32_MAX};
	static const enum ibv_wr_opcode ops[] = {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND};
	struct ibv_mr *mr = svb_reg_mr(pd, m, 4096, 15);
	const uint64_t addrs[] = {(uintptr_t)m - 4, (uintptr_t)m, (uintptr_t)m + 4095, INT64_MAX, UINT64_MAX - 7, UINT64_MAX};
	size_t i, j, k;
	char byte = 0;

	MUST(mr);
	for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		for (j = 0; j < sizeof ops / sizeof *ops; j++)
			for (k = 0; k < sizeof addrs / sizeof *addrs; k++)
				edge(pd, mr, ops[j], 0, addrs[k], lengths[i]);
		edge(pd, mr, IBV_WR_RDMA_WRITE, IBV_SEND_INLINE, (uintptr_t)m, lengths[i]);
		for (k = 0; k < sizeof addrs / sizeof *addrs; k++) {
			uint64_t old, n = lengths[i] > 4097 ? 1 : lengths[i];
			char *buf = calloc(1, n + 1);
			int status = svb_peer_op(peer, SVB_RDMA_WRITE, mr->rkey, addrs[k], buf, n, 0, 0, &old);

			free(buf);
			MUST(!n || (status == 0) == (addrs[k] >= (uintptr_t)m && addrs[k] + n <= (uintptr_t)m + 4096 && addrs[k] + n > addrs[k]));
		}
	}
	MUST(!svb_reg_mr(pd, m, 0, 15) && !svb_reg_mr(pd, &byte, SIZE_MAX, 15) &&
	      !svb_reg_mr(pd, (void *)(UINTPTR_MAX - 7), 16, 15));
	MUST(svb_dereg_mr(mr) == 0);
}

static void *work(void *arg)
{
	struct ibv_port_attr port;
	struct ibv_pd *pd;
	char *m = map(65536);
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		pd = svb_alloc_pd(ctx);
		MUST(pd);
		host_region(pd, m, i);
		device_region(pd);
		queues(pd, m, i % 4 == 3);
		if (i % 5 == 0)
			second_context(pd);
		free(svb_report(slot)); // reads every object there is
		MUST(svb_arm(slot, SVB_QUERY_PORT, 1, EIO) == 0);
		(void)svb_query_port_op(ctx, 1, &port, sizeof port);
		MUST(svb_dealloc_pd(pd) == 0);
	}
	return NULL;
}

// instance returns the slot of a new instance whose verbs_context lacks the newest operations, and opens its device.
static int instance(struct ibv_context **opened, size_t lacking)
{
	struct svb_devcfg d = {
		.name = "soft0", .max_dm_size = 1 << 20, .dm_max_log_align = 12, .dm_copy_align = 4, .dm_mr_align = 1,
		.max_mr_size = 1ull << 40, .atomic_cap = IBV_ATOMIC_HCA, .ports = 1, .max_msg_sz = 1u << 31, .cap_flags = 1ull << 38,
	};
	struct svb_config cfg = {
		.ndevs = 1, .devs = &d, .port_attr_size = sizeof(struct ibv_port_attr),
		.vctx_size = sizeof(struct verbs_context) - lacking * sizeof(void *),
	};
	struct ibv_device **list;
	int new = svb_new(&cfg);

	MUST(new >= 0);
	list = svb_get_device_list(new, NULL);
	MUST(list && svb_close(new) == EBUSY);
	*opened = svb_open_device(list[0]);
	svb_free_device_list(list);
	MUST(*opened);
	return new;
}

#define REFUSED(call) MUST(!(call) && errno == EINVAL)

// strangers passes objects of one context to verbs on another, and ends an object twice.
static void strangers(struct ibv_pd *pd, char *m)
{
	struct ibv_context *other = svb_open_device(ctx->device);
	struct ibv_alloc_dm_attr size = {.length = 64};
	struct ibv_dm *dm = svb_alloc_dm(other, &size);
	struct ibv_comp_channel *ch = svb_create_comp_channel(other);
	struct ibv_cq *cq = svb_create_cq(ctx, 4, NULL, NULL, 0), *foreign = svb_create_cq(other, 4, NULL, ch, 0);
	struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = foreign, .qp_type = IBV_QPT_RC};
	struct ibv_ah_attr to = {.is_global = 1, .port_num = 1};
	struct ibv_mr *mr = svb_reg_mr(pd, m, 64, 0);
	struct ibv_ah *ah;

	MUST(dm && ch && cq && foreign && mr && svb_query_gid(ctx, 1, 0, &to.grh.dgid) == 0);
	REFUSED(svb_reg_dm_mr(pd, dm, 0, 64, IBV_ACCESS_ZERO_BASED));
	REFUSED(svb_create_cq(ctx, 4, NULL, ch, 0));
	REFUSED(svb_create_qp(pd, &init));
	MUST(!svb_import_pd(ctx, 1000) && errno == ENOENT);
	ah = svb_create_ah(pd, &to);
	MUST(ah && svb_destroy_ah(ah) == 0 && svb_destroy_ah(ah) == EINVAL);
	MUST(svb_dereg_mr(mr) == 0 && svb_dereg_mr(mr) == EINVAL);
	MUST(svb_destroy_cq(cq) == 0 && svb_destroy_cq(foreign) == 0 && svb_destroy_comp_channel(ch) == 0 && svb_free_dm(dm) == 0);
	MUST(svb_close_device(other) == 0);
}

// odd passes values that no verb has a meaning for.
static void odd(struct ibv_pd *pd)
{
	static const struct {
		int type, answer;
	} types[] = {
		{0, EINVAL}, {5, EINVAL}, {10, EINVAL}, {IBV_QPT_RAW_PACKET, EPERM}, {IBV_QPT_XRC_SEND, EOPNOTSUPP}, {IBV_QPT_DRIVER, EOPNOTSUPP},
	};
	struct ibv_cq *cq = svb_create_cq(ctx, 4, NULL, NULL, 0);
	struct ibv_qp_attr a;
	struct ibv_qp *qp = to_itself(pd, cq, &a);
	size_t i;

	MUST(step(qp, &a, IBV_QPS_INIT, TO_INIT) == 0);
	a.path_mtu = 6;
	MUST(step(qp, &a, IBV_QPS_RTR, TO_RTR) == EINVAL);
	a.path_mtu = 0;
	MUST(step(qp, &a, IBV_QPS_RTR, TO_RTR) == 0 && step(qp, &a, IBV_QPS_RTS, TO_RTS | IBV_QP_RATE_LIMIT) == EOPNOTSUPP);
	for (i = 0; i < sizeof types / sizeof *types; i++) {
		struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = (enum ibv_qp_type)types[i].type};

		MUST(!svb_create_qp(pd, &init) && errno == types[i].answer);
	}
	MUST(svb_destroy_qp(qp) == 0 && svb_destroy_cq(cq) == 0);
}

// sizes queries into structs of older and newer releases.
static void sizes(void)
{
	struct {
		struct ibv_device_attr_ex attr;
		char newer[64];
	} d;
	struct ibv_query_device_ex_input in = {.comp_mask = 0};
	union {
		struct ibv_port_attr attr;
		unsigned char bytes[64];
	} p;
	size_t least = offsetof(struct ibv_device_attr_ex, phys_port_cnt_ex);

	MUST(svb_query_device_ex(ctx, &in, &d.attr, sizeof d) == 0);
	memset(&d, 0xee, sizeof d);
	MUST(svb_query_device_ex(ctx, &in, &d.attr, least) == 0 && d.attr.phys_port_cnt_ex == 0xeeeeeeee);
	MUST(svb_query_device_ex(ctx, &in, &d.attr, 100) == EINVAL);
	in.comp_mask = 1;
	MUST(svb_query_device_ex(ctx, &in, &d.attr, sizeof d.attr) == EINVAL);
	memset(&p, 0xee, sizeof p);
	MUST(svb_query_port(ctx, 1, (void *)&p) == 0 && p.attr.state == IBV_PORT_ACTIVE && p.bytes[52] == 0xee); // the first release's
	MUST(svb_query_port_op(ctx, 1, &p.attr, 60) == 0 && p.bytes[59] == 0 && p.bytes[60] == 0xee);
}

static struct ibv_cq *waited_for;
static atomic_bool acknowledged;

static void *acknowledge(void *arg)
{
	(void)arg;
	usleep(20000);
	acknowledged = true;
	svb_ack_cq_events(waited_for, 1);
	return NULL;
}

// waits ends a completion queue of which an event was taken, and another one was not.
static void waits(struct ibv_pd *pd)
{
	struct ibv_comp_channel *ch = svb_create_comp_channel(ctx);
	struct ibv_qp_attr err = {.qp_state = IBV_QPS_ERR};
	struct ibv_recv_wr r = {.num_sge = 0}, *bad;
	struct pollfd fd = {.events = POLLIN};
	struct ibv_qp *qp;
	struct ibv_cq *from;
	pthread_t t;
	void *arg;

	MUST(ch);
	waited_for = svb_create_cq(ctx, 31, NULL, ch, 0);
	MUST(waited_for && svb_req_notify_cq(waited_for, 0) == 0);
	qp = connect_self(pd, waited_for);
	MUST(svb_modify_qp(qp, &err, IBV_QP_STATE) == 0 && svb_post_recv(qp, &r, &bad) == 0);
	MUST(svb_get_cq_event(ch, &from, &arg) == 0 && from == waited_for);
	MUST(svb_req_notify_cq(from, 0) == 0 && svb_post_recv(qp, &r, &bad) == 0);
	fd.fd = ch->fd;
	MUST(poll(&fd, 1, -1) == 1 && svb_destroy_qp(qp) == 0);
	MUST(pthread_create(&t, NULL, acknowledge, NULL) == 0);
	MUST(svb_destroy_cq(from) == 0 && acknowledged);
	pthread_join(t, NULL);
	MUST(poll(&fd, 1, 0) == 0 && svb_destroy_comp_channel(ch) == 0);
}

static struct verbs_context *extended(struct ibv_context *c)
{
	return (void *)((char *)c - offsetof(struct verbs_context, context));
}

// left closes a device with objects on it: they are named, their keys end, and their device memory is there again.
static void left(char *m)
{
	static const char *const all[] = {
		"PD (handle 0): left", "MR (handle 1, ", "length 64): left behind", "thread domain: left", "DM (handle 2, length 1048576): left",
		"completion channel: left", "CQ (handle 3, 31 entries): left", "QP (handle 4, number 0x11): left behind", "AH (handle 5): left",
	};
	struct ibv_alloc_dm_attr size = {.length = 1 << 20};
	struct ibv_td_init_attr none = {.comp_mask = 0};
	struct ibv_ah_attr to = {.is_global = 1, .port_num = 1};
	struct ibv_context *c;
	int own = instance(&c, 6);
	struct svb_peer *other = svb_peer_start(own, "");
	struct ibv_device *dev = c->device;
	struct ibv_comp_channel *ch;
	char *report, byte = 1;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	uint32_t rkey;
	uint64_t old;
	size_t i;

	MUST(other && svb_query_gid(c, 1, 0, &to.grh.dgid) == 0);
	MUST(extended(c)->reg_mr_ex && extended(c)->reg_mr_ex != extended(ctx)->reg_mr_ex); // something that catches calls
	pd = svb_alloc_pd(c);
	mr = svb_reg_mr(pd, m, 64, 15);
	ch = svb_create_comp_channel(c);
	MUST(mr && svb_alloc_dm(c, &size) && ch && svb_alloc_td(c, &none));
	qp = connect_self(pd, svb_create_cq(c, 31, NULL, ch, 0));
	MUST(qp && svb_create_ah(pd, &to));
	rkey = mr->rkey;
	MUST(svb_close(own) == EBUSY && svb_close_device(c) == 0 && svb_close_device(c) != 0);
	MUST(svb_peer_op(other, SVB_RDMA_WRITE, rkey, (uint64_t)(uintptr_t)m, &byte, 1, 0, 0, &old) == IBV_WC_REM_ACCESS_ERR);
	report = svb_report(own);
	for (i = 0; i < sizeof all / sizeof *all; i++)
		MUST(strstr(report, all[i]));
	free(report);
	c = svb_open_device(dev);
	MUST(c && svb_alloc_dm(c, &size) && svb_close_device(c) == 0);
	svb_peer_stop(other);
	MUST(svb_close(own) == 0);
}

int main(void)
{
	struct svb_stress_report r;
	struct ibv_mr *mr;
	struct ibv_pd *pd;
	pthread_t t[4];
	char *m = map(1 << 20), *leaks;
	int i;

	slot = instance(&ctx, 0);
	peer = svb_peer_start(slot, "");
	pd = svb_alloc_pd(ctx);
	MUST(peer && pd);
	strangers(pd, m);
	odd(pd);
	sizes();
	waits(pd);
	left(m);
	wraps(pd, m);
	edges(pd, m);
	mr = svb_reg_mr(pd, m, 1 << 20, 15);
	MUST(mr);
	MUST(svb_peer_stress(peer, mr->rkey, (uint64_t)(uintptr_t)m, 1 << 20) == 0);
	for (i = 0; i < 4; i++)
		MUST(pthread_create(&t[i], NULL, work, NULL) == 0);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	MUST(svb_peer_calm(peer, &r) == 0 && r.passes && r.status == IBV_WC_SUCCESS);
	MUST(svb_dereg_mr(mr) == 0 && svb_dealloc_pd(pd) == 0 && svb_close_device(ctx) == 0);
	svb_peer_stop(peer);
	leaks = svb_report(slot);
	MUST(leaks && !*leaks);
	free(leaks);
	MUST(svb_close(slot) == 0);
	puts("ok");
	return 0;
}

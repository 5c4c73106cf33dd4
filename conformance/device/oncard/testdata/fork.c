// Uses a device in a process and in its child, which opens it anew.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#define CHECK(ok) do { if (!(ok)) { fprintf(stderr, "%s: %s\n", #ok, strerror(errno)); exit(1); } } while (0)

// write_to_itself has a queue pair write to its own memory.
static struct ibv_context *write_to_itself(void)
{
	static char buf[16];
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *c = list ? ibv_open_device(*list) : NULL;
	struct ibv_pd *pd = c ? ibv_alloc_pd(c) : NULL;
	struct ibv_cq *cq = c ? ibv_create_cq(c, 4, NULL, NULL, 0) : NULL;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, buf, sizeof buf, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) : NULL;
	struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = {1, 1, 1, 1, 0}};
	struct ibv_qp *qp = cq && mr ? ibv_create_qp(pd, &init) : NULL;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
	struct ibv_sge sge = {(uintptr_t)buf, 8, mr ? mr->lkey : 0};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED};
	struct ibv_wc wc;
	int n;

	CHECK(qp);
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num, .max_dest_rd_atomic = 1,
		.ah_attr = {.port_num = 1, .is_global = 1, .grh = {.sgid_index = 1, .hop_limit = 1}}};
	CHECK(!ibv_query_gid(c, 1, 1, &attr.ah_attr.grh.dgid));
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 10, .retry_cnt = 1, .max_rd_atomic = 1};
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		IBV_QP_MAX_QP_RD_ATOMIC));
	wr.wr.rdma.remote_addr = (uintptr_t)buf + 8;
	wr.wr.rdma.rkey = mr->rkey;
	strcpy(buf, "written");
	CHECK(!ibv_post_send(qp, &wr, &bad));
	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		;
	CHECK(n == 1 && wc.status == IBV_WC_SUCCESS && !strcmp(buf + 8, "written"));
	return c;
}

int main(void)
{
	struct ibv_context *c = write_to_itself();
	int status;

	if (!fork()) {
		alarm(20);
		CHECK(ibv_alloc_pd(c));
		write_to_itself();
		puts("in the child");
		return 0;
	}
	CHECK(wait(&status) > 0 && status == 0);
	write_to_itself();
	puts("in the parent");
	return 0;
}

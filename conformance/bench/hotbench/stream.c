#include <stddef.h>
#include <string.h>

#include "hot.h"

// About what a provider writes for a request.
struct entry {
	uint64_t id, remote, addr;
	uint32_t opcode, flags, rkey, length, lkey, pad[3];
};

static uintptr_t to_ex;
static struct ibv_qp_ex *newest;
static struct entry queue[HB_SLOTS], *entry;
static unsigned int head;
static uint64_t written;

void hb_use_ex(uintptr_t fn) { to_ex = fn; }
struct ibv_qp_ex *hb_qp(void) { return newest; }
uint64_t hb_written(void) { return written; }

static void start(struct ibv_qp_ex *qp) { (void)qp; }
static void abort_stream(struct ibv_qp_ex *qp) { (void)qp; }

static int complete(struct ibv_qp_ex *qp)
{
	(void)qp;
	written += entry->remote;
	return 0;
}

static void rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr)
{
	entry = &queue[head++ % HB_SLOTS];
	entry->id = qp->wr_id;
	entry->opcode = IBV_WR_RDMA_WRITE;
	entry->flags = qp->wr_flags;
	entry->remote = addr;
	entry->rkey = rkey;
}

static void set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	(void)qp;
	entry->addr = addr;
	entry->length = length;
	entry->lkey = lkey;
}

static struct ibv_qp_ex *found(struct ibv_qp *qp)
{
	struct ibv_qp_ex *ex = ((struct ibv_qp_ex *(*)(struct ibv_qp *))to_ex)(qp);

	if (!ex)
		return NULL;
	ex->wr_start = start;
	ex->wr_complete = complete;
	ex->wr_abort = abort_stream;
	ex->wr_rdma_write = rdma_write;
	ex->wr_set_sge = set_sge;
	return newest = ex;
}

uintptr_t hb_qp_to_qp_ex_address(void) { return (uintptr_t)found; }

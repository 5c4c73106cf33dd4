// A libibverbs of one device, compiled against the verbs.h of a release. Its context is laid out as that header has it, and
// every operation of the context only leaves its number. ops.h is generated from the facts of the release:
// VERBS(kind, op, number, result) for the operations of verbs_context, PLAIN(...) for those of ibv_context.
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <infiniband/verbs.h>

static int reached;

// libs_reached gives the number of the operation that was called last, and forgets it.
int libs_reached(void)
{
	int n = reached;

	reached = 0;
	return n;
}

// beyond stands where a newer header has operations: a call of it has the number -1.
static intptr_t beyond(void)
{
	reached = -1;
	return 0;
}

static struct {
	intptr_t (*beyond[64])(void);
	struct verbs_context v;
} at;

// Every object begins with its context, but a flow, which has it behind a word.
#define OBJECT(name) static uintptr_t name[128]
#define MAKE(name) (name[0] = name[1] = (uintptr_t)&at.v.context, (void *)name)

#define POINTER(op, number, result) \
	static void *call_##op(void) { OBJECT(it); reached = number; return MAKE(it); }
#define CODE(op, number, result) \
	static int call_##op(void) { reached = number; return result; }
#define VERBS(kind, op, number, result) kind(op, number, result)
#define PLAIN(kind, op, number, result) kind(op, number, result)
#include "ops.h"
#undef VERBS
#undef PLAIN

static struct ibv_device device = {
	.node_type = IBV_NODE_CA, .transport_type = IBV_TRANSPORT_IB,
	.name = "old0", .dev_name = "uverbs7", .dev_path = "/dev-path", .ibdev_path = "/ibdev-path",
};

struct ibv_device **ibv_get_device_list(int *num_devices)
{
	static struct ibv_device *list[2] = { &device, NULL };

	if (num_devices != NULL)
		*num_devices = 1;
	return list;
}

void ibv_free_device_list(struct ibv_device **list) { (void)list; }

struct ibv_context *ibv_open_device(struct ibv_device *dev)
{
	size_t i;

	for (i = 0; i < sizeof at.beyond / sizeof at.beyond[0]; i++)
		at.beyond[i] = beyond;
#define VERBS(kind, op, number, result) at.v.op = (__typeof__(at.v.op))(uintptr_t)call_##op;
#define PLAIN(kind, op, number, result) at.v.context.ops.op = (__typeof__(at.v.context.ops.op))(uintptr_t)call_##op;
#include "ops.h"
	at.v.sz = sizeof at.v;
	at.v.context.device = dev;
	at.v.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	at.v.context.cmd_fd = at.v.context.async_fd = -1;
	at.v.context.num_comp_vectors = 3;
	return &at.v.context;
}

int ibv_close_device(struct ibv_context *context) { (void)context; return 0; }

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) { OBJECT(it); (void)context; return MAKE(it); }
int ibv_dealloc_pd(struct ibv_pd *pd) { (void)pd; return 0; }

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector)
{
	OBJECT(it);

	(void)context, (void)cqe, (void)cq_context, (void)channel, (void)comp_vector;
	return MAKE(it);
}

int ibv_destroy_cq(struct ibv_cq *cq) { (void)cq; return 0; }

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	static struct ibv_qp each[4]; // by type
	struct ibv_qp *qp = &each[attr->qp_type % 4];

	(void)pd;
	qp->context = &at.v.context;
	qp->qp_type = attr->qp_type;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->state = IBV_QPS_RTS;
	return qp;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr) { OBJECT(it); (void)pd, (void)attr; return MAKE(it); }
int ibv_destroy_srq(struct ibv_srq *srq) { (void)srq; return 0; }
int ibv_destroy_qp(struct ibv_qp *qp) { (void)qp; return 0; }

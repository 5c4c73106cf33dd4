// Where packets are steered to: work queues, tables of them, and actions of flows.
#ifndef SVB_STEER_H
#define SVB_STEER_H

#include "completion.h"
#include "receive.h"

struct svb_wq {
	struct ibv_wq pub;
	struct svb_obj obj; // users: entries of tables that name it
	struct svb_cq *cq;
	struct svb_recvq q;
	uint32_t flags;
};

struct svb_rwq_table {
	struct ibv_rwq_ind_table pub;
	struct svb_obj obj; // users: queue pairs
	uint32_t n;
	struct svb_wq **wqs;
};

struct svb_flow_action {
	struct ibv_flow_action pub;
	struct svb_obj obj; // users: flows
	uint32_t flags;
};

#endif

// Where packets are steered to: work queues, tables of them, and actions of flows.
#ifndef SVB_STEER_H
#define SVB_STEER_H

#include "completion.h"
#include "receive.h"

struct svb_wq {
	struct ibv_wq pub;
	struct svb_obj obj; // users: entries of tables that name it
	struct svb_kobj k;
	struct svb_within in;
	struct svb_cq *cq;
	struct svb_recvq q;
	uint32_t flags;
};

struct svb_rwq_table {
	struct ibv_rwq_ind_table pub;
	struct svb_obj obj; // users: queue pairs
	struct svb_kobj k;
	uint32_t n;
	struct svb_wq *wqs[];
};

struct svb_flow_action {
	struct ibv_flow_action pub;
	struct svb_obj obj; // users: flows
	struct svb_kobj k;
	uint32_t flags;
};

// svb_table_left notes that a queue pair is gone, of the table that it had or of none.
static inline void svb_table_left(struct svb_rwq_table *t)
{
	if (t)
		t->obj.users--;
}

#endif

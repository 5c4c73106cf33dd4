// Counters of flows, and of completions.
#ifndef SVB_COUNTERS_H
#define SVB_COUNTERS_H

#include "objects.h"

struct svb_point { // what is counted at an index
	enum ibv_counter_description what;
	uint32_t index;
};

struct svb_counters {
	struct ibv_counters pub;
	struct svb_obj obj; // users: flows
	struct svb_point *points;
	uint32_t npoints;
	uint64_t packets, bytes;
};

struct svb_comp_cntr {
	struct ibv_comp_cntr pub;
	struct svb_obj obj; // users: operations of queue pairs that are counted here
	bool bytes;         // not requests
	uint64_t good, bad;
};

// svb_counted adds a completion, with svb_lock held; c may be NULL.
static inline void svb_counted(struct svb_comp_cntr *c, bool good, uint64_t bytes)
{
	if (c)
		*(good ? &c->good : &c->bad) += c->bytes ? bytes : 1;
}

#endif

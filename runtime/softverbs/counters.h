// Counters of flows.
#ifndef SVB_COUNTERS_H
#define SVB_COUNTERS_H

#include "objects.h"

struct svb_point { // what is counted at an index
	enum ibv_counter_description what;
	uint32_t index;
};

struct svb_counters {
	struct ibv_counters pub;
	struct svb_obj obj;
	unsigned flows; // that use it
	struct svb_point *points;
	uint32_t npoints;
	uint64_t packets, bytes;
};

// svb_find_counters: with svb_lock held; NULL: none that lives
static inline struct svb_counters *svb_find_counters(const struct ibv_counters *pub)
{
	struct svb_obj *o = svb_find(pub, SVB_T_COUNTERS);
	return o ? SVB_OF(o, struct svb_counters) : NULL;
}

#endif

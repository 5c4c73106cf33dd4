// Flows of frames.
#ifndef SVB_FLOW_H
#define SVB_FLOW_H

#include "qp.h"

#define SVB_MAX_SPECS 10 // that the kernel takes for one flow

union svb_spec { // what of a spec is looked at; of other types, its type alone
	struct ibv_flow_spec_eth eth;
	struct ibv_flow_spec_ipv4 v4;
	struct ibv_flow_spec_ipv4_ext v4_ext;
	struct ibv_flow_spec_ipv6 v6;
	struct ibv_flow_spec_tcp_udp ports;
	struct ibv_flow_spec_action_tag tag;
	struct ibv_flow_spec_counter_action count;
	struct ibv_flow_spec_action_handle action;
};

struct svb_flow {
	struct ibv_flow pub;
	struct svb_obj obj;
	TAILQ_ENTRY(svb_flow) link; // of its device
	struct svb_qp *qp;
	struct svb_counters *counters;  // NULL: none
	struct svb_flow_action *action; // NULL: none
	enum ibv_flow_attr_type type;
	uint16_t priority;
	uint8_t port;
	uint32_t flags;
	bool drop;
	uint32_t tag;
	union svb_spec specs[SVB_MAX_SPECS];
	unsigned nspecs;
};

#endif

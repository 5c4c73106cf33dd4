// Ethernet frames: sent by queue pairs of raw packets, and steered to those by flows. All ports are on one wire, which brings each
// frame to all of them, with the sender's own.
#ifndef CARD_FRAME_H
#define CARD_FRAME_H

#include "base.h"
#include "softverbs/shared.h"

struct counters;
struct qp;
struct request;

enum { SPECS = 10 }; // of a flow, at most (IB_FLOW_SPEC_SUPPORT_LAYERS)

// What a flow looks at or does (IBV_FLOW_SPEC_*), with zeros behind a shorter filter.
struct spec {
	uint32_t type;
	uint8_t value[40], mask[40];
	uint32_t tag;
	struct counters *counters;
};

// A frame meets a rule if it has what each filter says.
struct rule {
	struct spec filters[SPECS];
	int n;
};

// frame_send sends a frame, and returns the status of its request. frame_arrive brings one of another process to the devices here.
int frame_send(struct qp *, struct request *) HIDDEN;
void frame_arrive(const struct request *) HIDDEN;

// frame_hash is what a queue pair over a table chooses its entry by.
uint32_t frame_hash(const struct qp *, const struct svb_frame *) HIDDEN;

#endif

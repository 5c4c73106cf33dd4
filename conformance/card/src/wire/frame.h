// Ethernet frames: sent by queue pairs of raw packets, and steered to those by flows. All ports are on one wire, which brings each
// frame to all of them, with the sender's own.
#ifndef CARD_FRAME_H
#define CARD_FRAME_H

#include "base.h"

struct qp;
struct request;

// What flows look at. Numbers are in the order of the host; fields of headers that a frame lacks are 0.
struct headers {
	uint8_t to[6], from[6];
	uint16_t type;       // behind the tag, if there is one
	uint16_t vlan;
	uint8_t tagged;      // with vlan
	uint8_t version;     // of IP: 4 or 6
	uint8_t proto, tos;
	uint8_t src[16], dst[16];
	uint32_t label;
	uint16_t sport, dport;
	uint32_t tunnel;     // no frame has one here
};

// A frame meets a rule if it has the value's bits that the mask has.
struct rule {
	struct headers value, mask;
};

// frame_send sends a frame, and returns the status of its request. frame_arrive brings one of another process to the devices here.
int frame_send(struct qp *, struct request *) HIDDEN;
void frame_arrive(const struct request *) HIDDEN;

// frame_hash is what a queue pair over a table chooses its entry by.
uint32_t frame_hash(const struct qp *, const struct headers *) HIDDEN;

#endif

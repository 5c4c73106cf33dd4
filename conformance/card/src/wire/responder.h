// The remote half of a request.
#ifndef CARD_RESPONDER_H
#define CARD_RESPONDER_H

#include "uverbs/verbs.h"
#include "wire/format.h"

// Beside IBV_WC_*: the responder has no receive.
enum { NOT_READY = -1 };

// Who sent a request, in whichever process.
struct source {
	uint32_t number;
	int type;                // of its queue pair
	uint8_t gid[16];
	uint32_t psn, packets;   // of the first packet; how many
};

// responder_do does a request at q, and returns a status of the requester or NOT_READY.
int responder_do(struct qp *q, const struct source *from, struct request *) HIDDEN;

#endif

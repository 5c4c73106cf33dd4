// The arrival of a request at a queue pair of this process, from whichever process.
#ifndef CARD_ARRIVE_H
#define CARD_ARRIVE_H

#include "wire/responder.h"

// Where a request goes.
struct target {
	uint32_t number;
	const uint8_t *gid;
};

// Beside the statuses of responder_do: nobody answers.
enum { SILENCE = -10 };

// arrive does a request at its target. With NOT_READY, rnr_timer is that of the queue pair. Nobody answers a datagram.
int arrive(const struct source *, const struct target *, struct request *, uint32_t *rnr_timer) HIDDEN;

// is_multicast reports whether a datagram is for all members of a group, is_reliable whether a type of queue pair is answered.
bool is_multicast(const struct request *) HIDDEN;
bool is_reliable(int type) HIDDEN;

#endif

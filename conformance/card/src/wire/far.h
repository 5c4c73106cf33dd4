// Requests to queue pairs of other processes.
#ifndef CARD_FAR_H
#define CARD_FAR_H

#include "wire/arrive.h"
#include "wire/segment.h"

// Beside the statuses of arrive: the request stays at the head of its queue.
enum { LATER = -20 };

// far_request asks for a request of q, or looks for its answer: a status of arrive, or LATER.
int far_request(struct qp *q, struct request *, const struct target *, uint32_t *rnr_timer) HIDDEN;

// far_datagram sends a datagram, which nobody answers, to its queue pair.
int far_datagram(const struct qp *q, const struct request *) HIDDEN;

// What is sent to all other processes. far_take finds room for it, or returns false. far_cast sends it, or nothing if the request is NULL.
struct cast {
	struct exchange *x[PROCESSES];
	int to[PROCESSES], n;
};
bool far_take(struct cast *) HIDDEN;
void far_cast(const struct cast *, const struct qp *q, const struct request *) HIDDEN;

// far_drop forgets the answer that a queue pair waits for.
void far_drop(struct qp *) HIDDEN;

// far_serve does what other processes asked for before a point of exchange_tickets, and reports whether there was anything. The point lies
// before the round of the requests here: that round has seen each answer that came before such a message, so that the completion of a
// request comes before that of a reply to it.
bool far_serve(uint64_t point) HIDDEN;

#endif

// One request of a queue pair: the local half, and the choice of the other queue pair.
#ifndef CARD_REQUESTER_H
#define CARD_REQUESTER_H

#include "wire/arrive.h"

// requester_step does the request at the head of the send queue, and reports whether there was work.
bool requester_step(struct qp *) HIDDEN;

// requester_reset_stream lets a stream of a DCI that failed go on. One that did not fail is EINVAL.
int requester_reset_stream(struct qp *, uint16_t stream) HIDDEN;

// requester_source describes the sender of a request of so many bytes.
struct source requester_source(const struct qp *, uint64_t length) HIDDEN;

#endif

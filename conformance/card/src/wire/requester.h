// One request of a queue pair: the local half, and the choice of the other queue pair.
#ifndef CARD_REQUESTER_H
#define CARD_REQUESTER_H

#include "uverbs/verbs.h"
#include "wire/format.h"

// requester_step does the request at the head of the send queue, and reports whether there was work.
bool requester_step(struct qp *) HIDDEN;

#endif

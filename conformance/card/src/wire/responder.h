// The remote half of a request.
#ifndef CARD_RESPONDER_H
#define CARD_RESPONDER_H

#include "uverbs/verbs.h"
#include "wire/format.h"

// Beside IBV_WC_*: the responder has no receive.
enum { NOT_READY = -1 };

// responder_do does a request of from at q, and returns a status of the requester or NOT_READY.
int responder_do(struct qp *q, struct qp *from, struct request *) HIDDEN;

#endif

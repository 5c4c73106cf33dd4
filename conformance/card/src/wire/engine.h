// The thread that does the card's work.
#ifndef CARD_ENGINE_H
#define CARD_ENGINE_H

#include "base.h"

struct completion;
struct cq;
struct qp;

// engine_wake starts the thread at the first call, and wakes it when it rests.
void engine_wake(void) HIDDEN;

// engine_forked has a child of fork start a thread of its own when it needs one.
void engine_forked(void) HIDDEN;

// engine_complete puts a completion into a queue; one without room breaks it.
void engine_complete(struct cq *, const struct completion *) HIDDEN;

// engine_settle does what was posted to a queue pair that is to go: a card has taken it by then.
void engine_settle(struct qp *) HIDDEN;

// engine_answered completes the request at the head if its answer of another process has come: a card takes an acknowledgement before a
// program hears by another way that its message arrived, and brings the queue pair to ERR.
void engine_answered(struct qp *) HIDDEN;

// engine_fail brings a queue pair to ERR.
void engine_fail(struct qp *) HIDDEN;

#endif

// Modifying and querying a queue pair.
#ifndef CARD_QP_H
#define CARD_QP_H

#include "uverbs/verbs.h"
#include "uverbs/attr.h"

// qp_get looks up a queue pair by any of its handles.
struct qp *qp_get(const struct call *, uint32_t handle) HIDDEN;

// qp_open makes another handle of an XRC target.
void qp_open(const struct call *) HIDDEN;

// qp_needs has a queue pair, or a handle of one, need what it was made with.
void qp_needs(struct qp *) HIDDEN;

// qp_settle does what was posted to a queue pair whose last handle is to go, before its events are counted.
void qp_settle(struct qp *) HIDDEN;

// qp_end releases a handle; the queue pair ends with its last.
void qp_end(struct object *) HIDDEN;

void qp_modify(const struct call *) HIDDEN;
void qp_modify_ex(const struct call *) HIDDEN;
void qp_query(const struct call *) HIDDEN;

// transition_allowed reports whether a change of state may come with these attributes (core/verbs.c, ib_modify_qp_is_ok).
bool transition_allowed(int type, int from, int to, uint32_t mask) HIDDEN;

#endif

// Modifying and querying a queue pair.
#ifndef CARD_QP_H
#define CARD_QP_H

#include "uverbs/attr.h"

int qp_modify(const struct call *) HIDDEN;
int qp_modify_ex(const struct call *) HIDDEN;
int qp_query(const struct call *) HIDDEN;

// transition_allowed reports whether a change of state may come with these attributes (core/verbs.c, ib_modify_qp_is_ok).
bool transition_allowed(int type, int from, int to, uint32_t mask) HIDDEN;

#endif

// The queue pairs of this process: each device reaches each, and numbers of queue pairs are unique on the wire.
#ifndef CARD_NET_H
#define CARD_NET_H

#include "uverbs/verbs.h"

// net_join gives a queue pair its number; net_leave takes it back.
int net_join(struct qp *) HIDDEN;
void net_leave(struct qp *) HIDDEN;

// net_forked forgets the queue pairs of the parent process.
void net_forked(void) HIDDEN;

// net_find returns the queue pair of a number, or NULL.
struct qp *net_find(uint32_t number) HIDDEN;

// net_each calls f with each queue pair.
void net_each(void (*f)(struct qp *, void *), void *arg) HIDDEN;

#endif

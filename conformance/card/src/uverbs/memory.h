// The process's memory, as a region needs it.
#ifndef CARD_MEMORY_H
#define CARD_MEMORY_H

#include "base.h"

// memory_access returns the error of access flags (include/rdma/ib_verbs.h, ib_check_mr_access).
int memory_access(unsigned access) HIDDEN;

// memory_pin returns the error that pinning the pages would have (core/umem.c, ib_umem_get). Nothing is pinned: a page that is unmapped
// later is noticed when the card reaches it.
int memory_pin(uint64_t start, uint64_t length, unsigned access) HIDDEN;

#endif

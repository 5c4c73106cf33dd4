// The process's memory, as a region needs it.
#ifndef CARD_MEMORY_H
#define CARD_MEMORY_H

#include <stdio.h>

#include "uverbs/attr.h"
#include "uverbs/verbs.h"

// All access flags that uverbs knows: IB_ACCESS_SUPPORTED, up to HUGETLB, and the optional ones (include/rdma/ib_verbs.h).
enum {
	ACCESS_SUPPORTED = (IBV_ACCESS_HUGETLB << 1) - 1,
	ACCESS_OPTIONAL = 0x3ff00000,
	ACCESS_WRITES = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND, // ib_access_writable
};

// memory_access refuses access flags (include/rdma/ib_verbs.h, ib_check_mr_access).
void memory_access(const struct device *, unsigned access) HIDDEN;

// memory_region makes a region of pd, without its memory; memory_place gives it memory.
struct mr *memory_region(const struct call *, struct pd *pd, unsigned access) HIDDEN;
void memory_place(struct mr *, uint64_t start, uint64_t length, uint64_t iova) HIDDEN;

// memory_publish leaves in the open file what another process needs to import a region. memory_forget says that its memory goes with this
// process's end of the file.
void memory_publish(struct mr *) HIDDEN;
void memory_forget(const struct mr *) HIDDEN;

// memory_end releases a region.
void memory_end(struct object *) HIDDEN;

// A line of /proc/self/maps. mapping_next reads one; mapping_holds reports whether it has all of a range.
struct mapping {
	unsigned long start, end, offset, inode;
	unsigned major, minor;
	char can[8]; // rwxs
};
bool mapping_next(FILE *maps, struct mapping *) HIDDEN;
bool mapping_holds(const struct mapping *, uint64_t start, uint64_t length) HIDDEN;

// memory_check refuses memory that cannot be pinned. That of a region whose pages come on demand need not be there, as that of the implicit
// region, which begins at 0 and has all of the address space (hw/mlx5/mr.c, create_user_odp_mr; core/umem_odp.c, ib_init_umem_odp).
void memory_check(uint64_t start, uint64_t length, uint64_t iova, unsigned access) HIDDEN;

// memory_pin returns the error that pinning the pages would have (core/umem.c, ib_umem_get). Nothing is pinned: a page that is unmapped
// later is noticed when the card reaches it.
int memory_pin(uint64_t start, uint64_t length, unsigned access) HIDDEN;

#endif

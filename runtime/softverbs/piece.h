// Stretches of memory that take part in an operation.
#ifndef SVB_PIECE_H
#define SVB_PIECE_H

#include "kernel.h"

#define SVB_MAX_SGE 32
#define SVB_MOST_SGE 64 // that a queue of mlx5 grants

// A stretch of memory that takes part in an operation.
struct svb_piece {
	struct svb_kmr *mr; // its busy count is raised; NULL: not of a region
	enum svb_where where;
	char *at;
	uint64_t length;
};

struct svb_list {
	int n;
	struct svb_piece p[SVB_MOST_SGE + 1];
};

// piece.c. take and drop with svb_lock held, the others without.
// svb_take answers 0, EINVAL without such a key, right or PD (NULL: any), EFAULT out of bounds.
SVB_HIDDEN int svb_take(struct svb_dev *d, uint32_t key, bool remote, uint64_t addr, uint64_t length, uint32_t access,
			const struct svb_kpd *pd, struct svb_piece *p);
SVB_HIDDEN int svb_take_sges(struct svb_dev *d, const struct svb_kpd *pd, const struct ibv_sge *s, int n, uint64_t length,
			     uint32_t access, struct svb_list *l);
SVB_HIDDEN void svb_list_add(struct svb_list *l, void *ours, uint64_t length);
SVB_HIDDEN void svb_drop(struct svb_piece *p);
SVB_HIDDEN void svb_list_drop(struct svb_list *l);
enum svb_copied { SVB_COPIED, SVB_NO_SOURCE, SVB_NO_TARGET };
SVB_HIDDEN enum svb_copied svb_list_copy(const struct svb_list *from, const struct svb_list *to, char *bounce, size_t size);
SVB_HIDDEN bool svb_atomic_store(const struct svb_piece *p, uint64_t number); // false: the memory is not there any more, as below
SVB_HIDDEN bool svb_atomic(const struct svb_piece *p, bool add, uint64_t a, uint64_t b, uint64_t *old);

#endif

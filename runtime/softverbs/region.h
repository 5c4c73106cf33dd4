// Memory regions and device memory as programs have them.
#ifndef SVB_REGION_H
#define SVB_REGION_H

#include "domain.h"

struct svb_mr {
	struct ibv_mr pub;
	struct svb_obj obj;
	bool plain, null;      // plain: the library asks the kernel to change it; null: no kernel object
	struct svb_block block;
};

struct svb_dm {
	struct ibv_dm pub;
	struct svb_obj obj;
	struct svb_mem *mem;
	struct svb_dev *dev;
};

// region.c
// svb_mr_enter makes the kernel object and the handle of a region, whose addr field is addr; NULL + errno. It
// owns span.map either way.
SVB_HIDDEN struct ibv_mr *svb_mr_enter(struct svb_pd *pd, const struct svb_span *span, void *addr, uint32_t access, struct svb_dm *dm,
				       bool plain);
SVB_HIDDEN struct ibv_mr *svb_mr_enter_null(struct svb_pd *pd);
SVB_HIDDEN struct svb_mr *svb_mr_new(struct svb_pd *pd, int *err); // as svb_new_obj does; with svb_lock held

// dmabuf.c
SVB_HIDDEN struct ibv_mr *svb_map_mr(struct svb_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, uint32_t access);

#endif

// Memory windows.
#ifndef SVB_WINDOW_H
#define SVB_WINDOW_H

#include "domain.h"

struct svb_mw {
	struct ibv_mw pub;
	struct svb_obj obj;
	struct svb_kmr key;    // its span and its rights are those of the region, as far as the window goes
};

// What a request binds, as the kernel gets it.
struct svb_bind {
	uint64_t addr, length;
	uint32_t window, region, key, access; // window: its key before; region: its local key
};

// window.c: with svb_lock held
// svb_window_bind does what a request of a queue pair asks for; qp is whatever stands for it: 0, or an errno.
SVB_HIDDEN int svb_window_bind(struct svb_dev *d, const void *qp, const struct svb_kpd *pd, const struct svb_bind *b);
SVB_HIDDEN int svb_invalidate(struct svb_dev *d, uint32_t key); // 0, or EINVAL
SVB_HIDDEN void svb_window_unbind(struct svb_kmr *window);
// svb_window_serves tells whether a key may be used over a queue pair: a window of type 2 only over the one that bound it.
SVB_HIDDEN bool svb_window_serves(const struct svb_dev *d, uint32_t key, const void *qp);
SVB_HIDDEN void svb_windows_leave(struct svb_dev *d, const void *qp); // a queue pair ends

#endif

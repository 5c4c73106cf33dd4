// What a kernel holds for an open device file: handles, keys, and the end of it all when the last copy of the descriptor is
// closed.
#ifndef SVB_KERNEL_H
#define SVB_KERNEL_H

#include "host.h"
#include "instance.h"

#define SVB_NULL_LKEY 0xfeu // of index 0, which no region gets

enum svb_ktype { SVB_K_PD, SVB_K_MR, SVB_K_DM };

struct svb_kobj { // that can have handles in several contexts
	enum svb_ktype type;
	uint32_t handle;
};

struct svb_kpd {
	struct svb_kobj k;
	unsigned users; // regions, and objects in it
};

struct svb_kdm {
	struct svb_kobj k;
	unsigned mrs;
	struct svb_mem *mem;
};

enum svb_where { SVB_HOST, SVB_ODP, SVB_DEVICE, SVB_MAPPED, SVB_OURS, SVB_NOWHERE }; // the last two: of pieces only

struct svb_span { // memory that a region stands for
	enum svb_where where;
	char *start;     // first byte
	uint64_t length; // bytes
	uint64_t iova;   // address of the first byte for the peer
	void *map;       // SVB_MAPPED: own mapping, for munmap
	size_t mapped;
};

struct svb_kmr {
	struct svb_kobj k;
	struct svb_span span;
	uint32_t access, lkey, rkey;
	struct svb_kpd *pd;
	struct svb_kdm *dm;
	struct svb_dev *dev;
	unsigned busy; // operations that are copying
	unsigned windows; // that are bound to the region
	// Of a memory window:
	unsigned window;        // its type; 0: a region
	struct svb_kmr *region; // that it is bound to, or NULL
	const void *qp;         // of a bound one of type 2: the queue pair that bound it
};

struct svb_key {
	struct svb_kmr *mr; // NULL: free
	uint8_t tag;        // even; lkey carries it, rkey carries tag + 1, or tag where there is one key
};

struct svb_file {
	struct svb_file *next;
	struct svb_dev *dev;
	unsigned ctxs;
	dev_t st_dev; // of the descriptor that the program holds
	ino_t st_ino;
	int peer_fd; // hangs up when the last copy of that descriptor is closed
	struct svb_kobj **objs;
	uint32_t nobjs;
	struct svb_numbers handles;
};

// kernel.c: with svb_lock held
SVB_HIDDEN struct svb_file *svb_file_open(struct svb_dev *d, int *cmd_fd); // NULL + errno
SVB_HIDDEN struct svb_file *svb_file_of(struct svb_inst *in, int cmd_fd);  // NULL: none
SVB_HIDDEN void svb_file_sweep(struct svb_inst *in); // ends the files that nobody holds any more
SVB_HIDDEN int svb_handle_add(struct svb_file *f, struct svb_kobj *k, enum svb_ktype t);
SVB_HIDDEN void *svb_handle_get(struct svb_file *f, uint32_t handle, enum svb_ktype t); // what begins with its svb_kobj; NULL: none
SVB_HIDDEN void svb_handle_drop(struct svb_file *f, uint32_t handle);
SVB_HIDDEN void svb_handle_end(struct svb_file *f, struct svb_kobj *k); // and its object
SVB_HIDDEN void svb_kdm_end(struct svb_file *f, struct svb_kdm *dm);
SVB_HIDDEN int svb_key_add(struct svb_dev *d, struct svb_kmr *mr);
SVB_HIDDEN void svb_key_drop(struct svb_kmr *mr);
SVB_HIDDEN struct svb_kmr *svb_key_find(const struct svb_dev *d, uint32_t key, bool remote);
SVB_HIDDEN void svb_kmr_wait(struct svb_kmr *mr); // until no operation of the peer uses it; may let go of the lock
SVB_HIDDEN void svb_kmr_end(struct svb_file *f, struct svb_kmr *mr);

// svb_idles counts down what is under way for something that others wait for.
static inline void svb_idles(unsigned *busy)
{
	if (--*busy == 0)
		pthread_cond_broadcast(&svb_idle);
}

// svb_dm_units is what memory of a length takes from the device: mlx5 gives it out in units of 64 bytes.
static inline uint64_t svb_dm_units(const struct svb_dev *d, uint64_t length)
{
	return d->cfg.mlx5 ? (length + 63) / 64 * 64 : length;
}

// check.c: what a kernel refuses. They answer an errno, 0 when the call may go on.
SVB_HIDDEN int svb_check_access(const struct svb_dev *d, uint32_t access);
SVB_HIDDEN int svb_check_host(const struct svb_dev *d, uintptr_t addr, uint64_t length, uint32_t access);

#endif

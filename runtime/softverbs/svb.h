// Internal declarations of the software libibverbs.
//
// Three layers, as with a real device:
//   instance  one softverbs.Device of Go: a "machine" with a list of devices (slot.c, device.c)
//   kernel    svb_file, svb_kpd, svb_kmr, svb_kdm: what a kernel would hold for one open device file (kernel.c)
//   user      svb_ctx, svb_pd, svb_td, svb_mr, svb_dm: the structs a program gets pointers to, with the public
//             struct of verbs.h in front (registry.c knows which of them live)
//
// One lock, svb_lock, guards all of it. It is not held while memory is copied or while an allocator of the
// caller's runs; objects in use then carry a count instead.
#ifndef SVB_H
#define SVB_H

#include <sys/queue.h>

#include "base.h"
#include "entry.h"

#define SVB_SLOTS 64
#define SVB_NAME 64
#define SVB_ABI_EXTENDED ((void *)UINTPTR_MAX) // abi_compat of a context that sits in a verbs_context
#define SVB_USE_DEFAULT ((void *)UINTPTR_MAX)  // answer of an allocator: "use your own memory"
#define SVB_NULL_LKEY 0xfeu // of index 0, which no region gets
#define SVB_OF(o, type) ((type *)(void *)((char *)(o) - offsetof(type, obj)))
#define SVB_K(k, type) ((type *)(void *)(k)) // the kernel object that begins with k

// Verbs that can be told to fail.
enum svb_verb {
#define VERB(id, name) SVB_##id,
#include "table.h"
	SVB_VERBS
};

// Operations of verbs_context, which a test may replace.
enum svb_op {
#define OP(member, present, function) SVB_OP_##member,
#include "table.h"
	SVB_OPS
};

// What Go sets for one device of an instance.
struct svb_devcfg {
	char name[SVB_NAME];
	uint64_t guid;             // node GUID, host order
	int index;                 // answer of ibv_get_device_index
	uint32_t driver;           // enum rdma_driver_id, upper half of a resource type
	uint64_t max_dm_size;      // bytes; 0: no device memory
	uint32_t dm_max_log_align; // largest log_align_req
	uint32_t dm_copy_align;    // offsets and lengths of copies are multiples of it; 1: none
	uint64_t dm_mr_align;      // offsets and lengths of DM regions are multiples of it; 1: none
	uint64_t max_mr_size;      // bytes
	uint64_t cap_flags;        // device_cap_flags_ex; its lower half is device_cap_flags
	uint32_t atomic_cap;       // enum ibv_atomic_cap
	uint32_t ports;            // phys_port_cnt
	uint64_t odp_general;      // IBV_ODP_SUPPORT, IBV_ODP_SUPPORT_IMPLICIT
	uint32_t odp_rc, odp_uc, odp_ud;
	uint32_t mr_refused;       // flags that a plain registration answers with EOPNOTSUPP
	uint32_t mr_unknown;       // flags that any registration answers with EINVAL
	uint32_t max_msg_sz;       // bytes
	uint64_t memlock;          // bytes that may be registered before ENOMEM; 0: no limit
	uint8_t no_dmabuf, no_td, no_null_mr, no_rereg, no_import;
	uint8_t one_key; // lkey and rkey are one
};

struct svb_config {
	int ndevs;
	struct svb_devcfg *devs; // copied
	size_t vctx_size;        // verbs_context.sz of the release that is imitated
	size_t port_attr_size;   // sizeof(struct ibv_port_attr) there
	int newest;              // symbols of that release have versions up to IBVERBS_1.newest
	uintptr_t override[SVB_OPS];
	uint32_t absent; // bit per op: left out
};

struct svb_inst;
struct svb_ctx;
struct svb_kmr;

struct svb_key {
	struct svb_kmr *mr; // NULL: free
	uint8_t tag;        // even; lkey carries it, rkey carries tag + 1, or tag where there is one key
};

struct svb_dev {
	struct ibv_device pub;
	struct svb_inst *inst;
	struct svb_devcfg cfg;
	uint64_t dm_used, pinned; // bytes
	struct svb_key *keys;
	uint32_t nkeys, freekey; // no index under freekey is free
	TAILQ_HEAD(svb_qps, svb_qp) qps; // the one whose turn is first
	uint32_t next_qpn;
	struct svb_worker *worker; // NULL: no queue pair yet
	bool *port_down;           // by port number - 1
};

struct svb_fail {
	struct svb_fail *next;
	uint64_t left; // calls until it strikes; 0: each call
	int err;
};

struct svb_inst {
	bool used, ending; // ending: out of reach, its threads are being stopped
	int slot;
	struct svb_config cfg; // devs is NULL here
	struct svb_dev *devs;
	int ndevs, nctx;
	struct svb_file *files;
	char **leaks;
	size_t nleaks;
	struct svb_fail *fails[SVB_VERBS];
	int armed[SVB_VERBS]; // atomic: 1 when fails[] is not empty
};

// --- user objects ---

enum svb_type {
	SVB_T_LIST, SVB_T_CTX, SVB_T_PD, SVB_T_TD, SVB_T_MR, SVB_T_DM, SVB_T_CHANNEL, SVB_T_CQ, SVB_T_QP, SVB_T_AH
};

struct svb_obj {
	enum svb_type type;
	const void *pub; // address of the public struct
	struct svb_inst *inst;
	struct svb_ctx *ctx; // NULL for a list and a context
	struct svb_obj *hnext, *prev, *next;
};

struct svb_ctx {
	struct verbs_context vctx;
	struct svb_obj obj;
	struct svb_dev *dev;
	struct svb_file *file;
	struct svb_obj *objs; // its live objects, newest first
	STAILQ_HEAD(, svb_event) events; // asynchronous ones that nobody got yet
};

struct svb_td {
	struct ibv_td pub;
	struct svb_obj obj;
	unsigned users; // parent domains
};

struct svb_pd {
	struct ibv_pd pub;
	struct svb_obj obj;
	unsigned users;        // parent domains over it; of a parent domain also its regions
	struct svb_pd *inner;  // set: this is a parent domain
	struct svb_td *td;
	void *(*alloc)(struct ibv_pd *, void *, size_t, size_t, uint64_t);
	void (*free)(struct ibv_pd *, void *, void *, uint64_t);
	void *arg;
	struct svb_left *left; // blocks of regions that moved to another domain
};

// One piece of memory from the allocator of a parent domain, or from ours.
struct svb_block {
	void *ptr;
	uint64_t resource;
	bool custom; // came from the caller's allocator
};

struct svb_left {
	struct svb_left *next;
	struct svb_block block;
};

struct svb_mr {
	struct ibv_mr pub;
	struct svb_obj obj;
	bool plain, null;      // plain: the library asks the kernel to change it; null: no kernel object
	struct svb_pd *holder; // PD whose users count includes this region; NULL: none
	struct svb_block block;
};

struct svb_mem { // device memory: shared by the handles that map it
	unsigned refs;
	char *addr, *base; // base, mapped: what munmap gets
	size_t mapped;
	uint64_t length;
	int fd;
};

struct svb_dm {
	struct ibv_dm pub;
	struct svb_obj obj;
	struct svb_mem *mem;
	struct svb_dev *dev;
};

// --- kernel objects ---

enum svb_ktype { SVB_K_PD, SVB_K_MR, SVB_K_DM, SVB_K_CQ, SVB_K_QP, SVB_K_AH };

struct svb_kobj {
	enum svb_ktype type;
	uint32_t handle;
};

struct svb_kpd {
	struct svb_kobj k;
	unsigned mrs, queues; // queues: queue pairs and address handles
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
};

struct svb_file {
	struct svb_file *next;
	struct svb_dev *dev;
	unsigned ctxs;
	dev_t st_dev; // of the descriptor that the program holds
	ino_t st_ino;
	int peer_fd; // hangs up when the last copy of that descriptor is closed
	struct svb_kobj **objs;
	uint32_t nobjs, freeobj; // no handle under freeobj is free
};

// registry.c: user objects, by address. All with svb_lock held.
SVB_HIDDEN void svb_register(struct svb_obj *o, enum svb_type t, const void *pub, struct svb_inst *in, struct svb_ctx *c);
SVB_HIDDEN void svb_unregister(struct svb_obj *o);
SVB_HIDDEN struct svb_obj *svb_find(const void *pub, enum svb_type t);
SVB_HIDDEN struct svb_ctx *svb_find_ctx(const struct ibv_context *c);
SVB_HIDDEN struct svb_pd *svb_find_pd(const struct ibv_pd *pd);
SVB_HIDDEN void svb_describe(const struct svb_obj *o, const char *what, char *buf, size_t n);
SVB_HIDDEN void svb_leak(struct svb_inst *in, const char *text);
SVB_HIDDEN void svb_each(struct svb_inst *in, enum svb_type t, void (*f)(struct svb_obj *, void *), void *arg);
SVB_HIDDEN int svb_count(struct svb_inst *in, enum svb_type t);
// svb_report gives the text of Leaks, one line each, to be freed with free().
SVB_HIDDEN char *svb_report(int slot);

// slot.c
SVB_HIDDEN int svb_new(const struct svb_config *cfg); // slot, or -errno
SVB_HIDDEN int svb_close(int slot);                   // 0, EBUSY with open contexts
SVB_HIDDEN struct svb_inst *svb_slot(int slot);
SVB_HIDDEN uintptr_t svb_symbol(int slot, const char *name, const char *version);

// fail.c
SVB_HIDDEN int svb_verb_of(const char *name); // -1: unknown
SVB_HIDDEN int svb_op_of(const char *name);
SVB_HIDDEN int svb_arm(int slot, int verb, uint64_t nth, int err);
SVB_HIDDEN int svb_struck_locked(struct svb_inst *in, enum svb_verb v); // with svb_lock held
SVB_HIDDEN int svb_struck(struct svb_inst *in, enum svb_verb v);
// svb_fails_locked is svb_fails with svb_lock held.
static inline int svb_fails_locked(struct svb_inst *in, enum svb_verb v)
{
	return __atomic_load_n(&in->armed[v], __ATOMIC_RELAXED) ? svb_struck_locked(in, v) : 0;
}
SVB_HIDDEN void svb_disarm(struct svb_inst *in);
// svb_fails answers the errno that the current call of v is told to fail with, or 0.
static inline int svb_fails(struct svb_inst *in, enum svb_verb v)
{
	return __atomic_load_n(&in->armed[v], __ATOMIC_RELAXED) ? svb_struck(in, v) : 0;
}

// device.c

// query.c

// pd.c
SVB_HIDDEN void svb_pd_free(struct svb_pd *pd); // without a call of its allocator

// block.c: memory through the allocator of a parent domain. Without svb_lock.
SVB_HIDDEN int svb_block_get(struct svb_pd *pd, uint32_t code, size_t size, struct svb_block *b);
SVB_HIDDEN void svb_block_put(struct svb_pd *pd, struct svb_block *b);

// mr.c, mrkeep.c, rereg.c
// svb_enter_mr makes the kernel object and the handle of a region, whose addr field is addr; NULL + errno. It
// owns span.map either way.
SVB_HIDDEN struct svb_mr *svb_enter_mr(struct svb_pd *pd, const struct svb_span *span, void *addr, uint32_t access, struct svb_dm *dm, bool plain);
SVB_HIDDEN struct svb_mr *svb_enter_null_mr(struct svb_pd *pd);
// dmabuf.c
SVB_HIDDEN struct ibv_mr *svb_map_mr(struct svb_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, uint32_t access);

// check.c: what a kernel refuses. They answer an errno, 0 when the call may go on.
SVB_HIDDEN int svb_check_access(const struct svb_dev *d, uint32_t access);
SVB_HIDDEN int svb_check_host(const struct svb_dev *d, uintptr_t addr, uint64_t length, uint32_t access);
SVB_HIDDEN bool svb_mapped(uintptr_t addr, uint64_t length, bool write);

// dm.c
SVB_HIDDEN void svb_mem_put(struct svb_mem *m);

// kernel.c: with svb_lock held
SVB_HIDDEN struct svb_file *svb_file_open(struct svb_dev *d, int *cmd_fd); // NULL + errno
SVB_HIDDEN struct svb_file *svb_file_of(struct svb_inst *in, int cmd_fd);  // NULL: none
SVB_HIDDEN void svb_file_sweep(struct svb_inst *in); // ends the files that nobody holds any more
SVB_HIDDEN int svb_handle_add(struct svb_file *f, struct svb_kobj *k, enum svb_ktype t);
SVB_HIDDEN struct svb_kobj *svb_handle_get(struct svb_file *f, uint32_t handle, enum svb_ktype t);
SVB_HIDDEN void svb_handle_drop(struct svb_file *f, uint32_t handle);
SVB_HIDDEN int svb_key_add(struct svb_dev *d, struct svb_kmr *mr);
SVB_HIDDEN void svb_key_drop(struct svb_kmr *mr);
SVB_HIDDEN struct svb_kmr *svb_key_find(const struct svb_dev *d, uint32_t key, bool remote);
SVB_HIDDEN void svb_kmr_wait(struct svb_kmr *mr); // until no operation of the peer uses it; may let go of the lock
SVB_HIDDEN void svb_kmr_end(struct svb_file *f, struct svb_kmr *mr);

#endif

// What stands for a machine: one softverbs.Device of Go with its list of devices, as Go set it up. Instances sit in a fixed
// number of slots.
#ifndef SVB_INSTANCE_H
#define SVB_INSTANCE_H

#include <sys/queue.h>

#include "numbers.h"

#define SVB_SLOTS 64
#define SVB_NAME 64

// Verbs that can be told to fail.
enum svb_verb {
#define VERB(id, name) SVB_##id,
#include "table.h"
	SVB_SENT,      // no verb: the nth request that is posted to a send queue
	SVB_COMPLETED, // no verb: the nth completion
	SVB_VERBS
};

// Operations of verbs_context, which a test may replace.
enum svb_op {
#define OP(member, present, function) SVB_OP_##member,
#include "table.h"
	SVB_OPS
};

_Static_assert(SVB_OPS <= 64, "svb_config.absent has a bit per operation; make it larger");

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
	uint8_t no_raw;      // no queue pairs of raw packets
	uint8_t net_raw;     // the process may make them, and flows
	uint8_t plain_cq_ex; // extended completion queues have the standard fields alone
	uint8_t one_key; // lkey and rkey are one
	uint8_t frees_gone; // what was made on a device that is gone can be destroyed
	uint8_t mlx5;       // queue pairs have the sizes, errors and limits of mlx5; those of soft-RoCE otherwise
};

struct svb_config {
	int ndevs;
	struct svb_devcfg *devs; // copied
	size_t vctx_size;        // verbs_context.sz of the release that is imitated
	size_t port_attr_size;   // sizeof(struct ibv_port_attr) there
	int newest;              // symbols of that release have versions up to IBVERBS_1.newest
	uintptr_t override[SVB_OPS];
	uint64_t absent; // bit per op: left out
};

struct svb_key;
struct svb_worker;
struct svb_late;
struct svb_flow;

enum { SVB_ALIKE = 1024 }; // lists of queue pairs, by number

struct svb_dev {
	struct ibv_device pub;
	struct svb_inst *inst;
	struct svb_devcfg cfg;
	uint64_t dm_used, pinned; // bytes
	struct svb_key *keys;
	uint32_t nkeys;
	struct svb_numbers numbers; // of keys: the index of a region, less 1
	TAILQ_HEAD(svb_qps, svb_qp) qps; // the one whose turn is first
	LIST_HEAD(, svb_qp) numbered[SVB_ALIKE]; // the same, by their numbers
	TAILQ_HEAD(svb_flows, svb_flow) flows; // by priority; of one priority the oldest first
	uint32_t next_qpn;
	TAILQ_HEAD(svb_srqs, svb_srq) srqs; // of type XRC
	uint32_t next_srqn;
	struct svb_worker *worker; // NULL: no queue pair yet
	bool *port_down;           // by port number - 1
	bool gone;                 // atomic: only contexts can be closed
	TAILQ_HEAD(svb_lates, svb_late) late; // completions that wait
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
	uint64_t least_late, most_late; // ns that a completion waits for; most 0: none does
	uint64_t random;                // state of the generator that chooses between the two
};

// instance.c
SVB_HIDDEN struct svb_inst *svb_slot(int slot); // NULL: nobody uses it
SVB_HIDDEN struct svb_inst *svb_slot_take(void); // zeroed; NULL: all are in use
SVB_HIDDEN struct svb_dev *svb_device_named(int slot, const char *name); // NULL: there is none
SVB_HIDDEN void svb_leak(struct svb_inst *in, const char *text); // with svb_lock held

// fail.c
SVB_HIDDEN int svb_verb_of(const char *name); // -1: unknown
SVB_HIDDEN int svb_op_of(const char *name);
SVB_HIDDEN int svb_arm(int slot, int verb, uint64_t nth, int err);
SVB_HIDDEN int svb_struck_locked(struct svb_inst *in, enum svb_verb v); // with svb_lock held
SVB_HIDDEN int svb_struck(struct svb_inst *in, enum svb_verb v);
SVB_HIDDEN void svb_disarm(struct svb_inst *in);
// svb_fails gives the errno that the current call of v is told to fail with, or 0.
static inline int svb_fails(struct svb_inst *in, enum svb_verb v)
{
	return __atomic_load_n(&in->armed[v], __ATOMIC_RELAXED) ? svb_struck(in, v) : 0;
}
// svb_fails_locked is svb_fails with svb_lock held.
static inline int svb_fails_locked(struct svb_inst *in, enum svb_verb v)
{
	return __atomic_load_n(&in->armed[v], __ATOMIC_RELAXED) ? svb_struck_locked(in, v) : 0;
}

#endif

// The objects of the verbs, without what a provider adds: that is behind own of the object.
#ifndef CARD_VERBS_H
#define CARD_VERBS_H

#include <rdma/ib_user_verbs.h>

#include "uverbs/event.h"
#include "wire/frame.h"
#include "wire/key.h"

struct pd {
	struct object o;
};

struct xrcd {
	struct object o;
	dev_t where;
	ino_t inode;    // of the file that others open it by, or 0
};

// xrcd_same reports whether two handles are of one domain.
bool xrcd_same(const struct xrcd *, const struct xrcd *) HIDDEN;

// domain_import, dm_import and memory_import make the object of a handle out of what the process that made it left in the open file.
struct object *domain_import(struct context *, uint32_t handle, const void *facts) HIDDEN;
struct object *dm_import(struct context *, uint32_t handle, const void *facts) HIDDEN;
struct object *memory_import(struct context *, uint32_t handle, const void *facts) HIDDEN;

struct dm {
	struct object o;
	LIST_ENTRY(dm) link; // of the provider
	uint64_t length;
	uint64_t placed[2];  // where the provider put it, for other processes
};

struct mr {
	struct object o;
	struct dm *dm;  // NULL: of the process's memory
	struct key key;
	void *view;     // of a DMA-buf: where it is mapped here
	size_t view_length;
	void *copy;     // of a region of another process: where the file that its memory is of is mapped here
	size_t copy_length;
};

struct mw {
	struct object o;
	struct key key;
};

struct cq {
	struct object o;
	struct channel *channel;
	uint32_t entries;
	bool overrun;         // it had no room: no further completion
};

struct srq {
	struct object o;
	struct pd *pd;
	struct cq *cq;        // of XRC
	struct xrcd *xrcd;
	int type;
	uint32_t max_wr, max_sge, limit;
};

struct wq {
	struct object o;
	struct pd *pd;
	struct cq *cq;
	uint32_t max_wr, max_sge;
	int state;            // IBV_WQS_*
};

// A table that spreads what is received over work queues.
struct table {
	struct object o;
	uint32_t n;
	struct wq *wqs[];
};

// How a queue pair chooses the entry of its table: IBV_RX_HASH_* of a packet, by Toeplitz's function. No fields: always the first.
struct hash {
	uint64_t fields;
	uint8_t key[40];
};

enum { GROUPS = 16 };   // multicast groups that a queue pair can join here
enum { ERRORED = 4 };   // streams of a DCI that can fail

struct qp {
	struct object o;
	struct pd *pd;
	struct cq *scq, *rcq;
	struct srq *srq;
	struct xrcd *xrcd;
	struct table *table;           // in place of a receive queue
	struct hash hash;
	uint32_t number;
	int type, state;
	bool signal_all, no_loopback; // no_loopback: no copies of its own multicasts
	bool only_sends;              // of a DCI: nothing is sent to it
	bool unnamed;                 // of a DCT: it learns its number later
	uint16_t errored[ERRORED];    // of a DCI: the streams that failed
	int nerrored, errored_most;   // with so many, it fails itself
	uint64_t dc_key;              // of a DCT: requests must have it
	struct ib_uverbs_qp_cap cap;
	struct ib_uverbs_modify_qp at; // the attributes, as last modified
	uint8_t groups[GROUPS][16];
	int ngroups;
	struct qp *real;               // of a handle by ibv_open_qp: whose; the real one has a list of them
	LIST_HEAD(, qp) openers;
	LIST_ENTRY(qp) opener;
	// of the wire
	uint64_t wait;                 // no request before this time
	struct exchange *far;          // an answer of another process that is awaited
	unsigned tries, rnr;           // of the request at the head
	bool late;                     // it was delayed
	bool established, last_said;
};

struct counters {
	struct object o;
	uint64_t packets, bytes;
};

struct flow {
	struct object o;
	struct qp *qp;
	struct counters *counters;     // NULL: nothing is counted
	int order;                     // the lowest takes a frame; of those with one order, the oldest is the first
	bool egress, drop, goes_on;    // goes_on: others take it too
	uint32_t tag;
	struct rule rules[2];          // a frame meets one of them at most
	int nrules;
};

#endif

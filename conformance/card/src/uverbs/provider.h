// What the kernel half of one provider adds to ib_uverbs: its driver's data, its memory and its queues. Another provider stands beside
// mlx5 by another struct provider; no file of uverbs and wire includes one of mlx5.
//
// To add a provider, as efa was added:
//  1. Make a folder for it, with a struct provider: the driver's data of each command, as the kernel's driver answers it, and what an
//     offset of mmap maps. Leave out a function that the kernel's driver lacks if the user half does not call it.
//  2. Write its struct format (wire/format.h), which decodes requests and receives and writes completions. The wire finds work where it
//     polls: in doorbell records, or in doorbell pages, which are shared memory and show only the last write to a register. A request for
//     an event that shares its word with a consumer index can get lost, which is why efa has no completion channels.
//  3. Add its name to base.c, and what the device says in /sys to kinds of tree.go.
// Outside its folder, efa needed queue pairs of type DRIVER and their states (qp.c, modify.c), check_access, gids and an end of queues
// here, and on the wire a kind that is reliable without a connection (wire/arrive.c, wire/requester.c).
#ifndef CARD_PROVIDER_H
#define CARD_PROVIDER_H

#include "uverbs/attr.h"
#include "uverbs/verbs.h"
#include "wire/format.h"

struct method {
	uint16_t object, method;
	void (*run)(const struct call *);
	uint16_t handle, events; // of destroys
};

// What a flow looks at or does (IBV_FLOW_SPEC_*), with zeros behind a shorter filter.
struct spec {
	uint32_t type;
	uint8_t value[40], mask[40];
	uint32_t tag;
	struct counters *counters;
};

enum { VECTORS = 4 }; // of completions, of every device

struct provider {
	const char *name;
	const struct method *methods; // its own, beside those of uverbs; the last has no run
	const struct format *format;  // of its queues
	bool on_demand;               // regions can have pages that come when they are needed
	uint32_t gids;                // entries of the GID table that are not empty
	uint32_t datagram;            // bytes of a message without a connection, at most

	size_t size;                  // of an open file, behind the last page that can be mapped

	int (*start)(struct device *); // can be NULL

	// map returns the error of mmap.
	int (*map)(struct context *, size_t length, int prot, off_t offset);

	void (*get_context)(const struct call *);
	void (*device_attr)(const struct device *, struct ib_uverbs_ex_query_device_resp *);
	void (*query_device)(const struct call *);
	void (*port_attr)(const struct device *, struct ib_uverbs_query_port_resp *);
	void (*alloc_pd)(const struct call *, struct pd *);
	void (*create_ah)(const struct call *);

	void (*alloc_dm)(const struct call *, struct dm *, uint32_t log_align);
	int (*import_dm)(struct context *, struct dm *); // of which only length and place are known
	void (*free_dm)(struct dm *);
	uint8_t *(*reg_dm)(const struct dm *, uint32_t access); // returns the memory
	void (*check_mw)(const struct call *);
	void (*check_access)(uint32_t access); // of the process's memory; NULL: what uverbs allows

	void (*create_cq)(const struct call *, struct cq *, uint32_t entries, uint32_t flags);
	void (*resize_cq)(const struct call *, struct cq *, uint32_t entries);
	void (*modify_cq)(struct cq *, uint16_t count, uint16_t period);
	void (*create_srq)(const struct call *, struct srq *);
	void (*modify_srq)(struct srq *, const struct ib_uverbs_modify_srq *);
	void (*create_wq)(const struct call *, struct wq *, uint32_t flags);
	void (*modify_wq)(const struct call *, struct wq *, int from, int to, uint32_t flags);
	void (*create_table)(const struct call *);
	uint32_t table_most;   // entries of a table
	void (*create_flow)(const struct call *, struct flow *, const struct ib_uverbs_flow_attr *, const struct spec *, int n);
	void (*destroy_flow)(struct flow *);
	int (*read_counters)(const struct counters *, uint64_t *values, size_t n);
	void (*create_qp)(const struct call *, struct qp *, uint32_t flags);
	void (*modify_qp)(const struct call *, struct qp *, const struct ib_uverbs_modify_qp *);
	void (*query_qp)(const struct qp *, struct ib_uverbs_query_qp_resp *);
	void (*reset_qp)(struct qp *);
	void (*context_end)(struct context *);
	void (*end_cq)(struct cq *); // before own is freed; NULL: nothing else is to be released
	void (*end_qp)(struct qp *);
};

extern const struct provider mlx5, efa HIDDEN;

#endif

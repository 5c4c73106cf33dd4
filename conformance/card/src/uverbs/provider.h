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

#include <stdio.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/verbs.h"
#include "wire/format.h"

// A command, whose attributes (attr.c) are those of rdma_user_ioctl_cmds.h.
struct call {
	struct context *ctx;
	struct device *dev;
	struct ib_uverbs_ioctl_hdr *hdr;
	const struct method *method;
};

// attr returns an attribute, or NULL.
struct ib_uverbs_attr *attr(const struct call *, uint16_t id) HIDDEN;

// attr_in copies an input to a struct, with zeros for what is not given, and returns the length of what is given.
size_t attr_in(const struct call *, uint16_t id, void *to, size_t size) HIDDEN;

// attr_pointer returns where an input lies.
const void *attr_pointer(const struct call *, uint16_t id, size_t *length) HIDDEN;

// attr_number returns a number, handle, flag set or descriptor.
uint64_t attr_number(const struct call *, uint16_t id, uint64_t otherwise) HIDDEN;

// attr_object looks up the object whose handle an attribute has; attr_needed has another object need it.
void *attr_object(const struct call *, uint16_t id, int type) HIDDEN;
void *attr_needed(const struct call *, struct object *, uint16_t id, int type) HIDDEN;

// destroys is what runs a method that ends an object: its row names the attribute with the handle, and the one that says how many events of
// the object were read, or 0.
void destroys(const struct call *) HIDDEN;

// attr_out writes an output, as much of it as there is room for, and zeros behind it (uverbs_copy_to_struct_or_zero).
void attr_out(const struct call *, uint16_t id, const void *from, size_t size) HIDDEN;
void attr_out32(const struct call *, uint16_t id, uint32_t value) HIDDEN;

// attr_created answers the handle of a new object.
void attr_created(const struct call *, uint16_t id, uint64_t value) HIDDEN;

#define ATTR_IN(call, id, var) attr_in((call), (id), &(var), sizeof(var))
// ATTR_READ declares a struct with what an attribute passes.
#define ATTR_READ(call, id, type, var) struct type var; ATTR_IN(call, id, var)
// ATTR_ANSWER writes a struct with these values.
#define ATTR_ANSWER(call, id, type, ...) attr_out((call), (id), &(struct type){__VA_ARGS__}, sizeof(struct type))
#define ATTR_OUT(call, id, var) attr_out((call), (id), &(var), sizeof(var))

// A method of an object, or a command of the older interface, which comes as an attribute of INVOKE_WRITE: its object is WRITTEN.
enum { WRITTEN = 1 << 16 };
#define EXTENDED(n) (IB_USER_VERBS_CMD_FLAG_EXTENDED | (uint32_t)(n))

struct method {
	uint32_t object, method;
	void (*run)(const struct call *);
	size_t in, out; // of destroys: the attributes of the handle and of the events that were read; of WRITTEN: sizes of its structs, at least
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
	void (*import_dm)(struct dm *); // that another process made
	void (*free_dm)(struct dm *);
	uint8_t *(*reg_dm)(const struct dm *, uint32_t access); // returns the memory
	void (*check_mw)(const struct call *);
	void (*check_access)(uint32_t access); // of the process's memory; NULL: what uverbs allows

	void (*create_cq)(const struct call *, struct cq *, uint32_t entries, uint32_t flags);
	void (*resize_cq)(const struct call *, struct cq *, uint32_t entries);
	void (*modify_cq)(uint16_t period);
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

// dispatch.c: the commands of a device: ioctl(RDMA_VERBS_IOCTL).

// dispatch does a command and returns its error. It takes the lock.
int dispatch(struct context *, struct ib_uverbs_ioctl_hdr *) HIDDEN;

// The tables, each in the file of its family; the last entry has no run.
extern const struct method device_methods[], domain_methods[], memory_methods[], paging_methods[], cq_methods[], srq_methods[],
	wq_methods[], qp_methods[], flow_methods[] HIDDEN;

// memory.c, paging.c, pin.c, share.c: the process's memory, as a region needs it.

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

// qp.c, qphandle.c, modify.c: modifying and querying a queue pair.

// qp_get looks up a queue pair by any of its handles.
struct qp *qp_get(const struct call *, uint32_t handle) HIDDEN;

// qp_open makes another handle of an XRC target.
void qp_open(const struct call *) HIDDEN;

// qp_settle does what was posted to a queue pair whose last handle is to go, before its events are counted.
void qp_settle(struct qp *) HIDDEN;

// qp_end releases a handle; the queue pair ends with its last.
void qp_end(struct object *) HIDDEN;

void qp_modify(const struct call *) HIDDEN;
void qp_modify_ex(const struct call *) HIDDEN;
void qp_query(const struct call *) HIDDEN;

#endif

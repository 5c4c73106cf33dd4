// What the user's half has beside the kernel's: the devices that are open, the public structs, and calls that fail on order. Each struct
// begins with that of the kernel's half.
#ifndef SCM_LIBRARY_H
#define SCM_LIBRARY_H

#include "abi.h"

#include "kernel/src/kernel.h"

#define SCM_SLOTS 64

// Calls that can be told to fail.
enum scm_verb {
#define VERB(id, name, minor, result, ...) SCM_V_##id,
#define VERB_OF_SLOT(id, name, minor, result, parameters, args) SCM_V_##id,
#include "table.h"
	SCM_VERBS
};

// The functions of the verbs library that this one calls: VERBS(member of scm_verbs).
#define SCM_CALLED(m) m(get_device_list) m(free_device_list) m(get_device_name) m(get_device_guid) m(open_device) m(close_device) \
	m(query_device) m(query_port) m(query_gid) m(alloc_pd) m(dealloc_pd) m(create_qp) m(modify_qp) m(destroy_qp) \
	m(create_comp_channel) m(destroy_comp_channel) m(create_cq) m(destroy_cq) m(attach_mcast) m(detach_mcast)
struct scm_verbs {
#define SCM_MEMBER(name) vg_fn_ibv_##name name;
	SCM_CALLED(SCM_MEMBER)
#undef SCM_MEMBER
};

struct lib_dev {
	struct scm_dev k;
	struct lib_machine *m;
	struct ibv_device *device;
	struct ibv_context *verbs; // NULL: not opened yet
	struct ibv_pd *pd;         // NULL: no identifier is bound to it
	int users;                 // identifiers, and lists of rdma_get_devices
	uint8_t max_initiator_depth, max_responder_resources;
};

struct lib_machine {
	struct scm_machine k;
	bool used;
	int slot;
	struct scm_verbs v;
	struct ibv_device **list;
	struct lib_dev *all; // k.ndevs
	unsigned lists;      // of rdma_get_devices that are not freed
	struct scm_rule *fails[SCM_VERBS];
};

struct lib_channel {
	struct scm_channel k;
	struct rdma_event_channel pub;
};

struct lib_group {
	struct scm_group k;
	void *context;
	unsigned completed; // events
	bool attached;      // the queue pair
};

struct lib_id {
	struct scm_id k;
	struct rdma_cm_id pub;
	unsigned completed;   // events
	struct lib_dev *open; // whose context it has
	uint8_t initiator_depth, responder_resources;
	bool connect_error;
	struct ibv_ece local_ece, remote_ece;
};

#define SCM_OF(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))
#define SCM_ID(public) SCM_OF(public, struct lib_id, pub)
#define SCM_CHANNEL(public) SCM_OF(public, struct lib_channel, pub)
#define SCM_LIB(type, kernel) ((struct lib_##type *)(void *)(kernel))

extern pthread_cond_t scm_acked SCM_HIDDEN; // an event was acknowledged

// scm_answer returns what a function of librdmacm does for an errno: 0, or -1 with errno set.
static inline int scm_answer(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

// machine.c: with scm_lock held
SCM_HIDDEN struct lib_machine *scm_slot(int slot); // NULL: nobody uses it
SCM_HIDDEN struct lib_machine *scm_slot_take(void);
SCM_HIDDEN struct lib_dev *scm_device_named(int slot, const char *name);

static inline int scm_fails(struct lib_machine *m, enum scm_verb v)
{
	return m->fails[v] ? scm_rule_strikes(&m->fails[v]) : 0;
}

#endif

// The user's half: the functions that a program calls, in table.h's order, as librdmacm/cma.c of rdma-core has them. They call the
// verbs library without scm_lock, unless it cannot wait.
#ifndef SCM_ENTRY_H
#define SCM_ENTRY_H

#include "library.h"

#define VERB(id, name, minor, result, ...) SCM_HIDDEN result scm_rdma_##name(__VA_ARGS__);
#define PLAIN(name, minor, result, ...) SCM_HIDDEN result scm_rdma_##name(__VA_ARGS__);
#include "table.h"
SCM_HIDDEN struct rdma_event_channel *scm_rdma_create_event_channel(int slot);
SCM_HIDDEN struct ibv_context **scm_rdma_get_devices(int slot, int *num);

// What files of this layer do for other files of it.

// ids.c: fills in the public struct of a new identifier
SCM_HIDDEN void scm_id_made(struct lib_id *id, void *context);

// devices.c: with scm_lock held
SCM_HIDDEN int scm_dev_use(struct lib_dev *d); // opens the device; the use ends with scm_dev_leave. 0, or an errno
SCM_HIDDEN void scm_dev_leave(struct lib_dev *d);

// query.c: copies what the kernel knows to the public struct. 0, or an errno
SCM_HIDDEN int scm_query_addr(struct lib_id *id);
SCM_HIDDEN void scm_query_gid(struct lib_id *id);
SCM_HIDDEN int scm_query_path(struct lib_id *id);

// connections.c: has the kernel accept. 0, or an errno
SCM_HIDDEN int scm_accepted(struct lib_id *id, const struct scm_param *p);

// qps.c: without scm_lock; 0 without a queue pair. 0, or an errno
SCM_HIDDEN int scm_qp_rtr(struct lib_id *id, uint8_t responder_resources);
SCM_HIDDEN int scm_qp_rts(struct lib_id *id, uint8_t initiator_depth);
SCM_HIDDEN int scm_qp_err(struct lib_id *id);

static inline const struct scm_verbs *scm_v(const struct lib_id *id)
{
	return &SCM_LIB(machine, id->k.m)->v;
}

// scm_enter takes scm_lock for a call of v. It returns what the call ends with before anything is done: what it is told to fail with,
// or ENXIO for an identifier whose device was removed.
static inline int scm_enter(struct rdma_cm_id *pub, enum scm_verb v)
{
	int err;

	scm_lock_all();
	err = scm_fails(SCM_LIB(machine, SCM_ID(pub)->k.m), v);
	return !err && SCM_ID(pub)->k.state == SCM_REMOVED ? ENXIO : err;
}

// scm_wait_acked waits until the program has acknowledged the events that it got, with scm_lock held.
static inline void scm_wait_acked(const unsigned *completed, const unsigned *reported)
{
	while (*completed < *reported)
		pthread_cond_wait(&scm_acked, &scm_lock);
}

// scm_leave_with gives scm_lock back and returns what the function of librdmacm does.
static inline int scm_leave_with(int err)
{
	scm_unlock_all();
	return scm_answer(err);
}

// SCM_CALL is a call of v that is nothing but what, which gives 0 or an errno, with scm_lock held.
#define SCM_CALL(pub, v, what) scm_leave_with(scm_enter(pub, v) ?: (what))

#endif

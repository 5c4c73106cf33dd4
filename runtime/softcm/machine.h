// What stands for a machine: one Manager of Go with the devices of its verbs library, the messages that it loses, and its timers.
#ifndef SCM_MACHINE_H
#define SCM_MACHINE_H

#include "base.h"

#define SCM_SLOTS 64
#define SCM_NAME 64
#define SCM_NS_PER_MS 1000000u

// Calls that can be told to fail.
enum scm_verb {
#define VERB(id, name, minor, result, ...) SCM_V_##id,
#define VERB_OF_SLOT(id, name, minor, result, parameters, args) SCM_V_##id,
#include "table.h"
	SCM_VERBS
};

// Messages between identifiers, as InfiniBand names them.
enum scm_message { SCM_REQ, SCM_REP, SCM_RTU, SCM_REJ, SCM_DREQ, SCM_DREP, SCM_SIDR_REQ, SCM_SIDR_REP, SCM_MESSAGES };

// The functions of the verbs library that this one calls: VERBS(member of scm_verbs).
#define SCM_CALLED(m) m(get_device_list) m(free_device_list) m(get_device_name) m(get_device_guid) m(open_device) m(close_device) \
	m(query_device) m(query_port) m(query_gid) m(alloc_pd) m(dealloc_pd) m(create_qp) m(modify_qp) m(destroy_qp) \
	m(create_comp_channel) m(destroy_comp_channel) m(create_cq) m(destroy_cq) m(attach_mcast) m(detach_mcast)
struct scm_verbs {
#define SCM_MEMBER(name) vg_fn_ibv_##name name;
	SCM_CALLED(SCM_MEMBER)
#undef SCM_MEMBER
};

struct scm_gid {
	union ibv_gid gid;
	uint8_t port, index;
};

struct scm_machine;
struct scm_id;

struct scm_dev {
	struct scm_machine *m;
	struct ibv_device *device;
	char name[SCM_NAME];
	unsigned ports;
	struct scm_gid *gids;
	size_t ngids;
	bool gone; // removed: identifiers can no longer be bound to it
	LIST_HEAD(, scm_id) ids; // that are bound to it
	// Of the user's half:
	struct ibv_context *verbs; // NULL: not opened yet
	struct ibv_pd *pd;         // NULL: no identifier is bound to it
	int users;                 // identifiers, and lists of rdma_get_devices
	uint8_t max_initiator_depth, max_responder_resources;
	enum ibv_mtu mtu;
};

struct scm_timer {
	TAILQ_ENTRY(scm_timer) link;
	uint64_t due; // CLOCK_MONOTONIC, ns; 0: not set
	void (*ring)(struct scm_timer *); // with scm_lock held; may free the timer
};

struct scm_rule { // the nth of something, counted down
	struct scm_rule *next;
	uint64_t left; // 0: each one
	int err;
};

struct scm_config {
	uint64_t response_ns, timewait_ns; // between two sends of a message; of a connection that ended
	uint32_t retries;
	bool loopback; // 127.0.0.1 and ::1 lead to the first device
};

struct scm_channel;

struct scm_machine {
	bool used;
	int slot;
	struct scm_config cfg;
	struct scm_verbs v;
	struct ibv_device **list;
	struct scm_dev *devs;
	size_t ndevs;
	LIST_HEAD(, scm_channel) channels;
	LIST_HEAD(scm_bucket, scm_id) *bound; // buckets of identifiers by port, SCM_BUCKETS of them
	uint16_t next_port;
	uint32_t random;
	unsigned nids, lists; // identifiers that live, lists of rdma_get_devices that are not freed
	struct scm_rule *fails[SCM_VERBS], *lost[SCM_MESSAGES];
	struct sockaddr_storage *silent; // addresses that nobody answers at
	size_t nsilent;
	TAILQ_HEAD(scm_timers, scm_timer) timers; // the next to ring is first
	pthread_t clock;
	pthread_cond_t changed; // the first timer is another one, or the clock is to end
	bool running, ending;
};

#define SCM_BUCKETS 1024

// machine.c: with scm_lock held
SCM_HIDDEN struct scm_machine *scm_slot(int slot); // NULL: nobody uses it
SCM_HIDDEN struct scm_machine *scm_slot_take(void);
SCM_HIDDEN struct scm_dev *scm_device_named(struct scm_machine *m, const char *name);
SCM_HIDDEN uint32_t scm_random(struct scm_machine *m);

// rules.c: with scm_lock held
SCM_HIDDEN int scm_rule_add(struct scm_rule **rules, uint64_t nth, int err); // 0, or ENOMEM
SCM_HIDDEN int scm_rule_strikes(struct scm_rule **rules); // the errno of the rule that strikes now, or 0
SCM_HIDDEN void scm_rules_free(struct scm_rule **rules);
static inline int scm_fails(struct scm_machine *m, enum scm_verb v)
{
	return m->fails[v] ? scm_rule_strikes(&m->fails[v]) : 0;
}

// timer.c: with scm_lock held
SCM_HIDDEN void scm_timer_set(struct scm_machine *m, struct scm_timer *t, uint64_t ns, void (*ring)(struct scm_timer *));
SCM_HIDDEN void scm_timer_stop(struct scm_machine *m, struct scm_timer *t);
SCM_HIDDEN void scm_clock_stop(struct scm_machine *m); // lets go of the lock meanwhile

#endif

// The kernel's half of a connection manager: identifiers, their states, the messages between them, and the events that wait to be
// taken. What each call answers in each state is that of Linux 6.1; the functions name the one of the kernel that they follow, of
// drivers/infiniband/core/ucma.c, cma.c and cm.c. The half that calls it is softcm's own librdmacm, or the ABI of /dev/infiniband/rdma_cm
// of the emulated card (conformance/card), where several processes are one machine.
//
// All functions are called with scm_lock held. Those that return int return 0 or an errno.
#ifndef SCM_KERNEL_H
#define SCM_KERNEL_H

#include "addr.h"

#define SCM_HEADER 36      // bytes of private data that rdma_cm takes for itself in a request
#define SCM_REQ_DATA 92    // private data of messages
#define SCM_REP_DATA 196
#define SCM_REJ_DATA 148
#define SCM_SIDR_REQ_DATA 216
#define SCM_SIDR_REP_DATA 136
#define SCM_DATA 256
#define SCM_MAX_BACKLOG 1024
#define SCM_QKEY 0x01234567

// Reasons of a rejection, and statuses of an answer to a lookup.
enum { SCM_REJ_TIMEOUT = 4, SCM_REJ_INVALID_SERVICE_ID = 8, SCM_REJ_CONSUMER = 28, SCM_REJ_VENDOR_OPTION = 35 };
enum { SCM_SIDR_OK, SCM_SIDR_UNSUPPORTED, SCM_SIDR_REJECTED };

// What an identifier is at, enum rdma_cm_state of the kernel.
enum scm_state {
	SCM_IDLE, SCM_ADDR_QUERY, SCM_ADDR_RESOLVED, SCM_ROUTE_QUERY, SCM_ROUTE_RESOLVED, SCM_CONNECT, SCM_DISCONNECT, SCM_ADDR_BOUND,
	SCM_LISTEN, SCM_REMOVED
};

// What its connection is at, enum ib_cm_state. A message that asks for more time is part of receiving one, so the states behind it
// are those before it.
enum scm_cm {
	SCM_CM_IDLE, SCM_CM_REQ_SENT, SCM_CM_REQ_RCVD, SCM_CM_REP_SENT, SCM_CM_REP_RCVD, SCM_CM_ESTABLISHED, SCM_CM_DREQ_SENT,
	SCM_CM_DREQ_RCVD, SCM_CM_TIMEWAIT, SCM_CM_SIDR_SENT, SCM_CM_SIDR_RCVD
};

// What one end tells the other.
struct scm_param {
	uint32_t qp_num, qkey, psn;
	uint8_t responder_resources, initiator_depth, flow_control, retry_count, rnr_retry_count, srq;
	uint32_t ece_vendor, ece_options;
	uint8_t len; // of data
	uint8_t data[SCM_DATA];
};

// A message. That of an identifier that another process has goes there as it is.
struct scm_wire {
	enum scm_message kind;
	uint32_t from, to;           // numbers of identifiers; to is 0 as long as the peer did not say its own; of a request, the listener
	int process;                 // of from
	bool again;                  // it was sent before
	int space;
	enum ibv_qp_type qp_type;
	int reason;                  // of a rejection, or the status of an answer to a lookup
	struct sockaddr_storage src, dst;
	struct scm_param param;
};

struct scm_group { // that a datagram identifier has joined; the half above allocates it
	LIST_ENTRY(scm_group) link;
	struct scm_id *id;
	struct sockaddr_storage addr;
	union ibv_gid mgid;
	unsigned reported; // events
};

struct scm_event {
	STAILQ_ENTRY(scm_event) link;
	struct scm_id *id;       // whose it is; of a request the one that listens
	struct scm_id *child;    // of a request
	struct scm_group *group; // of a group
	enum rdma_cm_event_type type;
	int status;
	uint64_t arg; // of RDMA_CM_EVENT_USER
	struct scm_param param;
	struct ibv_ah_attr ah; // of datagrams
};

struct scm_channel {
	LIST_ENTRY(scm_channel) link;
	struct scm_machine *m;
	int in, out; // descriptors of a pipe or of an event counter: out is readable while there are events
	uint32_t filled; // counted up with each event: a futex
	STAILQ_HEAD(scm_events, scm_event) events;
	LIST_HEAD(, scm_id) ids;
	bool ended; // its descriptor is closed, and identifiers that were left behind have it
};

struct scm_id {
	struct scm_machine *m;
	struct scm_channel *ch;
	LIST_ENTRY(scm_id) in_channel, in_dev, in_bucket;
	uint32_t number; // for its peers: the handle, and above it a random number, as handles are used again
	int ps;
	enum ibv_qp_type qp_type;
	enum scm_state state;
	struct sockaddr_storage src, dst;
	struct scm_dev *dev; // NULL: bound to none
	uint8_t port, gid_index;
	uint32_t bound;      // to a port: its number among the ports, and 1
	bool loopback;       // to an address that no interface has
	bool told;           // events go to the user: those of a new connection do once it is accepted
	bool afonly, afonly_set, reuse, timeout_set;
	uint8_t tos, timeout;
	unsigned backlog;    // requests that may wait
	unsigned reported; // events
	// One timer at a time: of the resolution, of a message, or of the end of a connection.
	TAILQ_ENTRY(scm_id) in_timers;
	uint64_t due; // CLOCK_MONOTONIC, ns; 0: not set
	void (*ring)(struct scm_id *); // with scm_lock held; may free the identifier
	unsigned tries;
	bool patient;        // the peer has the message, and asks for more time
	uint32_t qkey, psn;  // psn: of the first packet that the peer sends
	LIST_HEAD(, scm_group) groups;
	// The connection:
	bool has_cm;
	enum scm_cm cm;
	uint32_t peer;       // its number, 0: gone, or not known yet
	int peer_process;
	struct scm_param mine, theirs;
	bool passive;
};

// timer.c
SCM_HIDDEN void scm_timer_set(struct scm_id *id, uint64_t ns, void (*ring)(struct scm_id *));
SCM_HIDDEN void scm_timer_stop(struct scm_id *id);
SCM_HIDDEN void scm_clock_stop(struct scm_machine *m); // lets go of the lock meanwhile

// queue.c
SCM_HIDDEN struct scm_event *scm_event_new(struct scm_id *id, enum rdma_cm_event_type type, int status); // NULL: no memory
SCM_HIDDEN void scm_event_add(struct scm_event *e); // to the channel of its identifier, or nowhere; e may be NULL
SCM_HIDDEN struct scm_event *scm_event_take(struct scm_channel *ch); // NULL: there is none
SCM_HIDDEN void scm_event_remove(struct scm_channel *ch, struct scm_event *e); // without its count
SCM_HIDDEN void scm_events_drop(struct scm_id *id, struct scm_group *g); // of an identifier, or of one of its groups
SCM_HIDDEN void scm_events_move(struct scm_id *id, struct scm_channel *to);

// ports.c
SCM_HIDDEN int scm_port_take(struct scm_id *id);
SCM_HIDDEN void scm_port_give(struct scm_id *id);
SCM_HIDDEN int scm_port_alone(struct scm_id *id); // may it listen?
SCM_HIDDEN void scm_port_tell(struct scm_id *id); // what others may know of it has changed
SCM_HIDDEN struct scm_port scm_listener(struct scm_machine *m, int ps, const struct sockaddr_storage *at); // not used: there is none
SCM_HIDDEN void scm_ports_clean(struct scm_machine *m); // takes away what a dead process of this number left

// bind.c
SCM_HIDDEN void scm_attach(struct scm_id *id, struct scm_dev *d, const struct scm_gid *g);
SCM_HIDDEN void scm_detach(struct scm_id *id); // of the device that it is bound to, if it is
SCM_HIDDEN int scm_bind(struct scm_id *id, const struct sockaddr_storage *src, const struct sockaddr_storage *dst); // dst: NULL
SCM_HIDDEN int scm_listen(struct scm_id *id, int backlog);
SCM_HIDDEN int scm_resolve_addr(struct scm_id *id, const struct sockaddr_storage *src, const struct sockaddr_storage *dst, uint32_t ms);
SCM_HIDDEN int scm_resolve_route(struct scm_id *id, uint32_t ms);

// life.c, the parts that messages need
SCM_HIDDEN struct scm_id *scm_id_new(struct scm_channel *ch, int ps, enum ibv_qp_type type); // NULL: no memory
SCM_HIDDEN struct scm_id *scm_id_find(struct scm_machine *m, uint32_t number); // NULL: there is none
SCM_HIDDEN struct scm_id *scm_id_of(struct scm_machine *m, uint32_t handle);

// wire.c
SCM_HIDDEN void scm_begin(struct scm_id *id, enum scm_cm cm); // sends the message of a state for the first time
SCM_HIDDEN void scm_tell(struct scm_id *id, enum scm_message kind, int reason, const void *data, uint8_t len); // its peer, if it has one
SCM_HIDDEN void scm_established(struct scm_id *id);
SCM_HIDDEN void scm_reset(struct scm_id *id); // the connection is over, at once
SCM_HIDDEN void scm_timewait(struct scm_id *id);
SCM_HIDDEN void scm_arrive(struct scm_machine *m, const struct scm_wire *w);
SCM_HIDDEN void scm_process_died(struct scm_machine *m, int process); // its identifiers end

// connect.c
SCM_HIDDEN int scm_k_connect(struct scm_id *id, const struct scm_param *p);
SCM_HIDDEN int scm_k_accept(struct scm_id *id, const struct scm_param *p); // NULL: the answer of a peer is taken
SCM_HIDDEN int scm_k_reject(struct scm_id *id, int reason, const void *data, uint8_t len);
SCM_HIDDEN int scm_k_disconnect(struct scm_id *id);
SCM_HIDDEN int scm_k_notify(struct scm_id *id, enum ibv_event_type event);
SCM_HIDDEN void scm_cm_end(struct scm_id *id);
SCM_HIDDEN int scm_qp_attr(struct scm_id *id, struct ibv_qp_attr *a, int *mask); // for the state in a

// join.c
SCM_HIDDEN int scm_join(struct scm_group *g);
SCM_HIDDEN void scm_leave(struct scm_group *g);
SCM_HIDDEN void scm_ah(const struct scm_id *id, const union ibv_gid *to, struct ibv_ah_attr *a);

// life.c
SCM_HIDDEN void scm_id_end(struct scm_id *id); // what the kernel has of it; its memory and its groups stay
SCM_HIDDEN void scm_id_free(struct scm_id *id);
SCM_HIDDEN void scm_id_removed(struct scm_id *id); // the device is gone, or the channel
SCM_HIDDEN void scm_dev_remove(struct scm_dev *d);
SCM_HIDDEN void scm_machine_start(struct scm_machine *m);
SCM_HIDDEN int scm_set_option_id(struct scm_id *id, int name, const void *value, size_t len);
SCM_HIDDEN int scm_set_option_ib(struct scm_id *id, int name, const void *value, size_t len);

#endif

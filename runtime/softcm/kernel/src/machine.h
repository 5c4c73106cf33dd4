// What stands for a machine: its devices, the messages that it loses, its ports and its timers.
#ifndef SCM_MACHINE_H
#define SCM_MACHINE_H

#include "base.h"

#define SCM_NAME 64
#define SCM_NS_PER_MS 1000000u

// Messages between identifiers, as InfiniBand names them. MRA asks for more time.
enum scm_message { SCM_REQ, SCM_REP, SCM_RTU, SCM_REJ, SCM_DREQ, SCM_DREP, SCM_SIDR_REQ, SCM_SIDR_REP, SCM_MRA, SCM_MESSAGES };

struct scm_gid {
	union ibv_gid gid;
	uint8_t port, index;
};

struct scm_machine;
struct scm_id;
struct scm_wire;

struct scm_dev {
	char name[SCM_NAME];
	struct scm_gid *gids; // each is an address
	size_t ngids;
	enum ibv_mtu mtu;
	bool gone; // removed: identifiers can no longer be bound to it
	LIST_HEAD(, scm_id) ids; // that are bound to it
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
	uint32_t network, mask; // of IPv4: addresses of it that nobody has do not answer, and to others there is no route
};

// What a machine is a part of.
struct scm_host {
	size_t id_size; // of what begins with a struct scm_id
	void (*made)(struct scm_id *id, const struct scm_id *listener); // an identifier, for a request of a peer; can be NULL
	bool (*port_up)(const struct scm_dev *, uint8_t port);
	bool (*loses)(const struct scm_dev *); // the next message that it sends; can be NULL

	// Of a machine that several processes are: NULL if one is all of it.
	void (*send)(int process, const struct scm_wire *);
	bool (*alive)(int process);
	void (*lock_ports)(bool lock);
};

#define SCM_BUCKETS 1024
#define SCM_HANDLES 65536 // librdmacm has room for as many identifiers (index_map)
#define SCM_PORTS 65536 // identifiers with a port

// The ports that identifiers have. Processes that are one machine share the memory.
struct scm_ports {
	struct scm_port {
		uint32_t next, id; // in its bucket, a number here and 1; of the identifier
		uint16_t space, port;
		uint8_t process, qp_type;
		bool used, listens, afonly, reuse;
		struct sockaddr_in6 src, dst; // or IPv4
	} at[SCM_PORTS];
	uint32_t bucket[SCM_BUCKETS], free, high; // free: the first one that was given back; high: those behind were never used
	uint16_t next_port;
};

struct scm_channel;

struct scm_machine {
	const struct scm_host *host;
	int process; // its number among those that are one machine
	struct scm_config cfg;
	struct scm_dev **devs;
	size_t ndevs;
	LIST_HEAD(, scm_channel) channels;
	LIST_HEAD(, scm_id) numbers[SCM_BUCKETS]; // identifiers by their number
	struct scm_ports *ports;
	uint32_t random, last; // handle of an identifier
	unsigned nids; // that live
	struct scm_rule *lost[SCM_MESSAGES];
	struct sockaddr_storage *silent; // addresses that nobody answers at
	size_t nsilent;
	TAILQ_HEAD(scm_timers, scm_id) timers; // the next to ring is first
	pthread_t clock;
	pthread_cond_t changed; // the first timer is another one, or the clock is to end
	bool running, ending;
};

// rules.c: with scm_lock held
SCM_HIDDEN int scm_rule_add(struct scm_rule **rules, uint64_t nth, int err); // 0, or ENOMEM
SCM_HIDDEN int scm_rule_strikes(struct scm_rule **rules); // the errno of the rule that strikes now, or 0
SCM_HIDDEN void scm_rules_free(struct scm_rule **rules);

#endif

// Requests, receives and completions, without the form that a provider gives them in memory.
#ifndef CARD_FORMAT_H
#define CARD_FORMAT_H

#include "base.h"

struct context;
struct cq;
struct qp;
struct srq;
struct wq;

enum { PIECES = 64, REQUEST_SIZE = 1024 };

// Bytes of a gather or scatter list: of a key, or inline in the request.
struct piece {
	uint64_t addr;
	uint32_t length, key;
	uint8_t *memory; // where they lie, when that is known
	pid_t process;   // in which process, 0: this one
};

// LIST has the key bind.window lead to the pieces. COPY copies the memory of the first piece to that of the second.
enum operation { SEND, SEND_INVALIDATE, WRITE, READ, SWAP, ADD, BIND, COPY, LIST, NOTHING, UNKNOWN };

// A window to bind, or to unbind if free is set.
struct binding {
	uint32_t window, new_key, region;
	uint64_t addr, iova, length;
	unsigned access;
	bool free, check_free, check_qpn;
};

// What the other end sees of a request.
struct asked {
	enum operation op;
	bool immediate, solicited;
	bool global;                 // it has a GRH
	uint32_t word;               // the immediate data as it is sent, or the key to invalidate
	uint32_t rkey;
	uint64_t raddr;
	uint64_t value, compare;     // of atomics
	uint32_t srqn;               // of XRC
	uint32_t qpn, qkey;          // of UD; qpn of SRD and DC too
	uint8_t gid[16];
	uint64_t dc_key;
	uint64_t length;             // of the pieces
};

struct request {
	struct asked;
	bool signaled;
	struct binding bind;
	bool dc;                     // a request to a DCT with dc_key
	uint16_t stream;             // of a DCI
	struct piece pieces[PIECES];
	int n;
	// of the provider
	uint16_t index, next;
	uint8_t code;
	uint8_t raw[REQUEST_SIZE];   // inline bytes lie here
};

// Who sent a request, in whichever process.
struct source {
	uint32_t number;
	int type;                // of its queue pair
	uint8_t gid[16];
	uint32_t psn, packets;   // of the first packet; how many
};

struct receive {
	struct piece pieces[PIECES];
	int n;
	uint64_t length;
	uint16_t index;
};

struct completion {
	bool receive, solicited, immediate, grh;
	int status;                  // IBV_WC_*
	enum operation op;           // of a receive: SEND, SEND_INVALIDATE or WRITE
	uint32_t word, bytes, source;
	const uint8_t *gid;          // of the source
	uint32_t tag;                // of the flow
	uint16_t index;
	uint8_t code;
	const struct qp *qp;         // NULL: of a work queue
	const struct srq *srq;
	const struct wq *wq;
};

struct format {
	// peek decodes the request at the head of the send queue; drop takes it off.
	bool (*peek)(struct qp *, struct request *);
	void (*drop)(struct qp *, const struct request *);

	// take takes a receive off the queue pair's queue, or off srq. left is how many remain in srq.
	bool (*take)(struct qp *, struct srq *, struct receive *, uint32_t *left);

	// take_wq takes one off a work queue.
	bool (*take_wq)(struct wq *, struct receive *);

	// complete writes a completion; it returns false if the queue has no room.
	bool (*complete)(struct cq *, const struct completion *);

	// armed reports whether an event is due of a queue with a channel, and takes the wish for one back.
	bool (*armed)(struct cq *);

	void (*tick)(struct context *); // before each round; can be NULL
};

#endif

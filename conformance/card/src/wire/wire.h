// The wire: what each of its files does for the others, and for the layers above.
#ifndef CARD_WIRE_H
#define CARD_WIRE_H

#include "uverbs/verbs.h"
#include "wire/segment.h"

// fault.c: what goes wrong at the devices, from outside of the process: Card.SetFaults writes it to a file in the folder that CARD_WIRE
// names.

// The file has one for each device, in this form (faults.go).
struct fault {
	uint32_t lost;    // requests of a million
	uint32_t delay;   // of each request, us
	uint32_t down;    // the port
	uint32_t removed; // the device
};

// fault_of returns what goes wrong at a device now.
struct fault fault_of(const struct device *) HIDDEN;

// fault_cuts reports whether nothing comes from a device or to it.
bool fault_cuts(const struct device *) HIDDEN;

// fault_loses reports whether the next request of a device gets lost.
bool fault_loses(const struct device *) HIDDEN;

// fault_tell tells the programs of ports that go down or come up, and of devices that go.
void fault_tell(void) HIDDEN;

// net.c: the queue pairs of this process: each device reaches each, and numbers of queue pairs are unique on the wire.

// net_join gives a queue pair its number; net_leave takes it back.
int net_join(struct qp *) HIDDEN;
void net_leave(struct qp *) HIDDEN;

// net_forked forgets the queue pairs of the parent process.
void net_forked(void) HIDDEN;

// net_find returns the queue pair of a number, or NULL.
struct qp *net_find(uint32_t number) HIDDEN;

// net_each calls f with each queue pair.
void net_each(void (*f)(struct qp *, void *), void *arg) HIDDEN;

// copy.c: copies between lists of pieces.

// copy_pieces copies length bytes; to begins skip bytes into its list. It returns false if the process has taken memory away that it
// registered, where a real card would still reach the pages that it pinned.
bool copy_pieces(const struct piece *to, int nto, uint64_t skip, const struct piece *from, int nfrom, uint64_t length) HIDDEN;

// copy_cut shortens a list to its first bytes: of a receive, a card looks at the memory that a message fills.
void copy_cut(struct piece *, int *n, uint64_t length) HIDDEN;

// responder.c: the remote half of a request.

// Beside IBV_WC_*: the responder has no receive.
enum { NOT_READY = -1 };

// responder_do does a request at q, and returns a status of the requester or NOT_READY.
int responder_do(struct qp *q, const struct source *from, struct request *) HIDDEN;

// arrive.c: the arrival of a request at a queue pair of this process, from whichever process.

// Where a request goes.
struct target {
	uint32_t number;
	const uint8_t *gid;
};

// Beside the statuses of responder_do: nobody answers.
enum { SILENCE = -10 };

// arrive does a request at its target. With NOT_READY, rnr_timer is that of the queue pair. Nobody answers a datagram.
int arrive(const struct source *, const struct target *, struct request *, uint32_t *rnr_timer) HIDDEN;

// is_multicast reports whether a datagram is for all members of a group, is_reliable whether a type of queue pair is answered.
bool is_multicast(const struct request *) HIDDEN;
bool is_reliable(int type) HIDDEN;

// requester.c: one request of a queue pair: the local half, and the choice of the other queue pair.

// requester_step does the request at the head of the send queue, and reports whether there was work.
bool requester_step(struct qp *) HIDDEN;

// requester_reset_stream lets a stream of a DCI that failed go on. One that did not fail is EINVAL.
int requester_reset_stream(struct qp *, uint16_t stream) HIDDEN;

// requester_source describes the sender of a request of so many bytes.
struct source requester_source(const struct qp *, uint64_t length) HIDDEN;

// far.c: requests to queue pairs of other processes.

// Beside the statuses of arrive: the request stays at the head of its queue.
enum { LATER = -20 };

// far_request asks for a request of q, or looks for its answer: a status of arrive, or LATER.
int far_request(struct qp *q, struct request *, const struct target *, uint32_t *rnr_timer) HIDDEN;

// far_datagram sends a datagram, which nobody answers, to its queue pair.
int far_datagram(const struct qp *q, const struct request *) HIDDEN;

// What is sent to all other processes. far_take finds room for it, or returns false. far_cast sends it, or nothing if the request is NULL.
struct cast {
	struct exchange *x[PROCESSES];
	int to[PROCESSES], n;
};
bool far_take(struct cast *) HIDDEN;
void far_cast(const struct cast *, const struct qp *q, const struct request *) HIDDEN;

// far_drop forgets the answer that a queue pair waits for.
void far_drop(struct qp *) HIDDEN;

// far_serve does what other processes asked for before a point of exchange_tickets, and reports whether there was anything. The point lies
// before the round of the requests here: that round has seen each answer that came before such a message, so that the completion of a
// request comes before that of a reply to it.
bool far_serve(uint64_t point) HIDDEN;

// engine.c: the thread that does the card's work.

// engine_wake starts the thread at the first call, and wakes it when it rests.
void engine_wake(void) HIDDEN;

// engine_forked has a child of fork start a thread of its own when it needs one.
void engine_forked(void) HIDDEN;

// engine_complete puts a completion into a queue; one without room breaks it.
void engine_complete(struct cq *, const struct completion *) HIDDEN;

// engine_settle does what was posted to a queue pair that is to go: a card has taken it by then.
void engine_settle(struct qp *) HIDDEN;

// engine_answered completes the request at the head if its answer of another process has come: a card takes an acknowledgement before a
// program hears by another way that its message arrived, and brings the queue pair to ERR.
void engine_answered(struct qp *) HIDDEN;

// engine_fail brings a queue pair to ERR.
void engine_fail(struct qp *) HIDDEN;

// pcap.c: a capture of what arrives at queue pairs, as packets of RoCE v2, in the file that CARD_PCAP names.

// pcap_message writes the packets of a request, and those of the answer that its status stands for.
void pcap_message(const struct source *, const struct target *, const struct request *, int status, uint32_t rnr_timer) HIDDEN;

#endif

// The memory that processes share: a file in the folder that CARD_WIRE names. It has the numbers of all queue pairs, and the messages
// between them. A process holds a lock on a byte of the file while it lives, so that its death is seen, in any PID namespace.
#ifndef CARD_SEGMENT_H
#define CARD_SEGMENT_H

#include "wire/format.h"

enum { NUMBERS = 1 << 14, FIRST_NUMBER = 0x40, PROCESSES = 64, EXCHANGES = 256, CHUNK = 64 << 10 };

// A message, as much of it as an exchange has room for: to the queue pair qpn.
struct message {
	struct asked;
	struct source from;
	uint64_t offset; // of the bytes here
};

struct exchange {
	uint64_t ticket;     // in the order of sending
	uint32_t from;       // a process
	struct message m;
	int32_t status;      // of arrive
	uint32_t rnr_timer;  // with NOT_READY
	uint8_t data[CHUNK];
};

// segment_forked leaves the place among the processes to the parent.
void segment_forked(void) HIDDEN;

// segment_self returns the number of this process and 1, and how many processes have had it. segment_pid returns the process of such a
// pair, or 0 if it has ended or cannot be seen from here.
uint32_t segment_self(uint32_t *life) HIDDEN;
pid_t segment_pid(uint32_t process, uint32_t life) HIDDEN;

// segment_number returns a number for a queue pair, which no process has.
int segment_number(uint32_t *number) HIDDEN;
void segment_release(uint32_t number) HIDDEN;

// segment_owner returns the other process that has a number, or -1.
int segment_owner(uint32_t number) HIDDEN;

// segment_other reports whether there is another living process of this number, with queue pairs: one without takes no messages.
bool segment_other(int process) HIDDEN;

// exchange_take returns a free exchange, or NULL; exchange_ask sends it to a process. Without waits, the receiver frees it. An exchange
// that waits is used again for the rest of a message.
struct exchange *exchange_take(void) HIDDEN;
void exchange_ask(struct exchange *, int process, bool waits) HIDDEN;

// exchange_state says how an exchange stands that waits. LOST: its receiver died.
enum { WAITING, ANSWERED, LOST };
int exchange_state(const struct exchange *) HIDDEN;

// exchange_drop frees an exchange that was taken, or leaves it to its receiver.
void exchange_drop(struct exchange *) HIDDEN;

// exchange_tickets is a point in the order of sending: that of the next message of any process.
uint64_t exchange_tickets(void) HIDDEN;

// exchange_next returns the oldest message to this process that was sent before a point, or NULL; exchange_answer ends it.
struct exchange *exchange_next(uint64_t point) HIDDEN;
void exchange_answer(struct exchange *) HIDDEN;

// exchange_index numbers exchanges from 0.
int exchange_index(const struct exchange *) HIDDEN;

#endif

// Memory keys: what a local or remote address may reach.
#ifndef CARD_KEY_H
#define CARD_KEY_H

#include "base.h"

struct pd;
struct piece;

// KEY_NOWHERE is of no memory, for the local end of any domain: what is written there is gone, and zeros are read.
// KEY_LIST leads to pieces of other keys, for the local end.
enum key_kind { KEY_REGION, KEY_WINDOW_1, KEY_WINDOW_2, KEY_NOWHERE, KEY_LIST };

struct key {
	uint32_t value;       // the index in the upper 24 bits, the part that the user chooses in the lower 8
	enum key_kind kind;
	const struct device *dev;
	const struct pd *pd;
	uint64_t iova, length;
	uint8_t *memory;      // where iova lies in its process
	bool (*locate)(struct key *, pid_t *process); // of a region of another process: finds memory, and whose it is. It may have none
	const _Atomic uint32_t *now;         // of a region: another process has changed or ended it if this is not what it was
	uint32_t then;
	struct key *next;     // of those with the same place in the table
	unsigned access;      // IBV_ACCESS_*
	struct key *region;   // that a bound window is part of
	uint64_t start;       // of a bound window: its address in the region
	unsigned windows;     // bound to this region
	uint32_t qpn;         // of a bound window of type 2
	struct piece *list;   // of KEY_LIST, n pieces
	int n;
	bool invalidable;     // of KEY_LIST: the other end can take the pieces away
};

// key_nowhere is what key_reach returns for memory that is not there.
extern uint8_t key_nowhere[1] HIDDEN;

// key_new gives a key its value, which no other process has; key_put takes one that has a value; key_end takes it back.
int key_new(struct key *) HIDDEN;
void key_put(struct key *) HIDDEN;
void key_end(struct key *) HIDDEN;

// key_find returns the key of a value, or NULL.
struct key *key_find(uint32_t value) HIDDEN;

// key_shared returns the key of a region that another process registered in a file that this one has open, or NULL.
struct key *key_shared(uint32_t value) HIDDEN;

struct reach {
	const struct device *dev;
	const struct pd *pd;
	uint32_t qpn;
	unsigned access; // that the key must allow
};

// key_reach finds the memory of a piece, or returns false if it may not be reached.
bool key_reach(struct piece *, const struct reach *) HIDDEN;

// key_gather finds the memory of n pieces, or returns false. The pieces that a key leads to take the place of one of it: there is room for
// PIECES.
bool key_gather(struct piece *, int *n, const struct reach *) HIDDEN;

// key_unbind takes a window off its region.
void key_unbind(struct key *) HIDDEN;

#endif

// The use of a batch by one thread at a time, for post_cgo.go: a post cuts the chain of requests behind its last one, so that two at once
// would post what neither of them meant.
//
// Most batches are posted by one thread. So a batch comes to belong to a thread, which then marks the batch in its slot and looks whether
// it is still the owner: a store and a load, in an order that the processor may change. Another thread takes the batch away by writing itself
// into it; then it has all threads pass a barrier, and looks for the mark. So either it sees the mark, or the owner sees that it is none any
// more: see verbsgen_gate_enter. As that costs a system call, a batch that was taken away belongs to nobody until one thread has made many
// posts in a row; meanwhile a post takes it by an atomic exchange.
#ifndef VERBSGEN_DPATH_USE_H
#define VERBSGEN_DPATH_USE_H

#include "../gate/close.h"

struct verbsgen_dpath_use { // use of use.go
	uint32_t busy;    // it is being posted, for Go to look at
	uint32_t closed;  // Go's
	uintptr_t owner;  // 0: nobody; a slot: the thread to which it belongs; a slot + HELD: the thread that posts it
	uintptr_t latest; // slot of the latest post while it was nobody's
	uint32_t left;    // posts by that thread until it belongs to it
};

enum { VERBSGEN_DPATH_HELD = 1, VERBSGEN_DPATH_IN_A_ROW = 1000 };

// Takes a batch that does not belong to the thread, or returns an errno.
static __attribute__((noinline)) int verbsgen_dpath_take(struct verbsgen_gate_slot *slot, struct verbsgen_dpath_use *u)
{
	uintptr_t owner = __atomic_load_n(&u->owner, __ATOMIC_ACQUIRE), held = (uintptr_t)slot | VERBSGEN_DPATH_HELD;
	int code = VERBSGEN_DPATH_SHARED;

	if (!(owner & VERBSGEN_DPATH_HELD) &&
	    __atomic_compare_exchange_n(&u->owner, &owner, held, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		if (owner == 0)
			return 0;
		code = verbsgen_gate_barrier();
		if (code == 0 && __atomic_load_n(&((struct verbsgen_gate_slot *)owner)->batch, __ATOMIC_ACQUIRE) != u)
			return 0;
		__atomic_store_n(&u->owner, owner, __ATOMIC_RELEASE); // the owner posts it
		if (code == 0)
			code = VERBSGEN_DPATH_SHARED;
	}
	__atomic_store_n(&slot->batch, NULL, __ATOMIC_RELAXED);
	return code;
}

// Ends a post of a batch that did not belong to the thread when the post began, or that another one asks for.
static __attribute__((noinline)) void verbsgen_dpath_give(struct verbsgen_gate_slot *slot, struct verbsgen_dpath_use *u)
{
	if (__atomic_load_n(&u->owner, __ATOMIC_RELAXED) != ((uintptr_t)slot | VERBSGEN_DPATH_HELD))
		return;
	if (u->latest != (uintptr_t)slot) {
		u->left = u->latest == 0 ? 0 : VERBSGEN_DPATH_IN_A_ROW; // the first thread has it at once
		u->latest = (uintptr_t)slot;
	}
	if (u->left > 0)
		u->left--;
	__atomic_store_n(&u->owner, u->left == 0 && !slot->fenced ? (uintptr_t)slot : 0, __ATOMIC_RELEASE);
}

// Begins the use of a batch by the call of the slot. If it returns an errno, another thread uses the batch, and verbsgen_dpath_done must not be called.
static inline int verbsgen_dpath_use(struct verbsgen_gate_slot *slot, struct verbsgen_dpath_use *u)
{
	int code;

	__atomic_store_n(&slot->batch, u, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(__atomic_load_n(&u->owner, __ATOMIC_ACQUIRE) != (uintptr_t)slot, 0)) {
		code = verbsgen_dpath_take(slot, u);
		if (code != 0)
			return code;
	}
	__atomic_store_n(&u->busy, 1, __ATOMIC_RELAXED);
	return 0;
}

// Ends the use.
static inline void verbsgen_dpath_done(struct verbsgen_gate_slot *slot, struct verbsgen_dpath_use *u)
{
	__atomic_store_n(&u->busy, 0, __ATOMIC_RELAXED);
	if (__builtin_expect(__atomic_load_n(&u->owner, __ATOMIC_RELAXED) != (uintptr_t)slot, 0))
		verbsgen_dpath_give(slot, u);
	__atomic_store_n(&slot->batch, NULL, __ATOMIC_RELEASE);
}

// The same for generated streams of commands.
int verbsgen_dpath_begin(void *slot, uintptr_t use);
void verbsgen_dpath_end(void *slot, uintptr_t use);

int verbsgen_dpath_begin(void *slot, uintptr_t use) { return verbsgen_dpath_use(slot, (struct verbsgen_dpath_use *)use); }

void verbsgen_dpath_end(void *slot, uintptr_t use) { verbsgen_dpath_done(slot, (struct verbsgen_dpath_use *)use); }

#endif

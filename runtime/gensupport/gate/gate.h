// The part of a gate that calls in C use: see the documentation of the Go package.
#ifndef VERBSGEN_GATE_H
#define VERBSGEN_GATE_H

#include <stddef.h>
#include <stdint.h>

// Results of a call that was not made, instead of an errno; Linux has no errno as large. They are fail.ErrnoClosed and
// fail.ErrnoNoMemory.
enum { VERBSGEN_GATE_CLOSED = 0x10000, VERBSGEN_GATE_NO_MEMORY = 0x10002 };

// One for each thread that ever made such a call. It is never freed: a thread that ends leaves it to the next one, so that the
// slots can be looked through without a lock.
struct verbsgen_gate_slot {
	const uintptr_t *inside; // gate of the call that the thread is in, NULL for none
	const uintptr_t *beside; // of other objects that the call uses, NULL for none: see verbsgen_gate_beside
	int fenced;              // there is no membarrier(2): every call needs a fence of its own
	int taken;               // by a thread that lives
	struct verbsgen_gate_slot *next;
	const void *batch; // of requests that the call posts, NULL for none: see use.h of package dpath
} __attribute__((aligned(64)));

// The default model of a shared object would call a function for each access.
extern __thread struct verbsgen_gate_slot *verbsgen_gate_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Gives the calling thread its slot; NULL when there is no memory.
struct verbsgen_gate_slot *verbsgen_gate_enlist(void);

// Begins a call that uses the object of a gate. Read the gate after it, with verbsgen_gate_object. If there is no memory for the slot,
// it returns NULL, and the call must not be made.
//
// The store to the slot comes before the load of the gate for everybody who closes: by the membarrier(2) that a Close makes
// between its store to the gate and its loads of the slots, or by a fence on both sides where there is none.
static inline struct verbsgen_gate_slot *verbsgen_gate_enter(const uintptr_t *gate)
{
	struct verbsgen_gate_slot *s = verbsgen_gate_self;

	if (__builtin_expect(s == NULL, 0)) {
		s = verbsgen_gate_enlist();
		if (s == NULL)
			return NULL;
	}
	__atomic_store_n(&s->inside, gate, __ATOMIC_RELAXED);
	if (__builtin_expect(s->fenced, 0))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return s;
}

// Has a call use objects that requests name, besides that of its gate. all stands for all such objects. A Close of one forbids its use
// elsewhere, where the call looks after this, and waits with verbsgen_gate_pass.
static inline void verbsgen_gate_beside(struct verbsgen_gate_slot *s, const uintptr_t *all)
{
	__atomic_store_n(&s->beside, all, __ATOMIC_RELAXED);
	if (__builtin_expect(s->fenced, 0))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// The C object of a gate, 0 once it is closed. The object stays alive until verbsgen_gate_leave.
static inline uintptr_t verbsgen_gate_object(const uintptr_t *gate) { return __atomic_load_n(gate, __ATOMIC_ACQUIRE); }

// Ends the call.
static inline void verbsgen_gate_leave(struct verbsgen_gate_slot *s) { __atomic_store_n(&s->inside, NULL, __ATOMIC_RELEASE); }

// Ends the use that verbsgen_gate_beside began.
static inline void verbsgen_gate_leave_beside(struct verbsgen_gate_slot *s) { __atomic_store_n(&s->beside, NULL, __ATOMIC_RELEASE); }

// The same as functions, for generated C code: it lies in modules of others, which cannot include this file and may be made for
// another version of it. verbsgen_gate_begin returns the object, or 0 when no call must be made and nothing is to be ended: the gate is
// closed, or there is no memory. Then *slot is NULL and *code the result.
uintptr_t verbsgen_gate_begin(const uintptr_t *gate, void **slot, int *code);
void verbsgen_gate_end(void *slot);

#endif

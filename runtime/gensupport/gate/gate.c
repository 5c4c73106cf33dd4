//go:build linux && cgo

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "close.h"
#include "gate.h"

// Commands of membarrier(2); headers of old kernels do not have them.
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

__thread struct verbsgen_gate_slot *verbsgen_gate_self;

static struct verbsgen_gate_slot *slots; // all of them; they are only ever added
static pthread_key_t ended;
static int ended_made;
static int fenced; // decided before the first slot is made

static long membarrier(int command)
{
#ifdef __NR_membarrier
	return syscall(__NR_membarrier, command, 0, 0);
#else
	errno = ENOSYS;
	return -1;
#endif
}

// Runs when a thread ends, with its slot.
static void give_up(void *slot)
{
	struct verbsgen_gate_slot *s = slot;

	verbsgen_gate_self = NULL;
	verbsgen_gate_leave(s);
	verbsgen_gate_leave_beside(s);
	__atomic_store_n(&s->batch, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&s->taken, 0, __ATOMIC_RELEASE);
}

// Runs in the child of a fork, which has one thread: calls of the others are not in it.
static void forked(void)
{
	struct verbsgen_gate_slot *s;

	for (s = slots; s != NULL; s = s->next) {
		verbsgen_gate_leave(s);
		verbsgen_gate_leave_beside(s);
		s->batch = NULL;
		if (s != verbsgen_gate_self)
			s->taken = 0;
	}
	if (!fenced)
		membarrier(REGISTER_PRIVATE_EXPEDITED); // a failure is seen by the first Close
}

// Runs when the program or the shared object is loaded, before any thread can have a slot.
__attribute__((constructor)) static void load(void)
{
	fenced = membarrier(REGISTER_PRIVATE_EXPEDITED) != 0;
	ended_made = pthread_key_create(&ended, give_up) == 0;
	pthread_atfork(NULL, NULL, forked);
}

static struct verbsgen_gate_slot *recycled(void)
{
	struct verbsgen_gate_slot *s;

	for (s = __atomic_load_n(&slots, __ATOMIC_ACQUIRE); s != NULL; s = s->next) {
		int untaken = 0;

		if (__atomic_compare_exchange_n(&s->taken, &untaken, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return s;
	}
	return NULL;
}

struct verbsgen_gate_slot *verbsgen_gate_enlist(void)
{
	struct verbsgen_gate_slot *s = recycled();

	if (s == NULL) {
		s = aligned_alloc(_Alignof(struct verbsgen_gate_slot), sizeof *s);
		if (s == NULL)
			return NULL;
		memset(s, 0, sizeof *s);
		s->fenced = fenced;
		s->taken = 1;
		s->next = __atomic_load_n(&slots, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&slots, &s->next, s, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
	}
	// Without a key the slot of a thread that ended is not found again, which costs memory and nothing else.
	if (ended_made)
		pthread_setspecific(ended, s);
	verbsgen_gate_self = s;
	// A Close that did not see the new slot has closed its gate before this thread looks at one.
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return s;
}

uintptr_t verbsgen_gate_begin(const uintptr_t *gate, void **slot, int *code)
{
	struct verbsgen_gate_slot *s = verbsgen_gate_enter(gate);
	uintptr_t object;

	*slot = NULL;
	if (s == NULL) {
		*code = VERBSGEN_GATE_NO_MEMORY;
		return 0;
	}
	object = verbsgen_gate_object(gate);
	if (object == 0) {
		verbsgen_gate_leave(s);
		*code = VERBSGEN_GATE_CLOSED;
		return 0;
	}
	*slot = s;
	return object;
}

void verbsgen_gate_end(void *slot) { verbsgen_gate_leave(slot); }

int verbsgen_gate_barrier(void)
{
	if (fenced) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		return 0;
	}
	return membarrier(PRIVATE_EXPEDITED) == 0 ? 0 : errno;
}

int verbsgen_gate_inside(const uintptr_t *gate)
{
	struct verbsgen_gate_slot *s;

	for (s = __atomic_load_n(&slots, __ATOMIC_SEQ_CST); s != NULL; s = s->next)
		if (__atomic_load_n(&s->inside, __ATOMIC_ACQUIRE) == gate)
			return 1;
	return 0;
}

struct verbsgen_gate_slot *verbsgen_gate_pass(struct verbsgen_gate_slot *from, const uintptr_t *all)
{
	struct verbsgen_gate_slot *s = from;

	if (s == NULL)
		s = __atomic_load_n(&slots, __ATOMIC_SEQ_CST);
	while (s != NULL && __atomic_load_n(&s->beside, __ATOMIC_ACQUIRE) != all)
		s = s->next;
	return s;
}

int verbsgen_gate_fenced(void) { return fenced; }

int verbsgen_gate_slots(void)
{
	struct verbsgen_gate_slot *s;
	int n = 0;

	for (s = __atomic_load_n(&slots, __ATOMIC_ACQUIRE); s != NULL; s = s->next)
		n++;
	return n;
}

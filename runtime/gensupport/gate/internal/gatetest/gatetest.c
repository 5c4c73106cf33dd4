//go:build linux && cgo

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../close.h"
#include "../../gate.h"
#include "gatetest.h"

uintptr_t gatetest_stay(const uintptr_t *gate, struct gatetest_stay *s)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	uintptr_t object = verbsgen_gate_object(gate);

	__atomic_store_n(&s->inside, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&s->leave, __ATOMIC_ACQUIRE))
		usleep(100);
	verbsgen_gate_leave(slot);
	return object;
}

uintptr_t gatetest_touch(const uintptr_t *gate)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	uintptr_t object = verbsgen_gate_object(gate);

	verbsgen_gate_leave(slot);
	return object;
}

int gatetest_inside_after_fork(const uintptr_t *gate)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return 3;
	if (child == 0)
		_exit(verbsgen_gate_barrier() != 0 || gatetest_touch(gate) != *gate ? 2 : verbsgen_gate_inside(gate));
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 3;
	return WEXITSTATUS(status);
}

// Each on a line of its own, so that the threads meet at nothing but what they test.
static struct {
	uintptr_t gate __attribute__((aligned(64)));
	int freed __attribute__((aligned(64)));
	int64_t user __attribute__((aligned(64)));
	int64_t closer __attribute__((aligned(64)));
} shared;

// Waits for the other, which may not be running at all, and then a little, differently in each round.
static void meet(int64_t *mine, const int64_t *other, int64_t round, unsigned int little)
{
	volatile unsigned int n;
	int turns = 0;

	__atomic_store_n(mine, round, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(other, __ATOMIC_SEQ_CST) < round)
		if (++turns > 2000)
			sched_yield();
	for (n = 0; n < little; n++)
		;
}

// The rounds are counted on from one time to the next.
long gatetest_user(int64_t rounds)
{
	long wrong = 0;
	int64_t i, first = shared.user / 3 + 1;

	for (i = first; i < first + rounds; i++) {
		struct verbsgen_gate_slot *slot;
		int n;

		// Has the gate in its cache, but not the slot, which the other has just read.
		meet(&shared.user, &shared.closer, 3 * i - 2, 0);
		(void)verbsgen_gate_object(&shared.gate);
		meet(&shared.user, &shared.closer, 3 * i - 1, (unsigned int)i % 16);
		slot = verbsgen_gate_enter(&shared.gate);
		if (verbsgen_gate_object(&shared.gate) != 0)
			for (n = 0; n < 500; n++)
				if (__atomic_load_n(&shared.freed, __ATOMIC_RELAXED)) {
					wrong++;
					break;
				}
		verbsgen_gate_leave(slot);
		meet(&shared.user, &shared.closer, 3 * i, 0);
	}
	return wrong;
}

void gatetest_closer(int64_t rounds)
{
	int64_t i, first = shared.closer / 3 + 1;

	for (i = first; i < first + rounds; i++) {
		__atomic_store_n(&shared.freed, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&shared.gate, 1, __ATOMIC_SEQ_CST);
		meet(&shared.closer, &shared.user, 3 * i - 2, 0);
		meet(&shared.closer, &shared.user, 3 * i - 1, (unsigned int)i / 16 % 16);
		__atomic_exchange_n(&shared.gate, 0, __ATOMIC_SEQ_CST);
		verbsgen_gate_barrier();
		while (verbsgen_gate_inside(&shared.gate))
			;
		__atomic_store_n(&shared.freed, 1, __ATOMIC_RELAXED);
		meet(&shared.closer, &shared.user, 3 * i, 0);
	}
}

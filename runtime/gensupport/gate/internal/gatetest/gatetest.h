#ifndef GATETEST_H
#define GATETEST_H

#include <stdint.h>

struct gatetest_stay {
	int inside; // set by the call
	int leave;  // set by the test
};

// A call that stays inside until it is told to leave. Gives the object, 0 when the gate is closed.
uintptr_t gatetest_stay(const uintptr_t *gate, struct gatetest_stay *s);

// A call that does nothing.
uintptr_t gatetest_touch(const uintptr_t *gate);

// Forks, and gives what verbsgen_gate_inside answers in the child; 2 when a call of the child cannot be made, 3 when the fork failed.
int gatetest_inside_after_fork(const uintptr_t *gate);

// Lets this thread use an object in calls, while another one closes and opens it: rounds times, each begun by both at once.
long gatetest_user(int64_t rounds);
void gatetest_closer(int64_t rounds);

#endif

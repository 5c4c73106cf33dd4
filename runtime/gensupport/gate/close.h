// The part of a gate that Close uses.
#ifndef VERBSGEN_GATE_CLOSE_H
#define VERBSGEN_GATE_CLOSE_H

#include <stdint.h>

// Has every thread's earlier stores seen by the loads that follow, and every thread see the stores before it. Gives 0 or an
// errno: then nothing is known, and nothing may be destroyed.
int verbsgen_gate_barrier(void);

// Tells whether a thread is in a call that uses the object of the gate.
int verbsgen_gate_inside(const uintptr_t *gate);

struct verbsgen_gate_slot;

// Gives the first thread, from a given one on (NULL: from the first), that is in a call with verbsgen_gate_beside, NULL for none. Who
// asks again from there on waits for each thread once: calls that begin later see what was forbidden, however many they are.
struct verbsgen_gate_slot *verbsgen_gate_pass(struct verbsgen_gate_slot *from, const uintptr_t *all);

// For tests: whether calls need fences, and how many slots there are.
int verbsgen_gate_fenced(void);
int verbsgen_gate_slots(void);

#endif

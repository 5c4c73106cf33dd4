//go:build linux && cgo

#include <sched.h>
#include <string.h>

#include "../../../gate/gate.h"
#include "provider.h"

// use.h of package dpath
int verbsgen_dpath_begin(void *slot, uintptr_t use);
void verbsgen_dpath_end(void *slot, uintptr_t use);

// Tells the other that this thread has come so far and waits for it, which may not be running at all; then waits a little.
static void meet(struct dp_exclude *x, int who, int64_t step, unsigned int little)
{
	volatile unsigned int n;
	int turns = 0;

	__atomic_store_n(&x->at[who].step, step, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&x->at[!who].step, __ATOMIC_SEQ_CST) < step)
		if (++turns > 2000)
			sched_yield();
	for (n = 0; n < little; n++)
		;
}

// Uses the batch, if it is free. Neither the counter nor what it is read from are atomic: two threads at once would lose counts.
static void try(struct dp_exclude *x, int who, void *slot, unsigned int little)
{
	volatile unsigned int n;
	volatile int64_t *count = &x->count;
	int64_t before;

	if (verbsgen_dpath_begin(slot, x->use) != 0)
		return;
	if (__atomic_load_n(&x->holder, __ATOMIC_RELAXED) != 0)
		x->at[who].wrong++;
	__atomic_store_n(&x->holder, who + 1, __ATOMIC_RELAXED);
	before = *count;
	for (n = 0; n < little; n++)
		;
	*count = before + 1;
	if (__atomic_load_n(&x->holder, __ATOMIC_RELAXED) != who + 1)
		x->at[who].wrong++;
	__atomic_store_n(&x->holder, 0, __ATOMIC_RELAXED);
	x->at[who].used++;
	verbsgen_dpath_end(slot, x->use);
}

void dp_exclude(struct dp_exclude *x, int who, int64_t rounds)
{
	static const uintptr_t gate = 1;
	void *slot;
	int64_t i;
	int code;

	if (verbsgen_gate_begin(&gate, &slot, &code) == 0) {
		x->at[who].wrong++;
		return;
	}
	for (i = 1; i <= rounds; i++) {
		if (who == i % 2) {
			memset((void *)x->use, 0, x->size);
			if (i % 4 < 2) // it is nobody's
				try(x, who, slot, 0); // and now this thread's
		}
		meet(x, who, 2 * i - 1, (unsigned int)(i >> 2 >> 6 * who) % 64);
		try(x, who, slot, (unsigned int)i % 32);
		meet(x, who, 2 * i, 0);
	}
	verbsgen_gate_end(slot);
}

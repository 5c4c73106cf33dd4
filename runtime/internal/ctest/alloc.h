#ifndef VERBSGEN_CTEST_ALLOC_H
#define VERBSGEN_CTEST_ALLOC_H

#include <stddef.h>
#include <stdint.h>

struct ctest_call {
	uintptr_t alloc, free, ctx;
	size_t size, align;
	uint64_t resource;
	uintptr_t addr; // answer of alloc, or argument of free
	int err;        // errno after alloc or free, which were entered with EXDEV in it
};

void ctest_alloc(struct ctest_call *c);
void ctest_free(struct ctest_call *c);
int ctest_in_thread(struct ctest_call *c, int free_it);
long ctest_storm(struct ctest_call *c, int threads, int rounds);

#endif

// What all fake providers share: a device memory made of anonymous pages, kept in a list by handle so that it can be
// imported, and a context for tests that need no library around the provider.
#ifndef FAKE_PROVIDER_H
#define FAKE_PROVIDER_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "verbs_abi.h"

#define FAKE_API __attribute__((visibility("default")))

// The public part comes first, so that a struct ibv_dm * is a struct fake_dm *.
struct fake_dm {
	struct ibv_dm dm;
	unsigned char *pages; // whole mapping
	unsigned char *start; // first byte of the device memory
	uint64_t length;
	struct fake_dm *next;
};

// A device memory does not begin on a page: offset of its first byte in the mapping.
#define FAKE_START 64

int fake_to_dm(struct ibv_dm *dm, uint64_t off, const void *host, size_t len);
int fake_from_dm(void *host, struct ibv_dm *dm, uint64_t off, size_t len);

// What tests read: calls of the two callbacks (only counted with -DFAKE_COUNT, so that benchmarks stay clean).
extern FAKE_API unsigned long fake_calls[2];

#ifdef FAKE_COUNT
#define FAKE_CALL(i) __atomic_fetch_add(&fake_calls[i], 1, __ATOMIC_RELAXED)
#else
#define FAKE_CALL(i) ((void)0)
#endif

#endif

//go:build linux && cgo

#include <sys/mman.h>
#include "provider.h"

enum { PAGE = 4096 };

void *dp_mortal(struct dp_provider *p)
{
	struct ibv_context **queue = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (queue == MAP_FAILED)
		return NULL;
	*queue = &p->context;
	return queue;
}

// The page stays mapped without access, so that its address does not become that of other memory.
int dp_destroy(void *queue) { return mprotect(queue, PAGE, PROT_NONE); }

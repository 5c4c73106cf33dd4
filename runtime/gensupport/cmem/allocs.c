//go:build linux && cgo

#include <errno.h>

#include "_cgo_export.h"
#include "allocs.h"

// errno belongs to the provider: only a failed alloc sets it.
void *verbsgen_cmem_alloc(void *pd, void *pd_context, size_t size, size_t alignment, uint64_t resource_type)
{
	int before = errno;
	struct verbsgen_cmem_go_alloc_return answer =
		verbsgen_cmem_go_alloc((uintptr_t)pd_context, size, alignment, resource_type);

	(void)pd;
	errno = answer.r0 == 0 ? answer.r1 : before;
	return (void *)answer.r0;
}

void verbsgen_cmem_free(void *pd, void *pd_context, void *ptr, uint64_t resource_type)
{
	int before = errno;

	(void)pd;
	verbsgen_cmem_go_free((uintptr_t)pd_context, (uintptr_t)ptr, resource_type);
	errno = before;
}

uintptr_t verbsgen_cmem_alloc_address(void)
{
	return (uintptr_t)verbsgen_cmem_alloc;
}

uintptr_t verbsgen_cmem_free_address(void)
{
	return (uintptr_t)verbsgen_cmem_free;
}

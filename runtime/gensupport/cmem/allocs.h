// The functions that a provider calls: types as in struct ibv_parent_domain_init_attr, with its pointers to structs as
// void pointers, which are passed alike.
#ifndef VERBSGEN_CMEM_ALLOCS_H
#define VERBSGEN_CMEM_ALLOCS_H

#include <stddef.h>
#include <stdint.h>

void *verbsgen_cmem_alloc(void *pd, void *pd_context, size_t size, size_t alignment, uint64_t resource_type);
void verbsgen_cmem_free(void *pd, void *pd_context, void *ptr, uint64_t resource_type);

uintptr_t verbsgen_cmem_alloc_address(void);
uintptr_t verbsgen_cmem_free_address(void);

#endif

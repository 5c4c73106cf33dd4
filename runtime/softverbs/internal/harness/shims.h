// Calls as a generated binding makes them: exported functions by address, the rest through verbs_context.
// Those that answer a pointer give the errno of a failure in *err; the others return it.
#ifndef SVB_HARNESS_H
#define SVB_HARNESS_H

#include <stddef.h>
#include <stdint.h>
#include "../../../gensupport/verbs_abi.h"

void *svbh_list(uintptr_t fn, int *n, int *err);
void *svbh_list_at(void *list, int i);
void svbh_void(uintptr_t fn, void *obj);  // free_device_list
int svbh_int(uintptr_t fn, void *obj);    // dealloc_pd, dereg_mr, close_device, get_device_index
const char *svbh_name(uintptr_t fn, void *dev);
uint64_t svbh_guid(uintptr_t fn, void *dev);
void *svbh_ptr(uintptr_t fn, void *obj, int *err); // open_device, alloc_pd
void *svbh_import_device(uintptr_t fn, int fd, int *err);
void *svbh_import(uintptr_t fn, void *obj, uint32_t handle, int *err); // import_pd, import_mr, import_dm
void *svbh_reg_mr(uintptr_t fn, void *pd, uintptr_t addr, size_t length, int access, int *err);
int svbh_rereg(uintptr_t fn, void *mr, int flags, void *pd, uintptr_t addr, size_t length, int access, int *err);
int svbh_query_device(uintptr_t fn, void *ctx, struct ibv_device_attr *a);
int svbh_query_port(uintptr_t fn, void *ctx, uint8_t port, void *a);

size_t svbh_sz(void *ctx);
uintptr_t svbh_raw_reg_mr_ex(void *ctx);
int svbh_query_device_ex(void *ctx, uint32_t comp_mask, struct ibv_device_attr_ex *a, size_t size);
int svbh_query_port_op(void *ctx, uint8_t port, struct ibv_port_attr *a, size_t size);
void *svbh_alloc_td(void *ctx, uint32_t comp_mask, int *err);
void *svbh_alloc_parent_domain(void *ctx, struct ibv_parent_domain_init_attr *a, int *err);
void *svbh_alloc_dm(void *ctx, size_t length, uint32_t log_align, uint32_t comp_mask, int *err);
int svbh_free_dm(void *ctx, void *dm);
int svbh_to_dm(void *dm, uint64_t off, const void *host, size_t length);
int svbh_from_dm(void *host, void *dm, uint64_t off, size_t length);
void *svbh_reg_dm_mr(void *pd, void *dm, uint64_t off, size_t length, unsigned access, int *err);
void *svbh_null_mr(void *pd, int *err);
int svbh_advise(void *pd, int advice, uint32_t flags, uint64_t addr, uint32_t length, uint32_t lkey, uint32_t n);
void *svbh_reg_mr_ex_op(void *pd, struct ibv_mr_init_attr *a, int *err);

// An allocator in C for parent domains, and a count of what it did.
enum svbh_answer { SVBH_MEMORY, SVBH_DEFAULT, SVBH_NULL, SVBH_DIRTY, SVBH_CROOKED };
struct svbh_arena {
	int answer; // enum svbh_answer
	int allocs, frees, bad_frees;
	size_t size, alignment;
	uint64_t resource;
	void *pd, *last;
};
void svbh_parent_domain_attr(struct ibv_parent_domain_init_attr *a, void *pd, void *td, struct svbh_arena *arena);

// A provider's alloc_dm that always answers ENOTTY.
uintptr_t svbh_fake_alloc_dm(void);

#endif

#include <stdint.h>
#include "abi.gen.h"

struct direct_field {
	const char *name;
	uint64_t value;
};

#define DIRECT_FIELDS 96

void *direct_open(uintptr_t list, uintptr_t free_list, uintptr_t open, const char *name);
int direct_close(uintptr_t fn, uintptr_t ctx);
void *direct_alloc_pd(uintptr_t fn, uintptr_t ctx);
int direct_dealloc_pd(uintptr_t fn, uintptr_t pd);
void *direct_reg_mr(uintptr_t fn, uintptr_t pd, uintptr_t addr, uint64_t length, uint64_t iova, uint32_t access);
void *direct_reg_dmabuf_mr(uintptr_t fn, uintptr_t pd, uint64_t offset, uint64_t length, uint64_t iova, int fd, uint32_t access);
void *direct_reg_mr_ex(uintptr_t fn, uintptr_t pd, uint64_t mask, uint64_t length, uint32_t access, uint64_t iova, uintptr_t addr, int fd, uint64_t fd_offset);
int direct_dereg_mr(uintptr_t fn, uintptr_t mr);
int direct_rereg_mr(uintptr_t fn, uintptr_t mr, int flags, uintptr_t addr, uint64_t length, uint32_t access);
int direct_cq(uintptr_t create, uintptr_t destroy, uintptr_t ctx, int cqe, int vector);
int direct_mw(uintptr_t pd, int type);
int direct_gid_table(uintptr_t fn, uintptr_t ctx);
void *direct_import(uintptr_t fn, int fd);
int direct_advise(uintptr_t mr, uint32_t advice, uint32_t flags, uint64_t addr, uint32_t n);
int direct_query_port(uintptr_t ctx, uint8_t port, struct direct_field *out);
int direct_query_device_ex(uintptr_t ctx, struct direct_field *out);
int direct_dm(uintptr_t pd, uintptr_t dereg, uint64_t length, uint32_t log_align, uint64_t offset, uint64_t region, uint32_t access);

// The functions that direct_busy calls.
struct direct_verbs {
	uintptr_t create_comp_channel, destroy_comp_channel, create_cq, destroy_cq, alloc_pd, dealloc_pd, create_qp, destroy_qp, reg_mr_iova2, dereg_mr;
};

struct direct_busy {
	int made, channel, cq, pd, pd_of_mr, rest;
};

void direct_busy(const struct direct_verbs *v, uintptr_t ctx, uintptr_t addr, struct direct_busy *out);
uintptr_t direct_pattern_device(void);
uintptr_t direct_pattern_port(void);

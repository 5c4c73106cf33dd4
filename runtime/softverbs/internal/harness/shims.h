// Calls of functions by their address, and what Go cannot write: functions that a library calls, and fields that cgo cannot name.
#ifndef SVB_HARNESS_H
#define SVB_HARNESS_H

#include <stddef.h>
#include <stdint.h>
#include "../../../gensupport/verbs_abi.h"

// svbh_call calls a function of up to eight integers and pointers. A result of type int is in the low 32 bits.
void *svbh_call(uintptr_t fn, const uintptr_t *args, int *err);
int svbh_to_dm(void *dm, uint64_t off, const void *host, size_t length);
int svbh_from_dm(void *host, void *dm, uint64_t off, size_t length);

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

void svbh_set_imm(struct ibv_send_wr *wr, uint32_t imm);
void svbh_set_rdma(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey);
void svbh_set_atomic(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey, uint64_t compare_add, uint64_t swap);
void svbh_set_ud(struct ibv_send_wr *wr, void *ah, uint32_t qpn, uint32_t qkey);
uint32_t svbh_wc_imm(const struct ibv_wc *wc);

#endif

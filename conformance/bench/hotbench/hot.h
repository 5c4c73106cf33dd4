#ifndef HOTBENCH_HOT_H
#define HOTBENCH_HOT_H

#include <stdint.h>
#include "../../../runtime/gensupport/verbs_abi.h"

enum { HB_SLOTS = 256 };

// Fields of completions that a program reads beside those that every one has.
enum hb_fields { HB_BASE, HB_USUAL, HB_ALL };

// Functions of a device whose queues do next to nothing. hb_create_cq is ibv_create_cq of the device that they are put into.
uintptr_t hb_create_cq_ex_address(void);
void hb_use(uintptr_t create_cq);

// The extended queue that was made last, and what a program in C does with it.
struct ibv_cq_ex *hb_cq(void);
uint64_t hb_loop_read(struct ibv_cq_ex *cq, enum hb_fields fields, int n, long times);
void hb_without(struct ibv_cq_ex *cq); // it has no function to read immediate data, or to go on

// ibv_qp_to_qp_ex of a device whose streams do next to nothing. hb_use_ex is that of the device that they are put into.
uintptr_t hb_qp_to_qp_ex_address(void);
void hb_use_ex(uintptr_t qp_to_qp_ex);

// The extended queue pair that was asked for last, and what a program in C does with it: it posts n WRITEs, times over.
struct ibv_qp_ex *hb_qp(void);
void hb_fill(void); // with values of requests; before the first of these
void hb_loop_stream(struct ibv_qp_ex *qp, int n, long times);
uint64_t hb_written(void); // sum of the remote addresses

// What a program in C does with queues of any device: nanoseconds of one call for n requests, -1 if it fails; or for got completions.
struct hb_write {
	uint64_t addr, remote;
	uint32_t lkey, rkey, length, flags; // flags beside SIGNALED
};
int64_t hb_turn_post(struct ibv_qp *qp, const struct hb_write *w, int n, int times, int anew);
int64_t hb_turn_recv(struct ibv_qp *qp, const struct hb_write *w, int n, int times);
int64_t hb_turn_poll(struct ibv_cq *cq, int n, int times, int *got);

// It posts n signaled requests by one call and polls until all are complete, times over. Not 0: a call failed, or a request did.
int hb_trip(struct ibv_qp *qp, struct ibv_cq *cq, const struct hb_write *w, enum ibv_wr_opcode opcode, int n, long times);

// Threads that use one object together, n times in all. They return the nanoseconds of processor time of the process, -1 if a call failed.
int64_t hb_poll_together(struct ibv_cq *cq, int threads, long n); // polls of an empty queue
int64_t hb_pd_together(struct ibv_context *ctx, uintptr_t alloc, uintptr_t dealloc, int threads, long n); // new protection domains

#endif

// The kernel half of mlx5: what mlx5_ib answers, and the queues of the card in the form that libmlx5 writes and reads.
#ifndef CARD_MLX5_H
#define CARD_MLX5_H

#include <endian.h>
#include <linux/if_ether.h>
#include <stdatomic.h>
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "uverbs/provider.h"

// The limits of this card.
enum {
	SEND_BYTES = 1024,          // max_wqe_sz_sq
	RECEIVE_BYTES = 512,        // max_wqe_sz_rq
	QUEUE_MOST = 1 << 15,       // log_max_qp_sz
	SRQ_MOST = 1 << 15,         // log_max_srq_sz
	CQ_MOST = 1 << 22,          // log_max_cq_sz
	RD_ATOMIC = 16,             // log_max_ra_req_qp, log_max_ra_res_qp
	DM_BYTES = 256 << 10,       // max_memic_size
	DM_UNIT = 64,               // MLX5_MEMIC_BASE_SIZE
	DM_BAR = 4 << 20,           // memic_bar_size
	DM_LOG_ALIGN = 6,           // log_max_memic_addr_alignment, above that of the unit
	TABLE_MOST = 1 << 11,       // log_max_rqt_size
	WQS = 1 << 24,              // log_max_rq
	UARS = 512,
	ECE = 0x10000001,           // the options that it knows
	LOG_STREAMS = 3,            // log_max_dci_stream_channels
	LOG_ERRORED = 2,            // log_max_dci_errored_streams
};

// What a queue pair over a table can hash (main.c, mlx5_ib_query_device), without what is in a tunnel.
enum {
	HASH_FIELDS = MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4 | MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6 | MLX5_RX_HASH_SRC_PORT_TCP |
		MLX5_RX_HASH_DST_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP | MLX5_RX_HASH_DST_PORT_UDP,
};

// mlx5_offset is where a page lies in an open file: the offset that libmlx5 maps it by.
off_t mlx5_offset(unsigned command, uint32_t index) HIDDEN;

enum { CQ_CONSUMER, CQ_ARM };  // the two words of a completion queue's doorbell record

struct mlx5_cq {
	uint8_t *buf;
	_Atomic uint32_t *db;
	uint32_t n, produced, solicited; // solicited: produced, behind the last solicited completion
	uint32_t notified; // produced, when the last event was due (last_notified_index of the card's context)
	unsigned size;
	bool ignore_overrun;
};

struct mlx5_wq {
	uint8_t *buf;
	_Atomic uint32_t *db;
	uint32_t n, uidx;          // n: how many the queue holds, of 1 << shift bytes
	unsigned shift;
	uint16_t taken;
};

struct mlx5_srq {
	uint8_t *buf;
	_Atomic uint32_t *db;
	unsigned shift;
	uint32_t uidx;
	uint16_t next, taken;
};

struct mlx5_qp {
	struct mlx5_wq rq;         // with the doorbell record and the number of the queue pair
	uint8_t *sq;
	uint32_t sends;            // how many the send queue holds, in units of 64 bytes
	uint16_t sent;             // how many were taken
	bool dct;
};

// dm.c
void mlx5_alloc_dm(const struct call *, struct dm *, uint32_t log_align) HIDDEN;
void mlx5_import_dm(struct dm *) HIDDEN;
void mlx5_free_dm(struct dm *) HIDDEN;
uint8_t *mlx5_reg_dm(const struct dm *, uint32_t access) HIDDEN;
int mlx5_map_dm(const struct context *, uint32_t index, size_t length) HIDDEN;
void mlx5_query_dm(const struct call *) HIDDEN;
void mlx5_map_dm_op(const struct call *) HIDDEN;

// devx.c
void mlx5_devx_other(const struct call *) HIDDEN;
void mlx5_devx_create(const struct call *) HIDDEN;
void mlx5_devx_query(const struct call *) HIDDEN;
void mlx5_devx_modify(const struct call *) HIDDEN;
void mlx5_umem_reg(const struct call *) HIDDEN;
void mlx5_query_eqn(const struct call *) HIDDEN;
void mlx5_alloc_pp(const struct call *) HIDDEN;
void mlx5_query_port_info(const struct call *) HIDDEN;

// driver.c
uint32_t mlx5_nowhere(const struct device *) HIDDEN;
void mlx5_tick(struct context *) HIDDEN;

// cq.c
void mlx5_create_cq(const struct call *, struct cq *, uint32_t entries, uint32_t flags) HIDDEN;
void mlx5_resize_cq(const struct call *, struct cq *, uint32_t entries) HIDDEN;
void mlx5_modify_cq(uint16_t period) HIDDEN;
bool mlx5_complete(struct cq *, const struct completion *) HIDDEN;
bool mlx5_armed(struct cq *) HIDDEN;

// queues.c
void mlx5_create_srq(const struct call *, struct srq *) HIDDEN;
void mlx5_modify_srq(struct srq *, const struct ib_uverbs_modify_srq *) HIDDEN;
void mlx5_create_qp(const struct call *, struct qp *, uint32_t flags) HIDDEN;
void mlx5_modify_qp(const struct call *, struct qp *, const struct ib_uverbs_modify_qp *) HIDDEN;
void mlx5_query_qp(const struct qp *, struct ib_uverbs_query_qp_resp *) HIDDEN;
void mlx5_reset_qp(struct qp *) HIDDEN;

// dc.c
void mlx5_create_dc(struct qp *, const struct mlx5_ib_create_qp *, struct mlx5_qp *) HIDDEN;
bool mlx5_dc_allowed(const struct qp *, const struct ib_uverbs_modify_qp *) HIDDEN;

// wq.c
void mlx5_create_wq(const struct call *, struct wq *, uint32_t flags) HIDDEN;
void mlx5_modify_wq(const struct call *, struct wq *, int from, int to, uint32_t flags) HIDDEN;
void mlx5_create_table(const struct call *) HIDDEN;
void mlx5_create_over_table(const struct call *, struct qp *, uint32_t flags) HIDDEN;

// flow.c
void mlx5_create_flow(const struct call *, struct flow *, const struct ib_uverbs_flow_attr *, const struct spec *, int n) HIDDEN;
void mlx5_destroy_flow(struct flow *) HIDDEN;
int mlx5_read_counters(const struct counters *, uint64_t *values, size_t n) HIDDEN;

// steer.c
void mlx5_create_matcher(const struct call *) HIDDEN;
void mlx5_create_rule(const struct call *) HIDDEN;

// wqe.c
bool mlx5_take_wq(struct wq *, struct receive *) HIDDEN;
bool mlx5_peek(struct qp *, struct request *) HIDDEN;
void mlx5_drop(struct qp *, const struct request *) HIDDEN;
bool mlx5_take(struct qp *, struct srq *, struct receive *, uint32_t *left) HIDDEN;

// attributes.c
void mlx5_device_attr(const struct device *, struct ib_uverbs_ex_query_device_resp *) HIDDEN;
void mlx5_port_attr(const struct device *, struct ib_uverbs_query_port_resp *) HIDDEN;
void mlx5_query_device(const struct call *) HIDDEN;
void mlx5_get_context(const struct call *) HIDDEN;

#endif

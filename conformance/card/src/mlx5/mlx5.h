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

// mlx5_offset is where a page lies in an open file: the offset that libmlx5 maps it by. That is a number of a page: a command in bits 8 to
// 15, an index in bits 0 to 7 and from 16 on (get_command, get_arg and get_extended_index of main.c). Indices here have 10 bits.
static inline off_t mlx5_offset(unsigned command, uint32_t index)
{
	return (off_t)((index & 0xff) | (uint64_t)command << 8 | (uint64_t)(index >> 8) << 16) * PAGE;
}

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

#endif

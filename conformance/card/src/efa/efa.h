// The kernel half of efa: what Linux's efa driver answers, and the queues of an Elastic Fabric Adapter in the form that libefa writes and
// reads. All queues and doorbells are pages of the device.
#ifndef CARD_EFA_H
#define CARD_EFA_H

#include <endian.h>
#include <stdatomic.h>
#include <rdma/efa-abi.h>

#include "uverbs/provider.h"

// The limits of this adapter.
enum {
	QUEUE_MOST = 4096,           // max_sq_depth, max_rq_depth
	LLQ_BYTES = QUEUE_MOST * 64, // max_llq_size
	SEND_SGE = 2, RECEIVE_SGE = 3,
	MTU = 8928,                  // of the attributes of the device
	INLINE = 32,                 // inline_buf_size
	CQ_MOST = 1 << 15,
	SUB_CQS = 2,                 // sub_cqs_per_cq: of sends and of receives
	ADDRESSES = 1024,            // address handles of a device, at most
	PAGES = 1 << 14,             // of a device
};

// A descriptor of the send queue: struct efa_io_tx_wqe of Linux 6.1, drivers/infiniband/hw/efa/efa_io_defs.h. So are the next two.
struct send {
	uint16_t request;
	uint8_t control, order;
	uint16_t dest, length;       // length: of inline bytes, or of the list
	uint32_t immediate;
	uint16_t address, reserved;
	uint32_t qkey;
	uint8_t reserved2[12];
	union {
		struct {
			uint32_t length, key, low, high;
		} list[SEND_SGE];
		uint8_t bytes[INLINE];
	};
};

enum { OPERATION = 0xf, READS = 1, HAS_IMMEDIATE = 1 << 4, HAS_BYTES = 1 << 5, WANTS_COMPLETION = 1 << 4 };

// A buffer of a receive, and what is beside the key in its last word.
struct buffer {
	uint32_t low, high;
	uint16_t request, length;
	uint32_t key;
};

#define KEY_BITS 0xffffffu
#define LAST_BUFFER (1u << 31)

// A completion. Those of sends end behind length.
struct entry {
	uint16_t request;
	uint8_t status, flags;
	uint16_t qp, length;
	uint16_t address, source;
	uint32_t immediate;
};

enum { PHASE = 1, OF_SEND = 1 << 1, OF_RECEIVE = 2 << 1, ENTRY_IMMEDIATE = 1 << 3, ENTRY_OPERATION = 4, NO_ADDRESS = 0xffff };

// Pages of the device that a process maps, by the offset that create answered.
struct region {
	LIST_ENTRY(region) link;
	struct context *ctx;
	uint64_t at, size;
};

struct efa_cq {
	struct region *pages;
	unsigned size;               // of an entry
	uint32_t produced[SUB_CQS];
};

struct efa_qp {
	struct region *doorbells, *sends, *receives; // receives: NULL without
	uint32_t nsends, nreceives;  // nreceives: buffers
	uint16_t sent, received;
};

enum { SEND_DOORBELL = 0, RECEIVE_DOORBELL = 64, SENDS_AT = 128 }; // where in their pages they lie

#endif

//go:build linux && cgo

// Which changes of state a queue pair takes, and which attributes each needs and allows: the table of the
// InfiniBand specification as the kernel keeps it, for RC, UC and UD.
#include "svb.h"
#include "queue.h"

enum { RC, UC, UD, KINDS };

struct change {
	bool valid;
	int need[KINDS], allow[KINDS];
};

#define ACCESS IBV_QP_ACCESS_FLAGS
#define ALT IBV_QP_ALT_PATH
#define CUR IBV_QP_CUR_STATE
#define MIG IBV_QP_PATH_MIG_STATE
#define PKEY IBV_QP_PKEY_INDEX
#define RNR IBV_QP_MIN_RNR_TIMER
#define BEGIN (PKEY | IBV_QP_PORT)
#define PATH (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RETRY (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define AGAIN \
	{ [RC] = CUR | ACCESS | RNR | ALT | MIG, [UC] = CUR | ACCESS | ALT | MIG, [UD] = CUR | IBV_QP_QKEY }

static const struct change changes[IBV_QPS_ERR + 1][IBV_QPS_ERR + 1] = {
	[IBV_QPS_RESET] = {
		[IBV_QPS_RESET] = {.valid = true},
		[IBV_QPS_INIT] = {.valid = true, .need = {BEGIN | ACCESS, BEGIN | ACCESS, BEGIN | IBV_QP_QKEY}},
	},
	[IBV_QPS_INIT] = {
		[IBV_QPS_RESET] = {.valid = true},
		[IBV_QPS_ERR] = {.valid = true},
		[IBV_QPS_INIT] = {.valid = true, .allow = {BEGIN | ACCESS, BEGIN | ACCESS, BEGIN | IBV_QP_QKEY}},
		[IBV_QPS_RTR] = {
			.valid = true,
			.need = {[RC] = PATH | IBV_QP_MAX_DEST_RD_ATOMIC | RNR, [UC] = PATH},
			.allow = {ALT | ACCESS | PKEY, ALT | ACCESS | PKEY, PKEY | IBV_QP_QKEY},
		},
	},
	[IBV_QPS_RTR] = {
		[IBV_QPS_RESET] = {.valid = true},
		[IBV_QPS_ERR] = {.valid = true},
		[IBV_QPS_RTS] = {
			.valid = true, .need = {RETRY | IBV_QP_SQ_PSN, IBV_QP_SQ_PSN, IBV_QP_SQ_PSN}, .allow = AGAIN,
		},
	},
	[IBV_QPS_RTS] = {
		[IBV_QPS_RESET] = {.valid = true},
		[IBV_QPS_ERR] = {.valid = true},
		[IBV_QPS_RTS] = {.valid = true, .allow = AGAIN},
		[IBV_QPS_SQD] = {
			.valid = true,
			.allow = {IBV_QP_EN_SQD_ASYNC_NOTIFY, IBV_QP_EN_SQD_ASYNC_NOTIFY, IBV_QP_EN_SQD_ASYNC_NOTIFY},
		},
	},
	[IBV_QPS_SQD] = {
		[IBV_QPS_RESET] = {.valid = true},
		[IBV_QPS_ERR] = {.valid = true},
		[IBV_QPS_RTS] = {.valid = true, .allow = AGAIN},
		[IBV_QPS_SQD] = {
			.valid = true,
			.allow = {
				[RC] = IBV_QP_PORT | IBV_QP_AV | RETRY | IBV_QP_MAX_DEST_RD_ATOMIC | ALT | ACCESS | PKEY | RNR | MIG,
				[UC] = IBV_QP_AV | ALT | ACCESS | PKEY | MIG,
				[UD] = PKEY | IBV_QP_QKEY,
			},
		},
	},
	[IBV_QPS_SQE] = {
		[IBV_QPS_RESET] = {.valid = true},
		[IBV_QPS_ERR] = {.valid = true},
		[IBV_QPS_RTS] = {.valid = true, .allow = {[UC] = CUR | ACCESS, [UD] = CUR | IBV_QP_QKEY}},
	},
	[IBV_QPS_ERR] = {
		[IBV_QPS_RESET] = {.valid = true},
		[IBV_QPS_ERR] = {.valid = true},
	},
};

bool svb_transition(enum ibv_qp_type t, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	const int kind = t == IBV_QPT_RC ? RC : t == IBV_QPT_UC ? UC : UD;
	const struct change *c;

	if ((unsigned)from > IBV_QPS_ERR || (unsigned)to > IBV_QPS_ERR)
		return false;
	if ((mask & CUR) && (from < IBV_QPS_RTR || from > IBV_QPS_SQE))
		return false;
	c = &changes[from][to];
	return c->valid && (mask & c->need[kind]) == c->need[kind] && !(mask & ~(c->need[kind] | c->allow[kind] | IBV_QP_STATE));
}

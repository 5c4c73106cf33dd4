// Which changes of state a queue pair accepts and with which attributes: the table of the InfiniBand specification
// for RC, UC, UD, raw packets and both sides of XRC, with what Linux adds to it. The table has a row per attribute, not per change:
// where the attribute must be given and where it may be.
#include "shared.h"

#define STATES (IBV_QPS_ERR + 1)
#define STEP(from, to) (UINT64_C(1) << ((from) * STATES + (to)))

#define RESET_INIT STEP(IBV_QPS_RESET, IBV_QPS_INIT)
#define INIT_INIT STEP(IBV_QPS_INIT, IBV_QPS_INIT)
#define INIT_RTR STEP(IBV_QPS_INIT, IBV_QPS_RTR)
#define RTR_RTS STEP(IBV_QPS_RTR, IBV_QPS_RTS)
#define RTS_RTS STEP(IBV_QPS_RTS, IBV_QPS_RTS)
#define RTS_SQD STEP(IBV_QPS_RTS, IBV_QPS_SQD)
#define SQD_SQD STEP(IBV_QPS_SQD, IBV_QPS_SQD)
#define SQD_RTS STEP(IBV_QPS_SQD, IBV_QPS_RTS)
#define SQE_RTS STEP(IBV_QPS_SQE, IBV_QPS_RTS)
#define UP (RTR_RTS | RTS_RTS | SQD_RTS) // into RTS, but for recovery from an error
#define ATTRIBUTED (RESET_INIT | INIT_INIT | INIT_RTR | UP | RTS_SQD | SQD_SQD | SQE_RTS)

enum { RC = 1, UC = 2, UD = 4, INI = 8, TGT = 16, RAW = 32, XRC = INI | TGT, CONNECTED = RC | UC | XRC, ALL = CONNECTED | UD };

struct rule {
	int attribute, types;
	uint64_t required, optional; // sets of steps
};

// No attribute has two rows for one step and type.
static const struct rule rules[] = {
	{IBV_QP_STATE, ALL | RAW, 0, ATTRIBUTED},
	{IBV_QP_CUR_STATE, ALL, 0, UP},
	{IBV_QP_CUR_STATE, UC | UD, 0, SQE_RTS},
	{IBV_QP_EN_SQD_ASYNC_NOTIFY, ALL, 0, RTS_SQD},
	{IBV_QP_ACCESS_FLAGS, CONNECTED, RESET_INIT, INIT_INIT | INIT_RTR | UP | SQD_SQD},
	{IBV_QP_ACCESS_FLAGS, UC, 0, SQE_RTS},
	{IBV_QP_PKEY_INDEX, ALL, RESET_INIT, INIT_INIT | INIT_RTR | SQD_SQD},
	{IBV_QP_PORT, ALL, RESET_INIT, INIT_INIT},
	{IBV_QP_PORT, RC | XRC, 0, SQD_SQD},
	{IBV_QP_PORT, RAW, RESET_INIT, 0},
	{IBV_QP_QKEY, UD, RESET_INIT, INIT_INIT | INIT_RTR | UP | SQD_SQD | SQE_RTS},
	{IBV_QP_AV, CONNECTED, INIT_RTR, SQD_SQD},
	{IBV_QP_PATH_MTU, CONNECTED, INIT_RTR, 0},
	{IBV_QP_DEST_QPN, CONNECTED, INIT_RTR, 0},
	{IBV_QP_RQ_PSN, CONNECTED, INIT_RTR, 0},
	{IBV_QP_MAX_DEST_RD_ATOMIC, RC | TGT, INIT_RTR, SQD_SQD},
	{IBV_QP_MIN_RNR_TIMER, RC | TGT, INIT_RTR, UP | SQD_SQD},
	{IBV_QP_ALT_PATH, CONNECTED, 0, INIT_RTR | UP | SQD_SQD},
	{IBV_QP_PATH_MIG_STATE, CONNECTED, 0, UP | SQD_SQD},
	{IBV_QP_SQ_PSN, ALL, RTR_RTS, 0},
	{IBV_QP_TIMEOUT, RC | XRC, RTR_RTS, SQD_SQD},
	{IBV_QP_RETRY_CNT, RC | INI, RTR_RTS, SQD_SQD},
	{IBV_QP_RNR_RETRY, RC | INI, RTR_RTS, SQD_SQD},
	{IBV_QP_MAX_QP_RD_ATOMIC, RC | INI, RTR_RTS, SQD_SQD},
};

static int type_bit(enum ibv_qp_type t)
{
	switch (t) {
	case IBV_QPT_RC:
		return RC;
	case IBV_QPT_UC:
		return UC;
	case IBV_QPT_XRC_SEND:
		return INI;
	case IBV_QPT_XRC_RECV:
		return TGT;
	case IBV_QPT_RAW_PACKET:
		return RAW;
	default:
		return UD;
	}
}

// gives_up: to RESET from everywhere, to ERR from everywhere but RESET. No attribute goes with these.
static bool gives_up(enum ibv_qp_state from, enum ibv_qp_state to)
{
	return to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET);
}

bool svb_transition(enum ibv_qp_type t, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	const int type = type_bit(t);
	const struct rule *r;
	uint64_t step;

	if ((unsigned)from >= STATES || (unsigned)to >= STATES)
		return false;
	if (gives_up(from, to))
		return !(mask & ~IBV_QP_STATE);
	step = STEP(from, to);
	if (!(step & ATTRIBUTED))
		return false;
	for (r = rules; r < rules + sizeof rules / sizeof *rules; r++) {
		if (!(r->types & type) || !((r->required | r->optional) & step))
			continue;
		if ((r->required & step) && !(mask & r->attribute))
			return false;
		mask &= ~r->attribute;
	}
	return !mask; // what is left goes with another step or type
}

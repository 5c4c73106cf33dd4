// The attributes that a change of state needs and allows: Linux 6.1, drivers/infiniband/core/verbs.c, qp_state_table and
// ib_modify_qp_is_ok.

#include "uverbs/provider.h"

enum {
	AV = IBV_QP_AV, PORT = IBV_QP_PORT, PKEY = IBV_QP_PKEY_INDEX, QKEY = IBV_QP_QKEY, ACCESS = IBV_QP_ACCESS_FLAGS, CUR = IBV_QP_CUR_STATE,
	MTU = IBV_QP_PATH_MTU, DEST = IBV_QP_DEST_QPN, RQ_PSN = IBV_QP_RQ_PSN, SQ_PSN = IBV_QP_SQ_PSN, TIMER = IBV_QP_MIN_RNR_TIMER,
	DEST_RD = IBV_QP_MAX_DEST_RD_ATOMIC, QP_RD = IBV_QP_MAX_QP_RD_ATOMIC, ALT = IBV_QP_ALT_PATH, MIG = IBV_QP_PATH_MIG_STATE,
	TIMEOUT = IBV_QP_TIMEOUT, RETRY = IBV_QP_RETRY_CNT, RNR = IBV_QP_RNR_RETRY, NOTIFY = IBV_QP_EN_SQD_ASYNC_NOTIFY,
};

// The columns of the table.
enum { UD, UC, RC, INITIATOR, TARGET, RAW, TYPES };

struct transition {
	int from, to;
	uint32_t need[TYPES], may[TYPES];
};

#define ALL(x) {x, x, x, x, x, 0}

static const struct transition table[] = {
	{IBV_QPS_RESET, IBV_QPS_INIT,
		{PKEY | PORT | QKEY, PKEY | PORT | ACCESS, PKEY | PORT | ACCESS, PKEY | PORT | ACCESS, PKEY | PORT | ACCESS, PORT}, {0}},
	{IBV_QPS_INIT, IBV_QPS_INIT,
		{0}, {PKEY | PORT | QKEY, PKEY | PORT | ACCESS, PKEY | PORT | ACCESS, PKEY | PORT | ACCESS, PKEY | PORT | ACCESS}},
	{IBV_QPS_INIT, IBV_QPS_RTR,
		{0, AV | MTU | DEST | RQ_PSN, AV | MTU | DEST | RQ_PSN | DEST_RD | TIMER, AV | MTU | DEST | RQ_PSN,
			AV | MTU | DEST | RQ_PSN | DEST_RD | TIMER},
		{PKEY | QKEY, ALT | ACCESS | PKEY, ALT | ACCESS | PKEY, ALT | ACCESS | PKEY, ALT | ACCESS | PKEY}},
	{IBV_QPS_RTR, IBV_QPS_RTS,
		{SQ_PSN, SQ_PSN, TIMEOUT | RETRY | RNR | SQ_PSN | QP_RD, TIMEOUT | RETRY | RNR | SQ_PSN | QP_RD, TIMEOUT | SQ_PSN},
		{CUR | QKEY, CUR | ALT | ACCESS | MIG, CUR | ALT | ACCESS | TIMER | MIG, CUR | ALT | ACCESS | MIG, CUR | ALT | ACCESS | TIMER | MIG}},
	{IBV_QPS_RTS, IBV_QPS_RTS,
		{0}, {CUR | QKEY, CUR | ALT | ACCESS | MIG, CUR | ALT | ACCESS | TIMER | MIG, CUR | ALT | ACCESS | MIG,
			CUR | ALT | ACCESS | TIMER | MIG}},
	{IBV_QPS_RTS, IBV_QPS_SQD, {0}, ALL(NOTIFY)},
	{IBV_QPS_SQD, IBV_QPS_RTS,
		{0}, {CUR | QKEY, CUR | ALT | ACCESS | MIG, CUR | ALT | ACCESS | TIMER | MIG, CUR | ALT | ACCESS | MIG,
			CUR | ALT | ACCESS | TIMER | MIG}},
	{IBV_QPS_SQD, IBV_QPS_SQD,
		{0}, {PKEY | QKEY, AV | ALT | ACCESS | PKEY | MIG,
			PORT | AV | TIMEOUT | RETRY | RNR | QP_RD | DEST_RD | ALT | ACCESS | PKEY | TIMER | MIG,
			PORT | AV | TIMEOUT | RETRY | RNR | QP_RD | ALT | ACCESS | PKEY | MIG,
			PORT | AV | TIMEOUT | DEST_RD | ALT | ACCESS | PKEY | TIMER | MIG}},
	{IBV_QPS_SQE, IBV_QPS_RTS, {0}, {CUR | QKEY, CUR | ACCESS}},
};

static int column(int type)
{
	switch (type) {
	case IBV_QPT_UD: return UD;
	case IBV_QPT_UC: return UC;
	case IBV_QPT_RC: return RC;
	case IBV_QPT_XRC_SEND: return INITIATOR;
	case IBV_QPT_RAW_PACKET: return RAW;
	default: return TARGET;
	}
}

bool transition_allowed(int type, int from, int to, uint32_t mask)
{
	const int k = column(type);
	uint32_t need = 0, may = 0;
	bool found = false;

	if (mask & CUR && from != IBV_QPS_RTR && from != IBV_QPS_RTS && from != IBV_QPS_SQD && from != IBV_QPS_SQE)
		return false;
	if (to == IBV_QPS_RESET)
		found = true;
	else if (to == IBV_QPS_ERR)
		found = from != IBV_QPS_RESET;
	for (size_t i = 0; !found && i < sizeof table / sizeof *table; i++)
		if (table[i].from == from && table[i].to == to) {
			found = true;
			need = table[i].need[k];
			may = table[i].may[k];
		}
	return found && (mask & need) == need && !(mask & ~(need | may | IBV_QP_STATE));
}

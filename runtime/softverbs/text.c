//go:build linux && cgo

// Values that need no device: conversions of rates, and texts of enumerators.
#include "entry.h"

// A rate with its multiple of 2.5 Gbit/s, which not all have, and its Mbit/s.
static const struct rate {
	enum ibv_rate rate;
	int mult, mbps;
} rates[] = {
	{IBV_RATE_2_5_GBPS, 1, 2500},    {IBV_RATE_5_GBPS, 2, 5000},       {IBV_RATE_10_GBPS, 4, 10000},
	{IBV_RATE_20_GBPS, 8, 20000},    {IBV_RATE_30_GBPS, 12, 30000},    {IBV_RATE_40_GBPS, 16, 40000},
	{IBV_RATE_60_GBPS, 24, 60000},   {IBV_RATE_80_GBPS, 32, 80000},    {IBV_RATE_120_GBPS, 48, 120000},
	{IBV_RATE_28_GBPS, 11, 28125},   {IBV_RATE_50_GBPS, 20, 53125},    {IBV_RATE_400_GBPS, 160, 425000},
	{IBV_RATE_600_GBPS, 240, 637500}, {IBV_RATE_800_GBPS, 320, 850000}, {IBV_RATE_1200_GBPS, 480, 1275000},
	{IBV_RATE_14_GBPS, -1, 14062},   {IBV_RATE_56_GBPS, -1, 56250},    {IBV_RATE_112_GBPS, -1, 112500},
	{IBV_RATE_168_GBPS, -1, 168750}, {IBV_RATE_25_GBPS, -1, 25781},    {IBV_RATE_100_GBPS, -1, 103125},
	{IBV_RATE_200_GBPS, -1, 206250}, {IBV_RATE_300_GBPS, -1, 309375},
};

#define EACH_RATE(r) for (const struct rate *r = rates; r < rates + sizeof rates / sizeof *rates; r++)

int svb_rate_to_mult(enum ibv_rate rate)
{
	EACH_RATE(r)
		if (r->rate == rate)
			return r->mult;
	return -1;
}

enum ibv_rate svb_mult_to_rate(int mult)
{
	EACH_RATE(r)
		if (r->mult == mult && mult > 0)
			return r->rate;
	return IBV_RATE_MAX;
}

int svb_rate_to_mbps(enum ibv_rate rate)
{
	EACH_RATE(r)
		if (r->rate == rate)
			return r->mbps;
	return -1;
}

enum ibv_rate svb_mbps_to_rate(int mbps)
{
	EACH_RATE(r)
		if (r->mbps == mbps)
			return r->rate;
	return IBV_RATE_MAX;
}

// TEXT finds the text of a value in a list of them.
#define TEXT(list, value) \
	((value) >= 0 && (size_t)(value) < sizeof list / sizeof *list && list[value] ? list[value] : "unknown")

const char *svb_node_type_str(enum ibv_node_type type)
{
	static const char *const of[] = {[IBV_NODE_CA] = "channel adapter", [IBV_NODE_SWITCH] = "switch", [IBV_NODE_ROUTER] = "router",
					 [IBV_NODE_RNIC] = "iWARP adapter", [IBV_NODE_USNIC] = "usNIC", [IBV_NODE_USNIC_UDP] = "usNIC over UDP",
					 [IBV_NODE_UNSPECIFIED] = "not specified"};

	return TEXT(of, (int)type);
}

const char *svb_port_state_str(enum ibv_port_state state)
{
	static const char *const of[] = {[IBV_PORT_NOP] = "no change", [IBV_PORT_DOWN] = "down", [IBV_PORT_INIT] = "initializing",
					 [IBV_PORT_ARMED] = "armed", [IBV_PORT_ACTIVE] = "active", [IBV_PORT_ACTIVE_DEFER] = "active, deferred"};

	return TEXT(of, (int)state);
}

const char *svb_event_type_str(enum ibv_event_type event)
{
	static const char *const of[] = {
		[IBV_EVENT_CQ_ERR] = "completion queue failed", [IBV_EVENT_QP_FATAL] = "queue pair failed",
		[IBV_EVENT_QP_REQ_ERR] = "bad request to a queue pair", [IBV_EVENT_QP_ACCESS_ERR] = "queue pair refused access",
		[IBV_EVENT_COMM_EST] = "connection established", [IBV_EVENT_SQ_DRAINED] = "send queue is empty",
		[IBV_EVENT_PATH_MIG] = "path changed", [IBV_EVENT_PATH_MIG_ERR] = "path could not change",
		[IBV_EVENT_DEVICE_FATAL] = "device failed", [IBV_EVENT_PORT_ACTIVE] = "port is active", [IBV_EVENT_PORT_ERR] = "port is down",
		[IBV_EVENT_LID_CHANGE] = "LID changed", [IBV_EVENT_PKEY_CHANGE] = "partition keys changed",
		[IBV_EVENT_SM_CHANGE] = "another subnet manager", [IBV_EVENT_SRQ_ERR] = "shared receive queue failed",
		[IBV_EVENT_SRQ_LIMIT_REACHED] = "limit of a shared receive queue", [IBV_EVENT_QP_LAST_WQE_REACHED] = "last request of a queue pair",
		[IBV_EVENT_CLIENT_REREGISTER] = "clients are to register again", [IBV_EVENT_GID_CHANGE] = "GIDs changed",
		[IBV_EVENT_WQ_FATAL] = "work queue failed"};

	return TEXT(of, (int)event);
}

const char *svb_wc_status_str(enum ibv_wc_status status)
{
	static const char *const of[] = {
		[IBV_WC_SUCCESS] = "success",
		[IBV_WC_LOC_LEN_ERR] = "local length",
		[IBV_WC_LOC_QP_OP_ERR] = "local queue pair",
		[IBV_WC_LOC_EEC_OP_ERR] = "local end-to-end context",
		[IBV_WC_LOC_PROT_ERR] = "local protection",
		[IBV_WC_WR_FLUSH_ERR] = "flushed",
		[IBV_WC_MW_BIND_ERR] = "memory window",
		[IBV_WC_BAD_RESP_ERR] = "bad response",
		[IBV_WC_LOC_ACCESS_ERR] = "local access",
		[IBV_WC_REM_INV_REQ_ERR] = "remote invalid request",
		[IBV_WC_REM_ACCESS_ERR] = "remote access",
		[IBV_WC_REM_OP_ERR] = "remote operation",
		[IBV_WC_RETRY_EXC_ERR] = "no answer",
		[IBV_WC_RNR_RETRY_EXC_ERR] = "remote not ready",
		[IBV_WC_LOC_RDD_VIOL_ERR] = "local datagram domain",
		[IBV_WC_REM_INV_RD_REQ_ERR] = "remote invalid datagram",
		[IBV_WC_REM_ABORT_ERR] = "remote abort",
		[IBV_WC_INV_EECN_ERR] = "no end-to-end context",
		[IBV_WC_INV_EEC_STATE_ERR] = "state of the end-to-end context",
		[IBV_WC_FATAL_ERR] = "device",
		[IBV_WC_RESP_TIMEOUT_ERR] = "response too late",
		[IBV_WC_GENERAL_ERR] = "general",
		[IBV_WC_TM_ERR] = "tag matching",
		[IBV_WC_TM_RNDV_INCOMPLETE] = "rendezvous is too long",
	};

	return TEXT(of, (int)status);
}

// Nothing of a software device is lost in a child process.
int svb_fork_init(void)
{
	return 0;
}

enum ibv_fork_status svb_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

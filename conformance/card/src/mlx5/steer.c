// Rules of matchers, which libmlx5 makes for tables of level 0: Linux 6.1, drivers/infiniband/hw/mlx5/fs.c.
//
// This card matches the addresses and the type of Ethernet headers.
#include <unistd.h>

#include "mlx5/mlx5.h"

enum {
	OUTER = 1,              // MLX5_MATCH_OUTER_HEADERS, of match_criteria_enable
	MATCHED = 14,           // bytes of fte_match_set_lyr_2_4 that are matched: from, type, to
	MASK_MOST = 512,        // MLX5_ST_SZ_BYTES(fte_match_param)
};

struct matcher {
	struct object o;
	uint8_t mask[MATCHED];
	uint16_t priority;
	uint8_t egress;
};

// eth_filter writes what is matched as struct ibv_flow_eth_filter has it.
static void eth_filter(uint8_t *to, const uint8_t all[MATCHED])
{
	memcpy(to, all + 8, 6);
	memcpy(to + 6, all, 8);
}

static void mlx5_create_matcher(const struct call *c)
{
	const uint64_t table = attr_number(c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE, MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX);
	uint8_t criteria = 0;
	size_t n;
	const uint8_t *mask = attr_pointer(c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, &n);
	struct matcher *m;

	refuse_if(!mask || !n || n > MASK_MOST, EINVAL);
	ATTR_IN(c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, criteria);
	if (table > MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX) // no switch, and no tables of RDMA
		refuse(EINVAL);
	for (size_t i = MATCHED; i < n; i++)
		refuse_if(mask[i], EOPNOTSUPP);
	refuse_if(criteria & ~OUTER, EOPNOTSUPP);
	m = object_new(c->ctx, MLX5_IB_OBJECT_FLOW_MATCHER, sizeof *m, object_drop);
	if (criteria & OUTER)
		memcpy(m->mask, mask, MIN(n, MATCHED));
	ATTR_IN(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, m->priority);
	m->egress = table == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX;
	attr_created(c, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, m->o.handle);
}

// goes reads where packets go: to a queue pair, or nowhere (get_dests).
static void goes(const struct call *c, struct flow *f)
{
	const uint64_t flags = attr_number(c, MLX5_IB_ATTR_CREATE_FLOW_FLAGS, 0);

	refuse_if(attr(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX) || attr(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS) ||
		attr(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX), EINVAL); // ours: the card has no such objects that a flow could name
	f->drop = flags & MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP;
	if (attr(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP)) {
		f->qp = attr_needed(c, &f->o, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, UVERBS_OBJECT_QP);
		refuse_if(f->qp->type != IBV_QPT_RAW_PACKET || flags || f->egress, EINVAL);
	} else if (!f->drop && !f->egress) {
		refuse(EINVAL); // ours: there is no flow behind those of this table
	}
}

static void mlx5_create_rule(const struct call *c)
{
	size_t n;
	const uint8_t *value = attr_pointer(c, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, &n);
	uint8_t all[MATCHED] = {0};
	struct matcher *m;
	struct flow *f;

	if (geteuid()) // for CAP_NET_RAW
		refuse(EPERM);
	f = object_new(c->ctx, UVERBS_OBJECT_FLOW, sizeof *f, object_drop);
	m = attr_needed(c, &f->o, MLX5_IB_ATTR_CREATE_FLOW_MATCHER, MLX5_IB_OBJECT_FLOW_MATCHER);
	refuse_if(!value || !n || n > MASK_MOST, EINVAL);
	f->order = m->priority * 2 + 1;
	f->egress = m->egress;
	f->tag = (uint32_t)attr_number(c, MLX5_IB_ATTR_CREATE_FLOW_TAG, 0);
	f->nrules = 1;
	f->rules[0] = (struct rule){.filters[0].type = IBV_FLOW_SPEC_ETH, .n = 1};
	eth_filter(f->rules[0].filters[0].mask, m->mask);
	memcpy(all, value, MIN(n, MATCHED));
	eth_filter(f->rules[0].filters[0].value, all);
	refuse_if(f->tag >= MOST_TAG, EINVAL);
	goes(c, f);
	attr_created(c, MLX5_IB_ATTR_CREATE_FLOW_HANDLE, f->o.handle);
}

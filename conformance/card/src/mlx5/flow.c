// Flows: Linux 6.1, drivers/infiniband/hw/mlx5/fs.c and counters.c.
#include <netinet/in.h>

#include "mlx5/mlx5.h"

enum {
	LAST_PRIORITY = 15,         // MLX5_IB_FLOW_LAST_PRIO
	MULTICAST = 32, LEFTOVERS,  // orders behind those of priorities (MLX5_IB_FLOW_MCAST_PRIO, MLX5_IB_FLOW_LEFTOVERS_PRIO)
	MOST_TAG = 1 << 24,
	MOST_COUNTERS = 16,         // MAX_COUNTERS_NUM
};

// Which counter is at which index: given with the first flow, until the last ends.
struct described {
	uint32_t n, size;           // size: behind the highest index
	struct mlx5_ib_flow_counters_desc list[MOST_COUNTERS];
};

static bool any(const uint8_t *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (p[i])
			return true;
	return false;
}

// protocol asks for the protocol above IP; two specs must agree (set_proto).
static void protocol(uint8_t asked[2], uint8_t mask, uint8_t value)
{
	if (!mask)
		return;
	refuse_if(asked[0] && (asked[0] != mask || asked[1] != value), EINVAL);
	asked[0] = mask;
	asked[1] = value;
}

// filter adds a filter to a flow. Of tunnels this card knows that no frame is in one: a filter for what is in one stays as one for the
// tunnel, which asks for nothing without a mask.
static void filter(struct flow *f, const struct spec *s, uint8_t asked[2])
{
	struct rule *r = &f->rules[0];
	uint32_t type = s->type;

	switch (type & ~(uint32_t)IBV_FLOW_SPEC_INNER) {
	case IBV_FLOW_SPEC_ETH:
		break;
	case IBV_FLOW_SPEC_IPV4:
		if (any(s->mask, 10, 12)) // the time to live and the flags: LAST_IPV4_FIELD
			refuse(EOPNOTSUPP);
		protocol(asked, s->mask[8], s->value[8]);
		break;
	case IBV_FLOW_SPEC_IPV6:
		refuse_if(be32_at(s->mask + 32) >> 20 || be32_at(s->value + 32) >> 20, EINVAL);
		if (s->mask[38]) // the hop limit: LAST_IPV6_FIELD
			refuse(EOPNOTSUPP);
		protocol(asked, s->mask[36], s->value[36]);
		break;
	case IBV_FLOW_SPEC_TCP:
		protocol(asked, 0xff, IPPROTO_TCP);
		break;
	case IBV_FLOW_SPEC_UDP:
		protocol(asked, 0xff, IPPROTO_UDP);
		break;
	case IBV_FLOW_SPEC_GRE:
		refuse_if(any(s->mask, 0, 2), EOPNOTSUPP);
		protocol(asked, 0xff, IPPROTO_GRE);
		if (any(s->mask, 2, 8))
			type |= IBV_FLOW_SPEC_INNER;
		break;
	case IBV_FLOW_SPEC_MPLS: // check_mpls_supp_fields
		refuse_if(any(s->mask, 0, 4), EOPNOTSUPP);
		if (type == IBV_FLOW_SPEC_MPLS)
			return;
		break;
	case IBV_FLOW_SPEC_VXLAN_TUNNEL:
		refuse_if(be32_at(s->mask) >> 24 || be32_at(s->value) >> 24, EINVAL);
		if (!any(s->mask, 0, 4))
			return;
		break;
	case IBV_FLOW_SPEC_ESP:
		refuse(EOPNOTSUPP);
	default:
		refuse(EINVAL);
	}
	r->filters[r->n] = *s;
	r->filters[r->n++].type = type;
}

// one adds a spec to a flow (parse_flow_attr).
static void one(struct flow *f, const struct spec *s, uint8_t asked[2])
{
	switch (s->type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		f->tag = s->tag;
		refuse_if(s->tag >= MOST_TAG, EINVAL);
		return;
	case IBV_FLOW_SPEC_ACTION_DROP:
		f->drop = true;
		return;
	case IBV_FLOW_SPEC_ACTION_COUNT:
		refuse_if(f->counters, EINVAL);
		f->counters = s->counters;
		return;
	default:
		refuse_if(s->type >= IBV_FLOW_SPEC_ACTION_TAG, EINVAL);
		filter(f, s, asked);
	}
}

// A type of Ethernet and a header of IP must agree (is_valid_ethertype).
static bool types_agree(const struct spec *s, int n, uint32_t inner)
{
	uint16_t mask = 0, type = 0;
	uint32_t ip = 0;

	for (int i = 0; i < n; i++)
		if (s[i].type == (IBV_FLOW_SPEC_ETH | inner) && be16_at(s[i].mask + 12)) {
			mask = be16_at(s[i].mask + 12);
			type = be16_at(s[i].value + 12);
		} else if (s[i].type == (IBV_FLOW_SPEC_IPV4 | inner) || s[i].type == (IBV_FLOW_SPEC_IPV6 | inner)) {
			ip = s[i].type & ~inner;
		}
	if (!mask || !ip)
		return true;
	return mask == 0xffff && (type == (ip == IBV_FLOW_SPEC_IPV4 ? ETH_P_IP : ETH_P_IPV6) || type == ETH_P_MPLS_UC || type == ETH_P_MPLS_MC);
}

// A flow of nothing but groups comes behind all others (flow_is_multicast_only).
static bool only_groups(const struct spec *s, int n)
{
	if (n && s->type == IBV_FLOW_SPEC_IPV4)
		return s->value[4] >> 4 == 0xe;
	return n && s->type == IBV_FLOW_SPEC_ETH && s->mask[0] & 1 && s->value[0] & 1;
}

// describe takes the list of counters, which comes with the first flow only (mlx5_ib_flow_counters_set_data).
static void describe(const struct call *c, struct counters *k)
{
	struct {
		struct mlx5_ib_create_flow head;
		struct mlx5_ib_flow_counters_data data;
	} u;
	const struct mlx5_ib_flow_counters_desc *list;
	struct described *d = k->o.own;

	ATTR_IN(c, UVERBS_ATTR_UHW_IN, u);
	if (!u.head.ncounters_data) {
		refuse_if(!d || !d->size, EINVAL);
		return;
	}
	refuse_if(u.data.ncounters > MOST_COUNTERS || (d && d->size), EINVAL);
	if (!d)
		d = object_own(&k->o, sizeof *d);
	list = (const void *)(uintptr_t)u.data.counters_data;
	for (uint32_t i = 0; i < u.data.ncounters; i++) {
		refuse_if(list[i].description > IBV_COUNTER_BYTES, EINVAL);
		d->list[i] = list[i];
		d->size = MAX(d->size, list[i].index + 1);
	}
	d->n = u.data.ncounters;
}

// leftovers are what no other flow takes: to groups, and to one address if all is wanted (create_leftovers_rule).
static void leftovers(struct flow *f, bool all)
{
	f->order = LEFTOVERS;
	f->nrules = all ? 2 : 1;
	for (int i = 0; i < f->nrules; i++)
		f->rules[i] = (struct rule){.filters[0] = {.type = IBV_FLOW_SPEC_ETH, .mask = {1}, .value = {i == 0}}, .n = 1};
}

static void normal(const struct call *c, struct flow *f, const struct ib_uverbs_flow_attr *a, const struct spec *s, int n)
{
	uint8_t asked[2] = {0}; // of the protocol above IP: the mask and the value

	refuse_if(!types_agree(s, n, 0) || !types_agree(s, n, IBV_FLOW_SPEC_INNER), EINVAL);
	f->nrules = 1;
	f->order = only_groups(s, n) && !f->goes_on ? MULTICAST : a->priority * 2 + !f->goes_on; // ib_prio_to_core_prio
	for (int i = 0; i < n; i++)
		one(f, &s[i], asked);
	if (f->counters)
		describe(c, f->counters);
}

// mlx5_ib_create_flow. A queue pair of datagrams has no TIR that a flow could name: the card refuses what the driver finds in its place.
static void mlx5_create_flow(const struct call *c, struct flow *f, const struct ib_uverbs_flow_attr *a, const struct spec *s, int n)
{
	struct mlx5_ib_create_flow u;

	refuse_if(attr(c, UVERBS_ATTR_UHW_IN) && ATTR_IN(c, UVERBS_ATTR_UHW_IN, u) && u.ncounters_data > 1, EINVAL);
	refuse_if(a->priority > LAST_PRIORITY, ENOMEM);
	refuse_if(f->egress && (a->type == IBV_FLOW_ATTR_ALL_DEFAULT || a->type == IBV_FLOW_ATTR_MC_DEFAULT), EINVAL);
	refuse_if(a->type == IBV_FLOW_ATTR_SNIFFER, EOPNOTSUPP); // ours: this card lacks allow_sniffer_and_nic_rx_shared_tir
	refuse_if(f->qp->type != IBV_QPT_RAW_PACKET || (!f->qp->table && !f->qp->cap.max_recv_wr && !f->egress), EINVAL);
	if (a->type == IBV_FLOW_ATTR_NORMAL)
		normal(c, f, a, s, n);
	else if (a->type == IBV_FLOW_ATTR_ALL_DEFAULT || a->type == IBV_FLOW_ATTR_MC_DEFAULT)
		leftovers(f, a->type == IBV_FLOW_ATTR_ALL_DEFAULT);
	else
		refuse(EOPNOTSUPP);
}

// The list is forgotten with the last flow (mlx5_ib_counters_clear_description).
static void mlx5_destroy_flow(struct flow *f)
{
	struct described *d = f->counters ? f->counters->o.own : NULL;

	if (d && object_users(&f->counters->o) == 1)
		d->n = d->size = 0;
}

static int mlx5_read_counters(const struct counters *k, uint64_t *values, size_t n)
{
	const struct described *d = k->o.own;

	if (d && d->size > n)
		return EINVAL;
	for (uint32_t i = 0; d && i < d->n; i++)
		values[d->list[i].index] += d->list[i].description == IBV_COUNTER_BYTES ? k->bytes : k->packets;
	return 0;
}

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
static void protocol(struct rule *r, uint8_t mask, uint8_t value)
{
	if (!mask)
		return;
	if (r->mask.proto && (r->mask.proto != mask || r->value.proto != value))
		refuse(EINVAL);
	r->mask.proto = mask;
	r->value.proto = value;
}

static void ethernet(struct headers *h, const uint8_t *f, bool tagged)
{
	memcpy(h->to, f, 6);
	memcpy(h->from, f + 6, 6);
	h->type = be16_at(f + 12);
	h->vlan = be16_at(f + 14);
	h->tagged = tagged;
}

// addresses reads those of IP, of size bytes, and the type of service.
static void addresses(struct headers *h, const uint8_t *f, size_t size, size_t tos, uint8_t version)
{
	h->version = version;
	memcpy(h->src, f, size);
	memcpy(h->dst, f + size, size);
	h->tos = f[tos];
}

static void ipv4(struct rule *r, const struct spec *s)
{
	if (any(s->mask, 10, 12)) // the time to live and the flags: LAST_IPV4_FIELD
		refuse(EOPNOTSUPP);
	addresses(&r->value, s->value, 4, 9, 4);
	addresses(&r->mask, s->mask, 4, 9, 0xf);
	protocol(r, s->mask[8], s->value[8]);
}

static void ipv6(struct rule *r, const struct spec *s)
{
	if (be32_at(s->mask + 32) >> 20 || be32_at(s->value + 32) >> 20)
		refuse(EINVAL);
	if (s->mask[38]) // the hop limit: LAST_IPV6_FIELD
		refuse(EOPNOTSUPP);
	addresses(&r->value, s->value, 16, 37, 6);
	addresses(&r->mask, s->mask, 16, 37, 0xf);
	r->value.label = be32_at(s->value + 32);
	r->mask.label = be32_at(s->mask + 32);
	protocol(r, s->mask[36], s->value[36]);
}

static void ports(struct rule *r, const struct spec *s, uint8_t proto)
{
	r->value.dport = be16_at(s->value);
	r->mask.dport = be16_at(s->mask);
	r->value.sport = be16_at(s->value + 2);
	r->mask.sport = be16_at(s->mask + 2);
	protocol(r, 0xff, proto);
}

static void in_tunnel(struct rule *r)
{
	r->value.tunnel = r->mask.tunnel = 1;
}

// one adds a spec to a flow (parse_flow_attr). Of tunnels this card knows that no frame is in one.
static void one(struct flow *f, const struct spec *s)
{
	struct rule *r = &f->rules[0];

	if (s->type & IBV_FLOW_SPEC_INNER && s->type < IBV_FLOW_SPEC_ACTION_TAG)
		in_tunnel(r);
	switch (s->type < IBV_FLOW_SPEC_ACTION_TAG ? s->type & ~(uint32_t)IBV_FLOW_SPEC_INNER : s->type) {
	case IBV_FLOW_SPEC_ETH:
		ethernet(&r->value, s->value, be16_at(s->mask + 14));
		ethernet(&r->mask, s->mask, be16_at(s->mask + 14));
		return;
	case IBV_FLOW_SPEC_IPV4:
		ipv4(r, s);
		return;
	case IBV_FLOW_SPEC_IPV6:
		ipv6(r, s);
		return;
	case IBV_FLOW_SPEC_TCP:
		ports(r, s, IPPROTO_TCP);
		return;
	case IBV_FLOW_SPEC_UDP:
		ports(r, s, IPPROTO_UDP);
		return;
	case IBV_FLOW_SPEC_GRE:
		if (any(s->mask, 0, 2))
			refuse(EOPNOTSUPP);
		if (any(s->mask, 2, 8))
			in_tunnel(r);
		protocol(r, 0xff, IPPROTO_GRE);
		return;
	case IBV_FLOW_SPEC_MPLS: // check_mpls_supp_fields
		check(any(s->mask, 0, 4) ? EOPNOTSUPP : 0);
		return;
	case IBV_FLOW_SPEC_VXLAN_TUNNEL:
		if (be32_at(s->mask) >> 24 || be32_at(s->value) >> 24)
			refuse(EINVAL);
		if (any(s->mask, 0, 4))
			in_tunnel(r);
		return;
	case IBV_FLOW_SPEC_ESP:
		refuse(EOPNOTSUPP);
	case IBV_FLOW_SPEC_ACTION_TAG:
		f->tag = s->tag;
		check(s->tag >= MOST_TAG ? EINVAL : 0);
		return;
	case IBV_FLOW_SPEC_ACTION_DROP:
		f->drop = true;
		return;
	case IBV_FLOW_SPEC_ACTION_COUNT:
		if (f->counters)
			refuse(EINVAL);
		f->counters = s->counters;
		return;
	default:
		refuse(EINVAL);
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
		check(d && d->size ? 0 : EINVAL);
		return;
	}
	if (u.data.ncounters > MOST_COUNTERS || (d && d->size))
		refuse(EINVAL);
	if (!d)
		d = object_own(&k->o, sizeof *d);
	list = (const void *)(uintptr_t)u.data.counters_data;
	for (uint32_t i = 0; i < u.data.ncounters; i++) {
		if (list[i].description > IBV_COUNTER_BYTES)
			refuse(EINVAL);
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
		f->rules[i].mask.to[0] = 1;
	f->rules[0].value.to[0] = 1;
}

static void normal(const struct call *c, struct flow *f, const struct ib_uverbs_flow_attr *a, const struct spec *s, int n)
{
	if (!types_agree(s, n, 0) || !types_agree(s, n, IBV_FLOW_SPEC_INNER))
		refuse(EINVAL);
	f->nrules = 1;
	f->order = only_groups(s, n) && !f->goes_on ? MULTICAST : a->priority * 2 + !f->goes_on; // ib_prio_to_core_prio
	for (int i = 0; i < n; i++)
		one(f, &s[i]);
	if (f->counters)
		describe(c, f->counters);
}

// mlx5_ib_create_flow. A queue pair of datagrams has no TIR that a flow could name: the card refuses what the driver finds in its place.
void mlx5_create_flow(const struct call *c, struct flow *f, const struct ib_uverbs_flow_attr *a, const struct spec *s, int n)
{
	struct mlx5_ib_create_flow u;

	if (attr(c, UVERBS_ATTR_UHW_IN) && ATTR_IN(c, UVERBS_ATTR_UHW_IN, u) && u.ncounters_data > 1)
		refuse(EINVAL);
	if (a->priority > LAST_PRIORITY)
		refuse(ENOMEM);
	if (f->egress && (a->type == IBV_FLOW_ATTR_ALL_DEFAULT || a->type == IBV_FLOW_ATTR_MC_DEFAULT))
		refuse(EINVAL);
	if (a->type == IBV_FLOW_ATTR_SNIFFER)
		refuse(EOPNOTSUPP); // ours: this card lacks allow_sniffer_and_nic_rx_shared_tir
	if (f->qp->type != IBV_QPT_RAW_PACKET || (!f->qp->table && !f->qp->cap.max_recv_wr && !f->egress))
		refuse(EINVAL);
	if (a->type == IBV_FLOW_ATTR_NORMAL)
		normal(c, f, a, s, n);
	else if (a->type == IBV_FLOW_ATTR_ALL_DEFAULT || a->type == IBV_FLOW_ATTR_MC_DEFAULT)
		leftovers(f, a->type == IBV_FLOW_ATTR_ALL_DEFAULT);
	else
		refuse(EOPNOTSUPP);
}

// The list is forgotten with the last flow (mlx5_ib_counters_clear_description).
void mlx5_destroy_flow(struct flow *f)
{
	struct described *d = f->counters ? f->counters->o.own : NULL;

	if (d && object_users(&f->counters->o) == 1)
		d->n = d->size = 0;
}

int mlx5_read_counters(const struct counters *k, uint64_t *values, size_t n)
{
	const struct described *d = k->o.own;

	if (d && d->size > n)
		return EINVAL;
	for (uint32_t i = 0; d && i < d->n; i++)
		values[d->list[i].index] += d->list[i].description == IBV_COUNTER_BYTES ? k->bytes : k->packets;
	return 0;
}

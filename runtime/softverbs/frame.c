//go:build linux && cgo

// What an Ethernet frame holds, and whether a flow's specs say the same. A spec that asks for a header matches only frames that
// have it. Specs of tunnels, and of what is in them, match no frame: the headers looked at are those of Ethernet with up to
// two tags, IPv4 and IPv6 without extension headers, TCP and UDP.

#include "flow.h"

enum { ETH = 14, TAG = 4, V4 = 20, V6 = 40, PORTS = 4, TCP = 6, UDP = 17 };

static bool is_tag(const uint8_t *type)
{
	return (type[0] == 0x81 && type[1] == 0) || (type[0] == 0x88 && type[1] == 0xa8);
}

// behind_ip looks for ports; offset is where the header of IP ends.
static void behind_ip(struct svb_frame *f, uint32_t offset)
{
	if ((f->proto == TCP || f->proto == UDP) && f->length >= offset + PORTS)
		f->ports = f->at + offset;
}

static void read_v4(struct svb_frame *f, uint32_t offset)
{
	const uint8_t *h = f->at + offset;
	const uint32_t size = (h[0] & 15u) * 4;

	if (h[0] >> 4 != 4 || size < V4 || f->length < offset + size)
		return;
	f->v4 = h;
	f->proto = h[9];
	if (!((h[6] & 0x1f) | h[7])) // the first fragment
		behind_ip(f, offset + size);
}

static void read_v6(struct svb_frame *f, uint32_t offset)
{
	const uint8_t *h = f->at + offset;

	if (h[0] >> 4 != 6)
		return;
	f->v6 = h;
	f->proto = h[6];
	behind_ip(f, offset + V6);
}

void svb_frame_read(struct svb_frame *f, const uint8_t *at, uint32_t length)
{
	uint32_t offset = ETH;

	*f = (struct svb_frame){.at = at, .length = length};
	while (offset < ETH + 2 * TAG && is_tag(at + offset - 2) && length >= offset + TAG) {
		f->tagged = true;
		memcpy(f->tag, at + offset, 2);
		offset += TAG;
	}
	memcpy(f->type, at + offset - 2, 2);
	if (f->type[0] == 0x08 && f->type[1] == 0 && length >= offset + V4)
		read_v4(f, offset);
	else if (f->type[0] == 0x86 && f->type[1] == 0xdd && length >= offset + V6)
		read_v6(f, offset);
}

// same compares the bits of a mask.
static bool same(const void *is, const void *want, const void *mask, size_t n)
{
	const uint8_t *a = is, *b = want, *m = mask;

	for (; n; n--, a++, b++, m++)
		if ((*a ^ *b) & *m)
			return false;
	return true;
}

static bool eth(const struct svb_frame *f, const struct ibv_flow_spec_eth *s)
{
	struct ibv_flow_eth_filter is;

	memcpy(is.dst_mac, f->at, 6);
	memcpy(is.src_mac, f->at + 6, 6);
	memcpy(&is.ether_type, f->type, 2);
	memcpy(&is.vlan_tag, f->tag, 2);
	return (f->tagged || !s->mask.vlan_tag) && same(&is, &s->val, &s->mask, sizeof is);
}

static bool v4(const struct svb_frame *f, const struct ibv_flow_spec_ipv4 *s)
{
	return f->v4 && same(f->v4 + 12, &s->val, &s->mask, 8);
}

static bool v4_ext(const struct svb_frame *f, const struct ibv_flow_spec_ipv4_ext *s)
{
	struct ibv_flow_ipv4_ext_filter is;

	if (!f->v4)
		return false;
	memcpy(&is.src_ip, f->v4 + 12, 4);
	memcpy(&is.dst_ip, f->v4 + 16, 4);
	is.proto = f->proto;
	is.tos = f->v4[1];
	is.ttl = f->v4[8];
	is.flags = f->v4[6] >> 5;
	return same(&is, &s->val, &s->mask, sizeof is);
}

static bool v6(const struct svb_frame *f, const struct ibv_flow_spec_ipv6 *s)
{
	struct ibv_flow_ipv6_filter is = {.next_hdr = f->proto};
	const uint8_t label[4] = {0, f->v6 ? f->v6[1] & 15 : 0, f->v6 ? f->v6[2] : 0, f->v6 ? f->v6[3] : 0};

	if (!f->v6)
		return false;
	memcpy(is.src_ip, f->v6 + 8, 16);
	memcpy(is.dst_ip, f->v6 + 24, 16);
	memcpy(&is.flow_label, label, 4);
	is.traffic_class = (uint8_t)(f->v6[0] << 4 | f->v6[1] >> 4);
	is.hop_limit = f->v6[7];
	return same(&is, &s->val, &s->mask, offsetof(struct ibv_flow_ipv6_filter, hop_limit) + 1);
}

static bool ports(const struct svb_frame *f, uint8_t proto, const struct ibv_flow_spec_tcp_udp *s)
{
	struct ibv_flow_tcp_udp_filter is;

	if (!f->ports || f->proto != proto)
		return false;
	memcpy(&is.src_port, f->ports, 2);
	memcpy(&is.dst_port, f->ports + 2, 2);
	return same(&is, &s->val, &s->mask, sizeof is);
}

static bool fits(const struct svb_frame *f, const union svb_spec *s)
{
	switch ((uint32_t)s->eth.type) {
	case IBV_FLOW_SPEC_ETH: return eth(f, &s->eth);
	case IBV_FLOW_SPEC_IPV4: return v4(f, &s->v4);
	case IBV_FLOW_SPEC_IPV4_EXT: return v4_ext(f, &s->v4_ext);
	case IBV_FLOW_SPEC_IPV6: return v6(f, &s->v6);
	case IBV_FLOW_SPEC_TCP: return ports(f, TCP, &s->ports);
	case IBV_FLOW_SPEC_UDP: return ports(f, UDP, &s->ports);
	case IBV_FLOW_SPEC_ACTION_TAG:
	case IBV_FLOW_SPEC_ACTION_DROP:
	case IBV_FLOW_SPEC_ACTION_COUNT: return true;
	}
	return false;
}

bool svb_flow_takes(const struct svb_flow *f, const struct svb_frame *frame)
{
	unsigned i;

	for (i = 0; i < f->nspecs; i++)
		if (!fits(frame, &f->specs[i]))
			return false;
	return true;
}

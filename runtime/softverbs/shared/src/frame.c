// What an Ethernet frame holds, and whether the filters of a flow's specs say the same: the headers looked at are those of Ethernet with up
// to two tags, IPv4 and IPv6 without extension headers, TCP and UDP.

#include "shared.h"

enum { ETH = 14, TAG = 4, V4 = 20, V6 = 40, PORTS = 4 };

static bool is_tag(const uint8_t *type)
{
	return (type[0] == 0x81 && type[1] == 0) || (type[0] == 0x88 && type[1] == 0xa8);
}

// behind_ip looks for ports; offset is where the header of IP ends.
static void behind_ip(struct svb_frame *f, uint32_t offset)
{
	if ((f->proto == SVB_TCP || f->proto == SVB_UDP) && f->length >= offset + PORTS)
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

bool svb_frame_eth(const struct svb_frame *f, const struct ibv_flow_eth_filter *value, const struct ibv_flow_eth_filter *mask)
{
	struct ibv_flow_eth_filter is;

	memcpy(is.dst_mac, f->at, 6);
	memcpy(is.src_mac, f->at + 6, 6);
	memcpy(&is.ether_type, f->type, 2);
	memcpy(&is.vlan_tag, f->tag, 2);
	return (f->tagged || !mask->vlan_tag) && same(&is, value, mask, sizeof is);
}

bool svb_frame_v4(const struct svb_frame *f, const struct ibv_flow_ipv4_filter *value, const struct ibv_flow_ipv4_filter *mask)
{
	return f->v4 && same(f->v4 + 12, value, mask, sizeof *value);
}

bool svb_frame_v4_ext(const struct svb_frame *f, const struct ibv_flow_ipv4_ext_filter *value, const struct ibv_flow_ipv4_ext_filter *mask)
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
	return same(&is, value, mask, sizeof is);
}

bool svb_frame_v6(const struct svb_frame *f, const struct ibv_flow_ipv6_filter *value, const struct ibv_flow_ipv6_filter *mask)
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
	return same(&is, value, mask, offsetof(struct ibv_flow_ipv6_filter, hop_limit) + 1);
}

bool svb_frame_ports(const struct svb_frame *f, uint8_t proto, const struct ibv_flow_tcp_udp_filter *value,
		     const struct ibv_flow_tcp_udp_filter *mask)
{
	struct ibv_flow_tcp_udp_filter is;

	if (!f->ports || f->proto != proto)
		return false;
	memcpy(&is.src_port, f->ports, 2);
	memcpy(&is.dst_port, f->ports + 2, 2);
	return same(&is, value, mask, sizeof is);
}

// The headers of a frame, as far as flows look at them.
#include <linux/if_ether.h>
#include <netinet/in.h>

#include "wire/wire.h"

// ports reads those of TCP and UDP.
static void ports(struct headers *h, const uint8_t *p, const uint8_t *end)
{
	if ((h->proto != IPPROTO_TCP && h->proto != IPPROTO_UDP) || end - p < 4)
		return;
	h->sport = be16_at(p);
	h->dport = be16_at(p + 2);
}

static void ipv4(struct headers *h, const uint8_t *p, const uint8_t *end)
{
	const size_t length = end - p < 20 ? 0 : (p[0] & 0xfu) * 4;

	if (length < 20 || p[0] >> 4 != 4 || end - p < (ptrdiff_t)length)
		return;
	h->version = 4;
	h->tos = p[1];
	h->proto = p[9];
	memcpy(h->src, p + 12, 4);
	memcpy(h->dst, p + 16, 4);
	if (!(be16_at(p + 6) & 0x1fff)) // later fragments have no ports
		ports(h, p + length, end);
}

static void ipv6(struct headers *h, const uint8_t *p, const uint8_t *end)
{
	if (end - p < 40 || p[0] >> 4 != 6)
		return;
	h->version = 6;
	h->tos = (uint8_t)(p[0] << 4 | p[1] >> 4);
	h->label = (uint32_t)(p[1] & 0xf) << 16 | be16_at(p + 2);
	h->proto = p[6];
	memcpy(h->src, p + 8, 16);
	memcpy(h->dst, p + 24, 16);
	ports(h, p + 40, end);
}

void parse_frame(const uint8_t *p, size_t n, struct headers *h)
{
	const uint8_t *end = p + n;

	memset(h, 0, sizeof *h);
	memcpy(h->to, p, 6);
	memcpy(h->from, p + 6, 6);
	h->type = be16_at(p + 12);
	p += 14;
	if (h->type == ETH_P_8021Q && end - p >= 4) {
		h->tagged = 1;
		h->vlan = be16_at(p);
		h->type = be16_at(p + 2);
		p += 4;
	}
	if (h->type == ETH_P_IP)
		ipv4(h, p, end);
	else if (h->type == ETH_P_IPV6)
		ipv6(h, p, end);
}

// The choice of a table's entry: Toeplitz's function over fields of the headers.
#include <netinet/in.h>

#include "uverbs/verbs.h"

struct input {
	uint8_t bytes[40];
	size_t n;
};

static void add(struct input *in, const void *from, size_t n)
{
	memcpy(in->bytes + in->n, from, n);
	in->n += n;
}

static void add_port(struct input *in, uint16_t port)
{
	const uint8_t b[2] = {(uint8_t)(port >> 8), (uint8_t)port};

	add(in, b, sizeof b);
}

static uint32_t toeplitz(const uint8_t key[40], const struct input *in)
{
	uint32_t window = (uint32_t)key[0] << 24 | (uint32_t)key[1] << 16 | (uint32_t)key[2] << 8 | key[3], sum = 0;

	for (size_t i = 0; i < in->n; i++)
		for (int bit = 7; bit >= 0; bit--) {
			const uint8_t next = i + 4 < 40 ? key[i + 4] : 0;

			if (in->bytes[i] >> bit & 1)
				sum ^= window;
			window = window << 1 | (next >> bit & 1);
		}
	return sum;
}

uint32_t frame_hash(const struct qp *q, const struct headers *h)
{
	const uint64_t f = q->hash.fields;
	const bool v4 = h->version == 4, v6 = h->version == 6, tcp = h->proto == IPPROTO_TCP, udp = h->proto == IPPROTO_UDP;
	struct input in = {.n = 0};

	if ((v4 && f & IBV_RX_HASH_SRC_IPV4) || (v6 && f & IBV_RX_HASH_SRC_IPV6))
		add(&in, h->src, v4 ? 4 : 16);
	if ((v4 && f & IBV_RX_HASH_DST_IPV4) || (v6 && f & IBV_RX_HASH_DST_IPV6))
		add(&in, h->dst, v4 ? 4 : 16);
	if ((tcp && f & IBV_RX_HASH_SRC_PORT_TCP) || (udp && f & IBV_RX_HASH_SRC_PORT_UDP))
		add_port(&in, h->sport);
	if ((tcp && f & IBV_RX_HASH_DST_PORT_TCP) || (udp && f & IBV_RX_HASH_DST_PORT_UDP))
		add_port(&in, h->dport);
	return toeplitz(q->hash.key, &in);
}

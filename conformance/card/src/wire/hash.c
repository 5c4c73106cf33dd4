// The choice of a table's entry: Toeplitz's function over fields of the headers.
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

uint32_t frame_hash(const struct qp *q, const struct svb_frame *h)
{
	const uint64_t f = q->hash.fields;
	const bool tcp = h->ports && h->proto == SVB_TCP, udp = h->ports && h->proto == SVB_UDP;
	struct input in = {.n = 0};

	if (h->v4 && f & IBV_RX_HASH_SRC_IPV4)
		add(&in, h->v4 + 12, 4);
	if (h->v6 && f & IBV_RX_HASH_SRC_IPV6)
		add(&in, h->v6 + 8, 16);
	if (h->v4 && f & IBV_RX_HASH_DST_IPV4)
		add(&in, h->v4 + 16, 4);
	if (h->v6 && f & IBV_RX_HASH_DST_IPV6)
		add(&in, h->v6 + 24, 16);
	if ((tcp && f & IBV_RX_HASH_SRC_PORT_TCP) || (udp && f & IBV_RX_HASH_SRC_PORT_UDP))
		add(&in, h->ports, 2);
	if ((tcp && f & IBV_RX_HASH_DST_PORT_TCP) || (udp && f & IBV_RX_HASH_DST_PORT_UDP))
		add(&in, h->ports + 2, 2);
	return toeplitz(q->hash.key, &in);
}

// What a queue pair may do, and what a frame holds. Whoever compiles these files has included declarations of libibverbs before.
#ifndef SVB_SHARED_H
#define SVB_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SVB_HIDDEN __attribute__((visibility("hidden")))

// svb_transition reports whether a change of state may come with these attributes.
SVB_HIDDEN bool svb_transition(enum ibv_qp_type t, enum ibv_qp_state from, enum ibv_qp_state to, int mask);

enum { SVB_TCP = 6, SVB_UDP = 17 };

struct svb_frame { // of Ethernet
	const uint8_t *at;
	uint32_t length;
	uint8_t tag[2], type[2]; // of a VLAN, as it is in the frame; of what follows the last tag
	bool tagged;
	const uint8_t *v4, *v6, *ports; // headers; NULL: it has none
	uint8_t proto;                  // of what is behind the header of IP
};

SVB_HIDDEN void svb_frame_read(struct svb_frame *f, const uint8_t *at, uint32_t length); // length: 14 or more

// Whether a frame has a header that a filter is for, and in it the bits of the value that the mask has.
SVB_HIDDEN bool svb_frame_eth(const struct svb_frame *f, const struct ibv_flow_eth_filter *value, const struct ibv_flow_eth_filter *mask);
SVB_HIDDEN bool svb_frame_v4(const struct svb_frame *f, const struct ibv_flow_ipv4_filter *value, const struct ibv_flow_ipv4_filter *mask);
SVB_HIDDEN bool svb_frame_v4_ext(const struct svb_frame *f, const struct ibv_flow_ipv4_ext_filter *value,
				 const struct ibv_flow_ipv4_ext_filter *mask);
SVB_HIDDEN bool svb_frame_v6(const struct svb_frame *f, const struct ibv_flow_ipv6_filter *value, const struct ibv_flow_ipv6_filter *mask);
SVB_HIDDEN bool svb_frame_ports(const struct svb_frame *f, uint8_t proto, const struct ibv_flow_tcp_udp_filter *value,
		     const struct ibv_flow_tcp_udp_filter *mask);

#endif

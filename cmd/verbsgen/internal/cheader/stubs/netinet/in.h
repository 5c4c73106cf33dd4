// Addresses of the internet protocols.
#ifndef VG_NETINET_IN_H
#define VG_NETINET_IN_H

#include <stdint.h>
#include <sys/socket.h>

struct in_addr {
	uint32_t s_addr;
};

// It is aligned as a union with words of 4 bytes is.
struct in6_addr {
	uint32_t s6_addr32[4];
};

struct sockaddr_in {
	unsigned short sin_family;
	uint16_t sin_port;
	struct in_addr sin_addr;
	unsigned char sin_zero[8];
};

struct sockaddr_in6 {
	unsigned short sin6_family;
	uint16_t sin6_port;
	uint32_t sin6_flowinfo;
	struct in6_addr sin6_addr;
	uint32_t sin6_scope_id;
};

#endif

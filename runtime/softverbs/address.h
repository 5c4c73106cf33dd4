// The GIDs of ports, and whose they are.
#ifndef SVB_ADDRESS_H
#define SVB_ADDRESS_H

#include "instance.h"

#define SVB_GIDS 2         // filled entries of a port's table
#define SVB_GID_TABLE 1024 // entries

// address.c
SVB_HIDDEN bool svb_gid(const struct svb_dev *d, unsigned port, unsigned index, union ibv_gid *g);
SVB_HIDDEN struct svb_dev *svb_dev_of_gid(struct svb_inst *in, const union ibv_gid *g, unsigned *port); // NULL: nobody
SVB_HIDDEN int svb_check_av(struct svb_dev *d, const struct ibv_ah_attr *a);

// svb_ipv4 tells whether a GID is an address of IPv4, as Linux reads it (rdma_gid2ip).
static inline bool svb_ipv4(const union ibv_gid *g)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(g->raw, mapped, sizeof mapped);
}

// svb_multicast tells whether a GID is that of a group: an address of IPv6, or of IPv4, for multicast.
static inline bool svb_multicast(const union ibv_gid *g)
{
	return g->raw[0] == 0xff || (svb_ipv4(g) && g->raw[12] >> 4 == 14);
}

#endif

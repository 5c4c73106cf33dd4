//go:build linux && cgo

// The GIDs of a port, and whose GID it is. Entry 0 is link-local and made of the GUID, entry 1 the IPv4 address
// 10.0.PORT-1.DEVICE+1; both are unique within one softverbs.Device.
#include <endian.h>

#include "address.h"

bool svb_gid(const struct svb_dev *d, unsigned port, unsigned index, union ibv_gid *g)
{
	memset(g, 0, sizeof *g);
	if (port == 0 || port > d->cfg.ports || index >= SVB_GIDS)
		return false;
	if (index == 0) {
		g->global.subnet_prefix = htobe64(0xfe80000000000000u);
		g->global.interface_id = htobe64(d->cfg.guid + ((uint64_t)(port - 1) << 16));
		return true;
	}
	g->raw[10] = g->raw[11] = 0xff;
	g->raw[12] = 10;
	g->raw[14] = (uint8_t)(port - 1);
	g->raw[15] = (uint8_t)(d->cfg.index + 1);
	return true;
}

struct svb_dev *svb_dev_of_gid(struct svb_inst *in, const union ibv_gid *want, unsigned *port)
{
	union ibv_gid g;
	unsigned p, x;
	int i;

	for (i = 0; i < in->ndevs; i++)
		for (p = 1; p <= in->devs[i].cfg.ports; p++)
			for (x = 0; svb_gid(&in->devs[i], p, x, &g); x++)
				if (!memcmp(&g, want, sizeof g)) {
					*port = p;
					return &in->devs[i];
				}
	return NULL;
}

// A neighbour is asked for on the network, an address beyond needs a route, and many are reached without either. Between two families there
// is no way (drivers/infiniband/core/addr.c, rdma_resolve_ip).
int svb_check_av(struct svb_dev *d, const struct ibv_ah_attr *a)
{
	const uint8_t *to = a->grh.dgid.raw;
	union ibv_gid g;
	unsigned port;

	if (a->port_num == 0 || a->port_num > d->cfg.ports || !a->is_global)
		return EINVAL;
	if (!svb_gid(d, a->port_num, a->grh.sgid_index, &g))
		return ENODATA;
	if (svb_multicast(&a->grh.dgid))
		return 0;
	if (svb_ipv4(&g) != svb_ipv4(&a->grh.dgid))
		return EINVAL;
	if (svb_dev_of_gid(d->inst, &a->grh.dgid, &port))
		return 0;
	return (to[0] == 0xfe && (to[1] & 0xc0) == 0x80) || svb_ipv4(&a->grh.dgid) ? ETIMEDOUT : ENETUNREACH;
}

//go:build linux && cgo

// The path back to the sender of a datagram, out of the header in front of it.
#include <endian.h>

#include "entry.h"
#include "address.h"

#define GRH 1 // IBV_WC_GRH
#define UDP 17

// mapped writes an address of IPv4 as a GID.
static void mapped(const uint8_t *v4, union ibv_gid *g)
{
	memset(g, 0, sizeof *g);
	g->raw[10] = g->raw[11] = 0xff;
	memcpy(g->raw + 12, v4, 4);
}

// local finds the index of a GID of a port.
static int local(const struct svb_dev *d, uint8_t port, const union ibv_gid *want, struct ibv_ah_attr *a)
{
	union ibv_gid g;
	unsigned i;

	if (port == 0 || port > d->cfg.ports)
		return EINVAL;
	for (i = 0; i < SVB_GID_TABLE; i++)
		if (svb_gid(d, port, i, &g) && !memcmp(&g, want, sizeof g)) {
			a->grh.sgid_index = (uint8_t)i;
			return 0;
		}
	return EINVAL;
}

static int by_v4(const struct svb_dev *d, uint8_t port, const uint8_t *h, struct ibv_ah_attr *a)
{
	union ibv_gid mine;

	if (h[16] >> 4 == 14) // a group
		return EINVAL;
	mapped(h + 16, &mine);
	mapped(h + 12, &a->grh.dgid);
	a->grh.hop_limit = h[8];
	a->grh.traffic_class = h[1];
	return local(d, port, &mine, a);
}

static int by_v6(const struct svb_dev *d, uint8_t port, const struct ibv_grh *g, struct ibv_ah_attr *a)
{
	if (g->dgid.raw[0] == 0xff)
		return EINVAL;
	if (g->next_hdr != UDP)
		return EPROTONOSUPPORT;
	a->grh.dgid = g->sgid;
	a->grh.hop_limit = g->hop_limit;
	a->grh.traffic_class = (uint8_t)(be32toh(g->version_tclass_flow) >> 20);
	return local(d, port, &g->dgid, a);
}

static int init(struct ibv_context *pub, enum svb_verb v, uint8_t port, const struct ibv_wc *wc, const struct ibv_grh *g,
		struct ibv_ah_attr *a)
{
	const uint8_t *v4 = (const uint8_t *)g + 20;
	struct svb_ctx *c;
	int err;

	memset(a, 0, sizeof *a);
	a->grh.flow_label = be32toh(g->version_tclass_flow) & 0xfffff;
	a->dlid = wc->slid;
	a->sl = wc->sl;
	a->src_path_bits = wc->dlid_path_bits;
	a->port_num = port;
	a->is_global = wc->wc_flags & GRH;
	c = svb_begin(pub, SVB_T_CTX, v, &err);
	if (!err && a->is_global) {
		if (be32toh(g->version_tclass_flow) >> 28 == 6)
			err = by_v6(c->dev, port, g, a);
		else if (v4[0] >> 4 == 4)
			err = by_v4(c->dev, port, v4, a);
		else
			err = EPROTONOSUPPORT;
	}
	svb_unlock_all();
	return err;
}

int svb_init_ah_from_wc(struct ibv_context *pub, uint8_t port, struct ibv_wc *wc, struct ibv_grh *g, struct ibv_ah_attr *a)
{
	return svb_minus(init(pub, SVB_INIT_AH_FROM_WC, port, wc, g, a));
}

struct ibv_ah *svb_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *g, uint8_t port)
{
	struct ibv_ah_attr a;
	const int err = init(pd->context, SVB_CREATE_AH_FROM_WC, port, wc, g, &a);

	if (!err)
		return svb_create_ah(pd, &a);
	return svb_null(err);
}

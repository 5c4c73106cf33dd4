//go:build linux && cgo

// Addresses: the GID and P_Key tables of a port, and whose GID it is. Entry 0 is link-local and made of the
// GUID, entry 1 the IPv4 address 10.0.PORT-1.DEVICE+1; both are unique within one softverbs.Device.
#include <endian.h>
#include <string.h>

#include "svb.h"
#include "queue.h"

#define PKEY 0xffff
#define ROCE_V2 2

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
			for (x = 0; x < SVB_GIDS; x++)
				if (svb_gid(&in->devs[i], p, x, &g) && !memcmp(&g, want, sizeof g)) {
					*port = p;
					return &in->devs[i];
				}
	return NULL;
}

// A neighbour is asked for on the network, an address beyond needs a route, and many are reached without either.
int svb_check_av(struct svb_dev *d, const struct ibv_ah_attr *a)
{
	const uint8_t *to = a->grh.dgid.raw;
	union ibv_gid g;
	unsigned port;

	if (a->port_num == 0 || a->port_num > d->cfg.ports || !a->is_global)
		return EINVAL;
	if (!svb_gid(d, a->port_num, a->grh.sgid_index, &g))
		return ENODATA;
	if (to[0] == 0xff || svb_dev_of_gid(d->inst, &a->grh.dgid, &port))
		return 0;
	return (to[0] == 0xfe && (to[1] & 0xc0) == 0x80) || (to[10] == 0xff && to[11] == 0xff) ? ETIMEDOUT : ENETUNREACH;
}

// entry answers ENODATA for an entry that is empty.
static int entry(struct ibv_context *pub, uint32_t port, uint32_t index, struct ibv_gid_entry *e)
{
	struct svb_ctx *c;
	int err;

	memset(e, 0, sizeof *e);
	pthread_mutex_lock(&svb_lock);
	c = svb_find_ctx(pub);
	err = c ? svb_fails_locked(c->obj.inst, SVB_QUERY_GID) : EINVAL;
	if (!err && (port == 0 || port > c->dev->cfg.ports || index >= SVB_GID_TABLE))
		err = EINVAL;
	if (!err && !svb_gid(c->dev, port, index, &e->gid))
		err = ENODATA;
	pthread_mutex_unlock(&svb_lock);
	if (err)
		return err;
	e->gid_index = index;
	e->port_num = port;
	e->gid_type = ROCE_V2;
	return 0;
}

// An empty entry is no error, but all zeroes.
int svb_query_gid(struct ibv_context *c, uint8_t port, int index, union ibv_gid *g)
{
	struct ibv_gid_entry e;
	int err = entry(c, port, (uint32_t)index, &e);

	if (err && err != ENODATA) {
		errno = err;
		return -1;
	}
	*g = e.gid;
	return 0;
}

int svb_query_gid_ex(struct ibv_context *c, uint32_t port, uint32_t index, struct ibv_gid_entry *out, uint32_t flags, size_t size)
{
	struct ibv_gid_entry e;
	int err = flags || size < sizeof e ? EINVAL : entry(c, port, index, &e);

	if (err)
		return err;
	memset(out, 0, size);
	memcpy(out, &e, sizeof e);
	return 0;
}

ssize_t svb_query_gid_table(struct ibv_context *c, struct ibv_gid_entry *out, size_t max, uint32_t flags, size_t size)
{
	struct ibv_gid_entry e;
	uint32_t port, x;
	size_t n = 0;
	int err;

	if (flags || size < sizeof e)
		return -EINVAL;
	for (port = 1, err = 0; err != EINVAL && port < 256; port++)
		for (x = 0; x < SVB_GIDS && !(err = entry(c, port, x, &e)); x++, n++) {
			if (n == max)
				return -EINVAL;
			memset((char *)out + n * size, 0, size);
			memcpy((char *)out + n * size, &e, sizeof e);
		}
	return (ssize_t)n;
}

int svb_query_pkey(struct ibv_context *pub, uint8_t port, int index, __be16 *pkey)
{
	struct svb_ctx *c;
	int err;

	pthread_mutex_lock(&svb_lock);
	c = svb_find_ctx(pub);
	err = c ? svb_fails_locked(c->obj.inst, SVB_QUERY_PKEY) : EINVAL;
	if (!err && (port == 0 || port > c->dev->cfg.ports || index != 0))
		err = ENOENT; // libibverbs reads a file that is not there
	pthread_mutex_unlock(&svb_lock);
	if (err) {
		errno = err;
		return -1;
	}
	*pkey = htobe16(PKEY);
	return 0;
}

int svb_get_pkey_index(struct ibv_context *c, uint8_t port, __be16 pkey)
{
	__be16 have;

	if (svb_query_pkey(c, port, 0, &have))
		return -1;
	if (have == pkey)
		return 0;
	errno = ENOENT;
	return -1;
}

//go:build linux && cgo

// What the device says about itself.
#include <endian.h>
#include <stdio.h>

#include "entry.h"
#include "address.h"
#include "qp.h"

#define PKEY 0xffff
#define ROCE_V2 2

// Limits of things that this device does not make yet are 0.
static void fill_attr(const struct svb_dev *d, struct ibv_device_attr *a)
{
	memset(a, 0, sizeof *a);
	snprintf(a->fw_ver, sizeof a->fw_ver, "softverbs");
	a->node_guid = htobe64(d->cfg.guid);
	a->sys_image_guid = a->node_guid;
	a->max_mr_size = d->cfg.max_mr_size;
	a->page_size_cap = 0xfffff000;
	a->vendor_id = 0xffffff;
	a->device_cap_flags = (unsigned)d->cfg.cap_flags;
	a->max_mr = 0x7ffff;
	a->max_pd = 1 << 20;
	a->max_qp = 0xffff0;
	a->max_qp_wr = SVB_MAX_WR;
	a->max_sge = SVB_MAX_SGE;
	a->max_sge_rd = SVB_MAX_SGE;
	a->max_cq = 1 << 20;
	a->max_cqe = SVB_MAX_CQE;
	a->max_qp_rd_atom = SVB_MAX_RD_ATOM;
	a->max_res_rd_atom = 0x3f000;
	a->max_qp_init_rd_atom = SVB_MAX_RD_ATOM;
	if (d->cfg.mlx5) {
		a->max_qp_wr = SVB_MLX5_BLOCKS;
		a->max_qp_rd_atom = a->max_qp_init_rd_atom = SVB_MLX5_RD_ATOM;
	}
	a->max_ah = 0x7fff;
	a->max_mw = 0x7ffff;
	a->max_mcast_grp = 8192;
	a->max_mcast_qp_attach = SVB_MAX_MEMBERS;
	a->max_total_mcast_qp_attach = 8192 * SVB_MAX_MEMBERS;
	a->max_srq = 0xdffff;
	a->max_srq_wr = SVB_MAX_WR;
	a->max_srq_sge = SVB_MAX_SRQ_SGE;
	a->local_ca_ack_delay = 15;
	a->max_pkeys = 64;
	a->atomic_cap = (enum ibv_atomic_cap)d->cfg.atomic_cap;
	a->phys_port_cnt = (uint8_t)(d->cfg.ports > 255 ? 255 : d->cfg.ports);
}

int svb_query_device(struct ibv_context *c, struct ibv_device_attr *a)
{
	int err;
	struct svb_ctx *ctx = svb_begin(c, SVB_T_CTX, SVB_QUERY_DEVICE, &err);

	if (!err)
		fill_attr(ctx->dev, a);
	return svb_end(err);
}

int svb_query_device_ex(struct ibv_context *c, const struct ibv_query_device_ex_input *in,
			struct ibv_device_attr_ex *a, size_t size)
{
	int err;
	struct svb_ctx *ctx = svb_enter(c, SVB_T_CTX, SVB_QUERY_DEVICE_EX, &err);
	struct ibv_device_attr_ex all;

	if (!err && ((in && in->comp_mask) || size < sizeof all.orig_attr))
		err = EINVAL;
	if (err)
		return errno = err;
	memset(&all, 0, sizeof all);
	fill_attr(ctx->dev, &all.orig_attr);
	all.odp_caps.general_caps = ctx->dev->cfg.odp_general;
	all.odp_caps.per_transport_caps.rc_odp_caps = ctx->dev->cfg.odp_rc;
	all.odp_caps.per_transport_caps.uc_odp_caps = ctx->dev->cfg.odp_uc;
	all.odp_caps.per_transport_caps.ud_odp_caps = ctx->dev->cfg.odp_ud;
	all.device_cap_flags_ex = ctx->dev->cfg.cap_flags;
	all.max_dm_size = ctx->dev->cfg.max_dm_size;
	all.phys_port_cnt_ex = ctx->dev->cfg.ports;
	if (!ctx->dev->cfg.plain_cq_ex) {
		all.hca_core_clock = 250000; // kHz, as read_ts has it
		all.completion_timestamp_mask = UINT64_MAX;
	}
	memset(a, 0, size);
	memcpy(a, &all, size < sizeof all ? size : sizeof all);
	return 0;
}

// query_port gives of the struct of the newest release as many bytes as there are in that of the imitated one, and as are asked for.
static int query_port(struct ibv_context *c, uint8_t port, void *to, size_t size)
{
	int err;
	struct svb_ctx *ctx = svb_begin(c, SVB_T_CTX, SVB_QUERY_PORT, &err);
	struct ibv_port_attr a = {
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_4096,
		.gid_tbl_len = SVB_GID_TABLE,
		.pkey_tbl_len = 1,
		.max_vl_num = 1,
		.active_width = 1, // 1x
		.active_speed = 8, // FDR10
		.active_speed_ex = 8,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.port_cap_flags = 1 << 16, // connection management
		.flags = IBV_QPF_GRH_REQUIRED,
	};

	if (!err && (port == 0 || port > ctx->dev->cfg.ports))
		err = EINVAL;
	if (!err) {
		a.max_msg_sz = ctx->dev->cfg.max_msg_sz;
		a.state = ctx->dev->port_down[port - 1] ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
		a.phys_state = a.state == IBV_PORT_ACTIVE ? 5 : 3; // link up, disabled
		memset(to, 0, size);
		memcpy(to, &a, size < ctx->obj.inst->cfg.port_attr_size ? size : ctx->obj.inst->cfg.port_attr_size);
	}
	return svb_end(err);
}

// The speed is that of FDR10 and one lane.
int svb_query_port_speed(struct ibv_context *c, uint32_t port, uint64_t *speed)
{
	int err;
	struct svb_ctx *ctx = svb_begin(c, SVB_T_CTX, SVB_QUERY_PORT_SPEED, &err);

	if (!err && (port == 0 || port > ctx->dev->cfg.ports))
		err = EINVAL;
	if (!err)
		*speed = 100;
	return svb_end(err);
}

// The clock is the one of timestamps, 250 MHz. Only what is asked for is given.
int svb_query_rt_values(struct ibv_context *c, struct ibv_values_ex *v)
{
	struct timespec now;
	int err;

	svb_begin(c, SVB_T_CTX, SVB_QUERY_RT_VALUES, &err);
	if (!err && (v->comp_mask & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK))
		err = EINVAL;
	if (!err && v->comp_mask) {
		clock_gettime(CLOCK_REALTIME, &now);
		v->raw_clock = (struct timespec){.tv_nsec = (now.tv_sec * 1000000000 + now.tv_nsec) / 4};
	}
	return svb_end(err);
}

int svb_query_port_op(struct ibv_context *c, uint8_t port, struct ibv_port_attr *a, size_t size)
{
	return query_port(c, port, a, size);
}

// The exported symbol serves programs of before the struct grew: it writes nothing behind flags and leaves
// the rest as the caller had it.
int svb_query_port(struct ibv_context *c, uint8_t port, struct _compat_ibv_port_attr *a)
{
	return query_port(c, port, a, offsetof(struct ibv_port_attr, port_cap_flags2));
}

// gid_entry answers ENODATA for an entry that is empty.
static int gid_entry(struct ibv_context *pub, uint32_t port, uint32_t index, struct ibv_gid_entry *e)
{
	struct svb_ctx *c;
	int err;

	memset(e, 0, sizeof *e);
	c = svb_begin(pub, SVB_T_CTX, SVB_QUERY_GID, &err);
	if (!err && (port == 0 || port > c->dev->cfg.ports || index >= SVB_GID_TABLE))
		err = EINVAL;
	if (!err && !svb_gid(c->dev, port, index, &e->gid))
		err = ENODATA;
	svb_unlock_all();
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
	int err = gid_entry(c, port, (uint32_t)index, &e);

	if (err && err != ENODATA)
		return svb_minus(err);
	*g = e.gid;
	return 0;
}

// The Ethernet address of a port is made of its GUID, as that of a network card is found in one. As libibverbs does, it answers an errno
// with a minus.
int svb_resolve_eth_l2(struct ibv_context *pub, struct ibv_ah_attr *a, uint8_t *mac, uint16_t *vid)
{
	union ibv_gid own, g;
	const struct svb_dev *d;
	unsigned port;
	int err;
	const struct svb_ctx *c = svb_enter(pub, SVB_T_CTX, SVB_RESOLVE_ETH_L2, &err);

	if (err)
		return -err;
	if (svb_query_gid(pub, a->port_num, a->grh.sgid_index, &own))
		return -1;
	svb_lock_all();
	d = svb_dev_of_gid(c->dev->inst, &a->grh.dgid, &port);
	svb_unlock_all();
	if (!d)
		return -EHOSTUNREACH;
	svb_gid(d, port, 0, &g);
	mac[0] = g.raw[8] ^ 2;
	memcpy(mac + 1, g.raw + 9, 2);
	memcpy(mac + 3, g.raw + 13, 3);
	if (vid)
		*vid = 0xffff;
	return 0;
}

int svb_query_gid_ex(struct ibv_context *c, uint32_t port, uint32_t index, struct ibv_gid_entry *out, uint32_t flags, size_t size)
{
	struct ibv_gid_entry e;
	int err;

	svb_enter(c, SVB_T_CTX, SVB_QUERY_GID_EX, &err);
	if (!err)
		err = flags || size < sizeof e ? EINVAL : gid_entry(c, port, index, &e);
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

	svb_enter(c, SVB_T_CTX, SVB_QUERY_GID_TABLE, &err);
	if (err)
		return -err;
	if (flags || size < sizeof e || max == 0)
		return -EINVAL;
	for (port = 1, err = 0; err != EINVAL && port < 256; port++)
		for (x = 0; x < SVB_GIDS && !(err = gid_entry(c, port, x, &e)); x++, n++) {
			if (n == max)
				return -EINVAL;
			memset((char *)out + n * size, 0, size);
			memcpy((char *)out + n * size, &e, sizeof e);
		}
	return (ssize_t)n;
}

int svb_query_pkey(struct ibv_context *pub, uint8_t port, int index, __be16 *pkey)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_QUERY_PKEY, &err);

	if (!err && (port == 0 || port > c->dev->cfg.ports || index != 0))
		err = ENOENT; // libibverbs reads a file that is not there
	svb_unlock_all();
	if (err)
		return svb_minus(err);
	*pkey = htobe16(PKEY);
	return 0;
}

int svb_get_pkey_index(struct ibv_context *c, uint8_t port, __be16 pkey)
{
	__be16 have;
	int err;

	svb_enter(c, SVB_T_CTX, SVB_GET_PKEY_INDEX, &err);
	if (err)
		return svb_minus(err);
	if (svb_query_pkey(c, port, 0, &have))
		return -1;
	return svb_minus(have == pkey ? 0 : ENOENT);
}

//go:build linux && cgo

// What the device says about itself.
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "svb.h"
#include "queue.h"

static struct svb_ctx *ctx_locked(const struct ibv_context *c)
{
	struct svb_ctx *ctx;

	pthread_mutex_lock(&svb_lock);
	ctx = svb_find_ctx(c);
	pthread_mutex_unlock(&svb_lock);
	return ctx;
}

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
	a->max_ah = 0x7fff;
	a->local_ca_ack_delay = 15;
	a->max_pkeys = 64;
	a->atomic_cap = (enum ibv_atomic_cap)d->cfg.atomic_cap;
	a->phys_port_cnt = (uint8_t)(d->cfg.ports > 255 ? 255 : d->cfg.ports);
}

int svb_query_device(struct ibv_context *c, struct ibv_device_attr *a)
{
	struct svb_ctx *ctx = ctx_locked(c);
	int err = ctx ? svb_fails(ctx->obj.inst, SVB_QUERY_DEVICE) : EINVAL;

	if (err)
		return errno = err;
	fill_attr(ctx->dev, a);
	return 0;
}

int svb_query_device_ex(struct ibv_context *c, const struct ibv_query_device_ex_input *in,
			struct ibv_device_attr_ex *a, size_t size)
{
	struct svb_ctx *ctx = ctx_locked(c);
	struct ibv_device_attr_ex all;
	int err = ctx ? svb_fails(ctx->obj.inst, SVB_QUERY_DEVICE_EX) : EINVAL;

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
	memset(a, 0, size);
	memcpy(a, &all, size < sizeof all ? size : sizeof all);
	return 0;
}

// fill_port writes the struct of the newest release; the caller copies what the imitated one has.
static int fill_port(const struct svb_dev *d, uint8_t port, struct ibv_port_attr *a)
{
	if (port == 0 || port > d->cfg.ports)
		return EINVAL;
	memset(a, 0, sizeof *a);
	a->state = d->port_down[port - 1] ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
	a->max_mtu = IBV_MTU_4096;
	a->active_mtu = IBV_MTU_4096;
	a->gid_tbl_len = SVB_GID_TABLE;
	a->max_msg_sz = d->cfg.max_msg_sz;
	a->pkey_tbl_len = 1;
	a->max_vl_num = 1;
	a->active_width = 1; // 1x
	a->active_speed = 8; // FDR10
	a->phys_state = a->state == IBV_PORT_ACTIVE ? 5 : 3; // link up, disabled
	a->link_layer = IBV_LINK_LAYER_ETHERNET;
	a->port_cap_flags = 1 << 16; // connection management
	a->flags = IBV_QPF_GRH_REQUIRED;
	a->active_speed_ex = a->active_speed;
	return 0;
}

int svb_query_port_op(struct ibv_context *c, uint8_t port, struct ibv_port_attr *a, size_t size)
{
	struct svb_ctx *ctx = ctx_locked(c);
	struct ibv_port_attr all;
	size_t have;
	int err = ctx ? svb_fails(ctx->obj.inst, SVB_QUERY_PORT) : EINVAL;

	if (!err)
		err = fill_port(ctx->dev, port, &all);
	if (err)
		return errno = err;
	have = ctx->obj.inst->cfg.port_attr_size;
	memset(a, 0, size);
	memcpy(a, &all, size < have ? size : have);
	return 0;
}

// The exported symbol serves programs of before the struct grew: it writes nothing behind flags and leaves
// the rest as the caller had it.
int svb_query_port(struct ibv_context *c, uint8_t port, struct _compat_ibv_port_attr *a)
{
	struct svb_ctx *ctx = ctx_locked(c);
	struct ibv_port_attr all;
	int err = ctx ? svb_fails(ctx->obj.inst, SVB_QUERY_PORT) : EINVAL;

	if (!err)
		err = fill_port(ctx->dev, port, &all);
	if (err)
		return errno = err;
	memcpy(a, &all, offsetof(struct ibv_port_attr, flags) + sizeof all.flags);
	return 0;
}

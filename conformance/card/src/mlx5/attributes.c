// What the card is: a ConnectX of this project's own making.
//
// Linux 6.1, drivers/infiniband/hw/mlx5/main.c: mlx5_ib_query_device, mlx5_query_hca_port, set_ucontext_resp.
#include <time.h>

#include "mlx5/mlx5.h"
#include "uverbs/gid.h"

// odp.c, internal_fill_odp_caps.
enum {
	ON_DEMAND = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC |
		IBV_ODP_SUPPORT_SRQ_RECV,
};

static uint64_t guid(int last)
{
	return htobe64(0x98039b0300010000ull + (uint64_t)last);
}

static void mlx5_device_attr(const struct device *dev, struct ib_uverbs_ex_query_device_resp *r)
{
	*r = (struct ib_uverbs_ex_query_device_resp){
		.base = {
			.fw_ver = (uint64_t)dev->fw[0] << 32 | dev->fw[1] << 16 | dev->fw[2], .node_guid = guid(dev->index), .sys_image_guid = guid(0),
			.max_mr_size = ~0ull, .page_size_cap = ~(uint64_t)(PAGE - 1), .vendor_id = 0x2c9, .vendor_part_id = dev->part,
			.max_qp = 1 << 18, .max_qp_wr = QUEUE_MOST, .max_sge = 30, .max_sge_rd = 30, .max_cq = 1 << 24, .max_cqe = CQ_MOST - 1,
			.max_mr = 1 << 24, .max_pd = 1 << 23, .max_qp_rd_atom = RD_ATOMIC, .max_res_rd_atom = RD_ATOMIC << 18,
			.max_qp_init_rd_atom = RD_ATOMIC, .atomic_cap = IBV_ATOMIC_HCA, .max_mw = 1 << 24, .max_mcast_grp = 1 << 21,
			.max_mcast_qp_attach = 240, .max_total_mcast_qp_attach = 240 << 21, .max_ah = 0x7fffffff, .max_srq = 1 << 23,
			.max_srq_wr = SRQ_MOST - 1, .max_srq_sge = RECEIVE_BYTES / 16 - 1, .max_pkeys = 0x80, .local_ca_ack_delay = 16,
			.phys_port_cnt = 1,
			.device_cap_flags = IBV_DEVICE_BAD_PKEY_CNTR | IBV_DEVICE_BAD_QKEY_CNTR | IBV_DEVICE_CHANGE_PHY_PORT |
				IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_XRC |
				IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B | IBV_DEVICE_MEM_MGT_EXTENSIONS |
				IBV_DEVICE_MANAGED_FLOW_STEERING,
		},
		.odp_caps = {
			.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT, .per_transport_caps.rc_odp_caps = ON_DEMAND,
			.per_transport_caps.ud_odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_SRQ_RECV,
		},
		.xrc_odp_caps = ON_DEMAND,
		.rss_caps = {
			.supported_qpts = 1 << IBV_QPT_RAW_PACKET, .max_rwq_indirection_tables = WQS, .max_rwq_indirection_table_size = TABLE_MOST,
		},
		.max_wq_type_rq = WQS,
		.timestamp_mask = 0x7fffffffffffffff, .hca_core_clock = 1000000, .max_dm_size = dev->no_memory ? 0 : DM_BYTES,
		.cq_moderation_caps = {.max_cq_moderation_count = 0xffff, .max_cq_moderation_period = 0xfff},
	};
}

static void mlx5_port_attr(const struct device *dev, struct ib_uverbs_query_port_resp *r)
{
	*r = (struct ib_uverbs_query_port_resp){
		.port_cap_flags = 0x04010000, .max_msg_sz = 1 << 30, .gid_tbl_len = 256, .pkey_tbl_len = 1, .state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096, .active_mtu = IBV_MTU_4096, .active_width = 2, .active_speed = (uint8_t)dev->speed, .phys_state = 5,
		.link_layer = dev->infiniband ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET, .lid = gid_lid(dev),
		.sm_lid = dev->infiniband, .flags = dev->infiniband ? 0 : IBV_QPF_GRH_REQUIRED,
	};
}

static void mlx5_query_device(const struct call *c)
{
	const struct mlx5_ib_query_device_resp r = {
		.response_length = sizeof r, .flags = MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_PAD,
		.rss_caps = {.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ, .rx_hash_fields_mask = HASH_FIELDS},
		.dci_streams_caps = {LOG_STREAMS, LOG_ERRORED},
	};

	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

// The key of regions without memory, which a context learns of when it opens (set_ucontext_resp, dump_fill_mkey).
static struct key nowhere[DEVICES];

// The free-running clock, and the page by which libmlx5 turns it into nanoseconds. A real card counts by itself.
static void mlx5_tick(struct context *ctx)
{
	const uint64_t t = now();
	uint32_t *clock = (uint32_t *)(void *)(ctx->pages + mlx5_offset(MLX5_IB_MMAP_CORE_CLOCK, 0));
	struct mlx5_ib_clock_info *info = (struct mlx5_ib_clock_info *)(void *)(ctx->pages + mlx5_offset(MLX5_IB_MMAP_CLOCK_INFO, 0));
	struct timespec real;

	clock[0] = htobe32((uint32_t)(t >> 32));
	clock[1] = htobe32((uint32_t)t);
	if (info->mult)
		return;
	clock_gettime(CLOCK_REALTIME, &real);
	info->nsec = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec;
	info->cycles = t;
	info->mask = 0x7fffffffffffffff;
	info->overflow_period = 1000000000;
	info->mult = 1;
}

// Doorbell pages are all of the dynamic kind: libmlx5 asks for that (MLX5_LIB_CAP_DYN_UAR), and tot_bfregs is then 0. Both GET_CONTEXT
// and QUERY_CONTEXT are answered, in their attributes.
static void mlx5_get_context(const struct call *c)
{
	const struct mlx5_ib_alloc_ucontext_resp r = {
		.qp_tab_size = 1 << 18, .bf_reg_size = 512, .cache_line_size = 64, .max_sq_desc_sz = SEND_BYTES, .max_rq_desc_sz = RECEIVE_BYTES,
		.max_send_wqebb = QUEUE_MOST, .max_recv_wr = QUEUE_MOST, .max_srq_recv_wr = SRQ_MOST, .num_ports = 1,
		.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET | MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_ECE |
			MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_DUMP_FILL_MKEY,
		.dump_fill_mkey = nowhere[c->dev->index].value, .response_length = sizeof r, .cqe_version = 1,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE | MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = MLX5_USER_INLINE_MODE_NONE, .clock_info_versions = 1 << MLX5_IB_CLOCK_INFO_V1, .log_uar_size = 12,
		.num_uars_per_page = 1, .num_dyn_bfregs = UARS,
	};
	const bool first = c->hdr->method_id == UVERBS_METHOD_GET_CONTEXT;
	struct mlx5_ib_alloc_ucontext_req_v2 q;

	mlx5_tick(c->ctx); // a program that asks for the time before the card's thread runs gets one too
	if (first) {
		ATTR_IN(c, UVERBS_ATTR_UHW_IN, q);
		refuse_if(q.comp_mask || q.reserved0 || q.reserved1 || q.reserved2 || q.flags & ~(unsigned)MLX5_IB_ALLOC_UCTX_DEVX, EOPNOTSUPP);
		refuse_if(!(q.lib_caps & MLX5_LIB_CAP_DYN_UAR), EOPNOTSUPP); // ours: libraries before release 29 ask for static pages
	}
	ATTR_OUT(c, first ? (uint16_t)UVERBS_ATTR_UHW_OUT : (uint16_t)MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, r);
}

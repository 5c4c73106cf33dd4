// The device of the efa driver: Linux 6.1, drivers/infiniband/hw/efa/efa_verbs.c.
#include "efa/efa.h"

// efa_create_ah. Beyond ADDRESSES, the handle is of no address.
static void create_ah(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_create_ah, q);
	const int d = c->dev->index;
	uint16_t i = 0;

	while (i < naddresses[d] && memcmp(addresses[d][i], q.attr.grh.dgid, 16) != 0)
		i++;
	if (i == naddresses[d] && i < ADDRESSES)
		memcpy(addresses[d][naddresses[d]++], q.attr.grh.dgid, 16);
	ATTR_ANSWER(c, UVERBS_ATTR_UHW_OUT, efa_ibv_create_ah_resp, .efa_address_handle = i);
}

// efa_alloc_ucontext and efa_user_comp_handshake: this adapter limits a batch of sends, so libefa has to know about that.
static void get_context(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_UHW_IN, efa_ibv_alloc_ucontext_cmd, q);
	const struct efa_ibv_alloc_ucontext_resp r = {
		.cmds_supp_udata_mask = EFA_USER_CMDS_SUPP_UDATA_QUERY_DEVICE | EFA_USER_CMDS_SUPP_UDATA_CREATE_AH, .sub_cqs_per_cq = SUB_CQS,
		.inline_buf_size = INLINE, .max_llq_size = LLQ_BYTES, .max_tx_batch = 32,
	};

	refuse_if(!(q.comp_mask & EFA_ALLOC_UCONTEXT_CMD_COMP_TX_BATCH), EOPNOTSUPP);
	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

// efa_query_device, of an adapter that has no event queues, so that no completion channel is to be had: a wish
// for an event is in the same word as the consumer index, and memory shows only the last of two writes.
static void device_attr(const struct device *dev, struct ib_uverbs_ex_query_device_resp *r)
{
	*r = (struct ib_uverbs_ex_query_device_resp){
		.base = {
			.node_guid = htobe64(0x98039b0300010000ull + (uint64_t)dev->index), .sys_image_guid = htobe64(0x98039b0300010000ull),
			.max_mr_size = 1ull << 40, .page_size_cap = 0xfffff000, .vendor_id = 0x1d0f, .vendor_part_id = 0xefa1, .max_qp = 256,
			.max_qp_wr = QUEUE_MOST, .max_sge = SEND_SGE, .max_sge_rd = 1, .max_cq = 512, .max_cqe = CQ_MOST, .max_mr = 1 << 16,
			.max_pd = 256, .max_ah = ADDRESSES, .max_pkeys = 1, .phys_port_cnt = 1,
		},
	};
}

static void query_device(const struct call *c)
{
	const struct efa_ibv_ex_query_device_resp r = {
		.max_sq_wr = QUEUE_MOST, .max_rq_wr = QUEUE_MOST, .max_sq_sge = SEND_SGE, .max_rq_sge = RECEIVE_SGE,
		.max_rdma_size = 1 << 30,
		.device_caps = EFA_QUERY_DEVICE_CAPS_CQ_WITH_SGID | EFA_QUERY_DEVICE_CAPS_RNR_RETRY | EFA_QUERY_DEVICE_CAPS_RDMA_READ,
	};

	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

// efa_query_port. The link layer is of neither kind (efa_port_link_layer).
static void port_attr(const struct device *dev, struct ib_uverbs_query_port_resp *r)
{
	(void)dev;
	*r = (struct ib_uverbs_query_port_resp){
		.lmc = 1, .state = IBV_PORT_ACTIVE, .phys_state = 5, .gid_tbl_len = 1, .pkey_tbl_len = 1, .active_speed = 32, .active_width = 2,
		.max_mtu = IBV_MTU_4096, .active_mtu = IBV_MTU_4096, .max_msg_sz = MTU, .max_vl_num = 1,
	};
}

static void alloc_pd(const struct call *c, struct pd *pd)
{
	ATTR_ANSWER(c, UVERBS_ATTR_UHW_OUT, efa_ibv_alloc_pd_resp, .pdn = (uint16_t)pd->o.number);
}

// efa_alloc_mr: the optional flags do not count.
static void check_access(uint32_t access)
{
	refuse_if(access & ~(uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_OPTIONAL_RANGE), EOPNOTSUPP);
}

static const struct method methods[] = {{0}};

const struct provider efa = {
	.name = "efa", .methods = methods, .format = &efa_format, .gids = 1, .datagram = MTU, .size = (size_t)PAGES * PAGE, .map = efa_map,
	.get_context = get_context, .device_attr = device_attr, .query_device = query_device, .port_attr = port_attr, .alloc_pd = alloc_pd,
	.create_ah = create_ah, .check_access = check_access, .create_cq = efa_create_cq, .end_cq = efa_end_cq, .create_qp = efa_create_qp,
	.modify_qp = efa_modify_qp, .query_qp = efa_query_qp, .reset_qp = efa_reset_qp, .end_qp = efa_end_qp,
};

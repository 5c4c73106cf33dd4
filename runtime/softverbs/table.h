// The verbs of this library, in one list. Symbols, operations of contexts, prototypes and the names that Device.Fail
// takes are made from it, so a new verb is its rows here and its code in the file of its family.
//
//	VERB(ID, name)                      a verb that can be told to fail; its code asks svb_fails for SVB_ID
//	ALIAS(ID, name)                     another name for that verb
//	SYMBOL(name, minor, function)       an exported function, of version IBVERBS_1.minor
//	SYMBOL_OF_SLOT(name, minor, function, result, type, arg)
//	                                    the same, where function also wants to know the slot
//	OP(member, present, function)       an operation of verbs_context; present is about the device's settings d
//	CONTEXT_OP(member, function)        an operation of ibv_context
//
// The file has no guard: it is included once for each use, after the rows that the use needs are defined.
#ifndef VERB
#define VERB(id, name)
#endif
#ifndef ALIAS
#define ALIAS(id, name)
#endif
#ifndef SYMBOL
#define SYMBOL(name, minor, function)
#endif
#ifndef SYMBOL_OF_SLOT
#define SYMBOL_OF_SLOT(name, minor, function, result, type, arg)
#endif
#ifndef OP
#define OP(member, present, function)
#endif
#ifndef CONTEXT_OP
#define CONTEXT_OP(member, function)
#endif

// Devices and contexts: device.c
VERB(GET_DEVICE_LIST, ibv_get_device_list)
SYMBOL_OF_SLOT(ibv_get_device_list, 1, svb_get_device_list, struct ibv_device **, int *, num)
SYMBOL(ibv_free_device_list, 1, svb_free_device_list)
SYMBOL(ibv_get_device_name, 1, svb_get_device_name)
SYMBOL(ibv_get_device_guid, 1, svb_get_device_guid)
SYMBOL(ibv_get_device_index, 9, svb_get_device_index)
VERB(OPEN_DEVICE, ibv_open_device)
SYMBOL(ibv_open_device, 1, svb_open_device)
VERB(IMPORT_DEVICE, ibv_import_device)
SYMBOL_OF_SLOT(ibv_import_device, 10, svb_import_device, struct ibv_context *, int, cmd_fd)
VERB(CLOSE_DEVICE, ibv_close_device)
SYMBOL(ibv_close_device, 1, svb_close_device)

// What a device says about itself: query.c
VERB(QUERY_DEVICE, ibv_query_device)
SYMBOL(ibv_query_device, 1, svb_query_device)
CONTEXT_OP(_compat_query_device, svb_query_device)
VERB(QUERY_DEVICE_EX, ibv_query_device_ex)
OP(query_device_ex, true, svb_query_device_ex)
VERB(QUERY_PORT, ibv_query_port)
SYMBOL(ibv_query_port, 1, svb_query_port)
CONTEXT_OP(_compat_query_port, svb_query_port)
OP(query_port, true, svb_query_port_op)
VERB(QUERY_GID, ibv_query_gid)
SYMBOL(ibv_query_gid, 1, svb_query_gid)
VERB(RESOLVE_ETH_L2, ibv_resolve_eth_l2_from_gid)
SYMBOL(ibv_resolve_eth_l2_from_gid, 1, svb_resolve_eth_l2)
VERB(QUERY_GID_EX, ibv_query_gid_ex)
SYMBOL(_ibv_query_gid_ex, 11, svb_query_gid_ex)
VERB(QUERY_GID_TABLE, ibv_query_gid_table)
SYMBOL(_ibv_query_gid_table, 11, svb_query_gid_table)
VERB(QUERY_PKEY, ibv_query_pkey)
SYMBOL(ibv_query_pkey, 1, svb_query_pkey)
VERB(GET_PKEY_INDEX, ibv_get_pkey_index)
SYMBOL(ibv_get_pkey_index, 5, svb_get_pkey_index)
VERB(QUERY_PORT_SPEED, ibv_query_port_speed)
SYMBOL(ibv_query_port_speed, 16, svb_query_port_speed)
VERB(QUERY_RT_VALUES, ibv_query_rt_values_ex)
OP(query_rt_values, true, svb_query_rt_values)

// Values that need no device: text.c
SYMBOL(ibv_rate_to_mult, 0, svb_rate_to_mult)
SYMBOL(mult_to_ibv_rate, 0, svb_mult_to_rate)
SYMBOL(ibv_rate_to_mbps, 1, svb_rate_to_mbps)
SYMBOL(mbps_to_ibv_rate, 1, svb_mbps_to_rate)
SYMBOL(ibv_node_type_str, 1, svb_node_type_str)
SYMBOL(ibv_port_state_str, 1, svb_port_state_str)
SYMBOL(ibv_event_type_str, 1, svb_event_type_str)
SYMBOL(ibv_wc_status_str, 1, svb_wc_status_str)
SYMBOL(ibv_fork_init, 1, svb_fork_init)
SYMBOL(ibv_is_fork_initialized, 13, svb_is_fork_initialized)

// Domains: pd.c
VERB(ALLOC_PD, ibv_alloc_pd)
SYMBOL(ibv_alloc_pd, 1, svb_alloc_pd)
VERB(DEALLOC_PD, ibv_dealloc_pd)
SYMBOL(ibv_dealloc_pd, 1, svb_dealloc_pd)
VERB(IMPORT_PD, ibv_import_pd)
SYMBOL(ibv_import_pd, 10, svb_import_pd)
SYMBOL(ibv_unimport_pd, 10, svb_unimport_pd)
VERB(ALLOC_TD, ibv_alloc_td)
OP(alloc_td, !d->no_td, svb_alloc_td)
VERB(DEALLOC_TD, ibv_dealloc_td)
OP(dealloc_td, !d->no_td, svb_dealloc_td)
VERB(ALLOC_PARENT_DOMAIN, ibv_alloc_parent_domain)
OP(alloc_parent_domain, !d->no_td, svb_alloc_parent_domain)

// Memory regions: mr.c, rereg.c
VERB(REG_MR, ibv_reg_mr)
SYMBOL(ibv_reg_mr, 1, svb_reg_mr)
ALIAS(REG_MR, ibv_reg_mr_iova)
SYMBOL(ibv_reg_mr_iova, 7, svb_reg_mr_iova)
ALIAS(REG_MR, ibv_reg_mr_iova2)
SYMBOL(ibv_reg_mr_iova2, 8, svb_reg_mr_iova2)
VERB(REG_MR_EX, ibv_reg_mr_ex)
SYMBOL(ibv_reg_mr_ex, 15, svb_reg_mr_ex)
OP(reg_mr_ex, true, svb_reg_mr_ex)
VERB(REG_DMABUF_MR, ibv_reg_dmabuf_mr)
SYMBOL(ibv_reg_dmabuf_mr, 12, svb_reg_dmabuf_mr)
VERB(REREG_MR, ibv_rereg_mr)
SYMBOL(ibv_rereg_mr, 1, svb_rereg_mr)
VERB(DEREG_MR, ibv_dereg_mr)
SYMBOL(ibv_dereg_mr, 1, svb_dereg_mr)
VERB(IMPORT_MR, ibv_import_mr)
SYMBOL(ibv_import_mr, 10, svb_import_mr)
SYMBOL(ibv_unimport_mr, 10, svb_unimport_mr)
VERB(ALLOC_NULL_MR, ibv_alloc_null_mr)
OP(alloc_null_mr, !d->no_null_mr, svb_alloc_null_mr)
VERB(ADVISE_MR, ibv_advise_mr)
OP(advise_mr, true, svb_advise_mr)

// Buffers: buf.c; regions over them: mr.c, and those fail with ibv_reg_mr_ex
VERB(ALLOC_BUF, ibv_alloc_buf)
SYMBOL(ibv_alloc_buf, 17, svb_alloc_buf)
OP(alloc_buf, true, svb_alloc_buf)
SYMBOL(ibv_free_buf, 17, svb_free_buf)
OP(free_buf, true, svb_free_buf)
ALIAS(REG_MR_EX, ibv_reg_buf_mr)
SYMBOL(ibv_reg_buf_mr, 17, svb_reg_buf_mr)
VERB(EXPORT_BUF, ibv_export_buf_dmabuf_fd)
SYMBOL(ibv_export_buf_dmabuf_fd, 18, svb_export_buf_dmabuf_fd)

// Device memory: dm.c. The copies are members of struct ibv_dm.
VERB(ALLOC_DM, ibv_alloc_dm)
OP(alloc_dm, d->max_dm_size, svb_alloc_dm)
VERB(FREE_DM, ibv_free_dm)
OP(free_dm, d->max_dm_size, svb_free_dm)
VERB(IMPORT_DM, ibv_import_dm)
SYMBOL(ibv_import_dm, 13, svb_import_dm)
SYMBOL(ibv_unimport_dm, 13, svb_unimport_dm)
VERB(REG_DM_MR, ibv_reg_dm_mr)
OP(reg_dm_mr, d->max_dm_size, svb_reg_dm_mr)
VERB(DM_EXPORT, ibv_dm_export_dmabuf_fd)
SYMBOL(ibv_dm_export_dmabuf_fd, 16, svb_dm_export_dmabuf_fd)
OP(dm_export_dmabuf_fd, d->max_dm_size, svb_dm_export_dmabuf_fd)
VERB(COPY_TO_DM, ibv_memcpy_to_dm)
VERB(COPY_FROM_DM, ibv_memcpy_from_dm)

// Completion channels and queues: chan.c, cq.c; cqex.c, whose functions to poll are members of struct ibv_cq_ex
VERB(CREATE_COMP_CHANNEL, ibv_create_comp_channel)
SYMBOL(ibv_create_comp_channel, 0, svb_create_comp_channel)
VERB(DESTROY_COMP_CHANNEL, ibv_destroy_comp_channel)
SYMBOL(ibv_destroy_comp_channel, 0, svb_destroy_comp_channel)
VERB(GET_CQ_EVENT, ibv_get_cq_event)
SYMBOL(ibv_get_cq_event, 1, svb_get_cq_event)
SYMBOL(ibv_ack_cq_events, 1, svb_ack_cq_events)
VERB(CREATE_CQ, ibv_create_cq)
SYMBOL(ibv_create_cq, 1, svb_create_cq)
VERB(CREATE_CQ_EX, ibv_create_cq_ex)
OP(create_cq_ex, true, svb_create_cq_ex)
VERB(START_POLL, ibv_start_poll)
VERB(NEXT_POLL, ibv_next_poll)
VERB(RESIZE_CQ, ibv_resize_cq)
SYMBOL(ibv_resize_cq, 1, svb_resize_cq)
VERB(MODIFY_CQ, ibv_modify_cq)
OP(modify_cq, true, svb_modify_cq)
VERB(DESTROY_CQ, ibv_destroy_cq)
SYMBOL(ibv_destroy_cq, 1, svb_destroy_cq)
VERB(POLL_CQ, ibv_poll_cq)
CONTEXT_OP(poll_cq, svb_poll_cq)
VERB(REQ_NOTIFY_CQ, ibv_req_notify_cq)
CONTEXT_OP(req_notify_cq, svb_req_notify_cq)

// Shared receive queues: srq.c
VERB(CREATE_SRQ, ibv_create_srq)
SYMBOL(ibv_create_srq, 1, svb_create_srq)
VERB(CREATE_SRQ_EX, ibv_create_srq_ex)
OP(create_srq_ex, true, svb_create_srq_ex)
VERB(GET_SRQ_NUM, ibv_get_srq_num)
OP(get_srq_num, true, svb_get_srq_num)
VERB(MODIFY_SRQ, ibv_modify_srq)
SYMBOL(ibv_modify_srq, 1, svb_modify_srq)
VERB(QUERY_SRQ, ibv_query_srq)
SYMBOL(ibv_query_srq, 1, svb_query_srq)
VERB(DESTROY_SRQ, ibv_destroy_srq)
SYMBOL(ibv_destroy_srq, 1, svb_destroy_srq)
VERB(POST_SRQ_RECV, ibv_post_srq_recv)
CONTEXT_OP(post_srq_recv, svb_post_srq_recv)

// XRC domains: xrcd.c
VERB(OPEN_XRCD, ibv_open_xrcd)
OP(open_xrcd, true, svb_open_xrcd)
VERB(CLOSE_XRCD, ibv_close_xrcd)
OP(close_xrcd, true, svb_close_xrcd)

// Shared queue pairs: target.c
VERB(OPEN_QP, ibv_open_qp)
OP(open_qp, true, svb_open_qp)

// Memory windows: mw.c, window.c
VERB(ALLOC_MW, ibv_alloc_mw)
CONTEXT_OP(alloc_mw, svb_alloc_mw)
VERB(BIND_MW, ibv_bind_mw)
CONTEXT_OP(bind_mw, svb_bind_mw)
VERB(DEALLOC_MW, ibv_dealloc_mw)
CONTEXT_OP(dealloc_mw, svb_dealloc_mw)

// Multicast groups: mcast.c
VERB(ATTACH_MCAST, ibv_attach_mcast)
SYMBOL(ibv_attach_mcast, 1, svb_attach_mcast)
VERB(DETACH_MCAST, ibv_detach_mcast)
SYMBOL(ibv_detach_mcast, 1, svb_detach_mcast)

// Work queues: wq.c, whose function to post is a member of struct ibv_wq; tables of them: rwq.c
VERB(CREATE_WQ, ibv_create_wq)
OP(create_wq, true, svb_create_wq)
VERB(MODIFY_WQ, ibv_modify_wq)
OP(modify_wq, true, svb_modify_wq)
VERB(DESTROY_WQ, ibv_destroy_wq)
OP(destroy_wq, true, svb_destroy_wq)
VERB(POST_WQ_RECV, ibv_post_wq_recv)
VERB(CREATE_RWQ_IND_TABLE, ibv_create_rwq_ind_table)
OP(create_rwq_ind_table, true, svb_create_rwq_ind_table)
VERB(DESTROY_RWQ_IND_TABLE, ibv_destroy_rwq_ind_table)
OP(destroy_rwq_ind_table, true, svb_destroy_rwq_ind_table)

// Counters: counters.c
VERB(CREATE_COUNTERS, ibv_create_counters)
OP(create_counters, true, svb_create_counters)
VERB(DESTROY_COUNTERS, ibv_destroy_counters)
OP(destroy_counters, true, svb_destroy_counters)
VERB(READ_COUNTERS, ibv_read_counters)
OP(read_counters, true, svb_read_counters)

VERB(ATTACH_COUNTERS, ibv_attach_counters_point_flow)
OP(attach_counters_point_flow, true, svb_attach_counters)

// Completion counters: compcntr.c
VERB(QUERY_COMP_CNTR_CAPS, ibv_query_comp_cntr_caps)
SYMBOL(_ibv_query_comp_cntr_caps, 18, svb_query_comp_cntr_caps)
VERB(CREATE_COMP_CNTR, ibv_create_comp_cntr)
SYMBOL(ibv_create_comp_cntr, 18, svb_create_comp_cntr)
VERB(DESTROY_COMP_CNTR, ibv_destroy_comp_cntr)
SYMBOL(ibv_destroy_comp_cntr, 18, svb_destroy_comp_cntr)
VERB(SET_COMP_CNTR, ibv_set_comp_cntr)
SYMBOL(ibv_set_comp_cntr, 18, svb_set_comp_cntr)
VERB(SET_ERR_COMP_CNTR, ibv_set_err_comp_cntr)
SYMBOL(ibv_set_err_comp_cntr, 18, svb_set_err_comp_cntr)
VERB(INC_COMP_CNTR, ibv_inc_comp_cntr)
SYMBOL(ibv_inc_comp_cntr, 18, svb_inc_comp_cntr)
VERB(INC_ERR_COMP_CNTR, ibv_inc_err_comp_cntr)
SYMBOL(ibv_inc_err_comp_cntr, 18, svb_inc_err_comp_cntr)
VERB(READ_COMP_CNTR, ibv_read_comp_cntr)
SYMBOL(ibv_read_comp_cntr, 18, svb_read_comp_cntr)
VERB(READ_ERR_COMP_CNTR, ibv_read_err_comp_cntr)
SYMBOL(ibv_read_err_comp_cntr, 18, svb_read_err_comp_cntr)
VERB(ATTACH_COMP_CNTR, ibv_qp_attach_comp_cntr)
SYMBOL(ibv_qp_attach_comp_cntr, 18, svb_qp_attach_comp_cntr)

// Flows: flow.c; their actions: flowaction.c
VERB(CREATE_FLOW, ibv_create_flow)
OP(ibv_create_flow, true, svb_create_flow)
VERB(DESTROY_FLOW, ibv_destroy_flow)
OP(ibv_destroy_flow, true, svb_destroy_flow)
VERB(CREATE_FLOW_ACTION_ESP, ibv_create_flow_action_esp)
OP(create_flow_action_esp, true, svb_create_flow_action_esp)
VERB(MODIFY_FLOW_ACTION_ESP, ibv_modify_flow_action_esp)
OP(modify_flow_action_esp, true, svb_modify_flow_action_esp)
VERB(DESTROY_FLOW_ACTION, ibv_destroy_flow_action)
OP(destroy_flow_action, true, svb_destroy_flow_action)

// Queue pairs: qp.c, qpex.c, qpstate.c, post.c; wr.c, whose builders are members of struct ibv_qp_ex
VERB(CREATE_QP, ibv_create_qp)
SYMBOL(ibv_create_qp, 1, svb_create_qp)
VERB(CREATE_QP_EX, ibv_create_qp_ex)
OP(create_qp_ex, true, svb_create_qp_ex)
SYMBOL(ibv_qp_to_qp_ex, 6, svb_qp_to_qp_ex)
VERB(WR_COMPLETE, ibv_wr_complete)
VERB(MODIFY_QP, ibv_modify_qp)
SYMBOL(ibv_modify_qp, 1, svb_modify_qp)
VERB(QUERY_QP, ibv_query_qp)
SYMBOL(ibv_query_qp, 1, svb_query_qp)
VERB(DESTROY_QP, ibv_destroy_qp)
SYMBOL(ibv_destroy_qp, 1, svb_destroy_qp)
VERB(POST_SEND, ibv_post_send)
CONTEXT_OP(post_send, svb_post_send)
VERB(POST_RECV, ibv_post_recv)
CONTEXT_OP(post_recv, svb_post_recv)

// What queue pairs of this device have not, and answer as others without it: lacking.c
VERB(QUERY_DATA_IN_ORDER, ibv_query_qp_data_in_order)
SYMBOL(ibv_query_qp_data_in_order, 14, svb_query_data_in_order)
VERB(SET_ECE, ibv_set_ece)
SYMBOL(ibv_set_ece, 10, svb_set_ece)
VERB(QUERY_ECE, ibv_query_ece)
SYMBOL(ibv_query_ece, 10, svb_query_ece)
VERB(ALLOC_DMAH, ibv_alloc_dmah)
SYMBOL(ibv_alloc_dmah, 15, svb_alloc_dmah)
SYMBOL(ibv_dealloc_dmah, 15, svb_dealloc_dmah)

// Address handles: ah.c, ahwc.c
VERB(CREATE_AH, ibv_create_ah)
SYMBOL(ibv_create_ah, 1, svb_create_ah)
VERB(INIT_AH_FROM_WC, ibv_init_ah_from_wc)
SYMBOL(ibv_init_ah_from_wc, 1, svb_init_ah_from_wc)
VERB(CREATE_AH_FROM_WC, ibv_create_ah_from_wc)
SYMBOL(ibv_create_ah_from_wc, 1, svb_create_ah_from_wc)
VERB(DESTROY_AH, ibv_destroy_ah)
SYMBOL(ibv_destroy_ah, 1, svb_destroy_ah)

// Asynchronous events: async.c
VERB(GET_ASYNC_EVENT, ibv_get_async_event)
SYMBOL(ibv_get_async_event, 1, svb_get_async_event)
SYMBOL(ibv_ack_async_event, 1, svb_ack_async_event)

#undef VERB
#undef ALIAS
#undef SYMBOL
#undef SYMBOL_OF_SLOT
#undef OP
#undef CONTEXT_OP

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
// VERB_SYMBOL, VERB_OP and VERB_CONTEXT_OP are a verb, and the function of the same name or the operation that calls it.
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
#define VERB_SYMBOL(id, name, minor, function) VERB(id, name) SYMBOL(name, minor, function)
#define VERB_OP(id, name, member, present, function) VERB(id, name) OP(member, present, function)
#define VERB_CONTEXT_OP(id, name, member, function) VERB(id, name) CONTEXT_OP(member, function)

// Devices and contexts: device.c
VERB(GET_DEVICE_LIST, ibv_get_device_list)
SYMBOL_OF_SLOT(ibv_get_device_list, 1, svb_get_device_list, struct ibv_device **, int *, num)
SYMBOL(ibv_free_device_list, 1, svb_free_device_list)
SYMBOL(ibv_get_device_name, 1, svb_get_device_name)
SYMBOL(ibv_get_device_guid, 1, svb_get_device_guid)
SYMBOL(ibv_get_device_index, 9, svb_get_device_index)
VERB_SYMBOL(OPEN_DEVICE, ibv_open_device, 1, svb_open_device)
VERB(IMPORT_DEVICE, ibv_import_device)
SYMBOL_OF_SLOT(ibv_import_device, 10, svb_import_device, struct ibv_context *, int, cmd_fd)
VERB_SYMBOL(CLOSE_DEVICE, ibv_close_device, 1, svb_close_device)

// What a device says about itself: query.c
VERB_SYMBOL(QUERY_DEVICE, ibv_query_device, 1, svb_query_device)
CONTEXT_OP(_compat_query_device, svb_query_device)
VERB_OP(QUERY_DEVICE_EX, ibv_query_device_ex, query_device_ex, true, svb_query_device_ex)
VERB_SYMBOL(QUERY_PORT, ibv_query_port, 1, svb_query_port)
CONTEXT_OP(_compat_query_port, svb_query_port)
OP(query_port, true, svb_query_port_op)
VERB_SYMBOL(QUERY_GID, ibv_query_gid, 1, svb_query_gid)
VERB_SYMBOL(RESOLVE_ETH_L2, ibv_resolve_eth_l2_from_gid, 1, svb_resolve_eth_l2)
VERB(QUERY_GID_EX, ibv_query_gid_ex)
SYMBOL(_ibv_query_gid_ex, 11, svb_query_gid_ex)
VERB(QUERY_GID_TABLE, ibv_query_gid_table)
SYMBOL(_ibv_query_gid_table, 11, svb_query_gid_table)
VERB_SYMBOL(QUERY_PKEY, ibv_query_pkey, 1, svb_query_pkey)
VERB_SYMBOL(GET_PKEY_INDEX, ibv_get_pkey_index, 5, svb_get_pkey_index)
VERB_SYMBOL(QUERY_PORT_SPEED, ibv_query_port_speed, 16, svb_query_port_speed)
VERB_OP(QUERY_RT_VALUES, ibv_query_rt_values_ex, query_rt_values, true, svb_query_rt_values)

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
VERB_SYMBOL(ALLOC_PD, ibv_alloc_pd, 1, svb_alloc_pd)
VERB_SYMBOL(DEALLOC_PD, ibv_dealloc_pd, 1, svb_dealloc_pd)
VERB_SYMBOL(IMPORT_PD, ibv_import_pd, 10, svb_import_pd)
SYMBOL(ibv_unimport_pd, 10, svb_unimport_pd)
VERB_OP(ALLOC_TD, ibv_alloc_td, alloc_td, !d->no_td, svb_alloc_td)
VERB_OP(DEALLOC_TD, ibv_dealloc_td, dealloc_td, !d->no_td, svb_dealloc_td)
VERB_OP(ALLOC_PARENT_DOMAIN, ibv_alloc_parent_domain, alloc_parent_domain, !d->no_td, svb_alloc_parent_domain)

// Memory regions: mr.c, rereg.c
VERB_SYMBOL(REG_MR, ibv_reg_mr, 1, svb_reg_mr)
ALIAS(REG_MR, ibv_reg_mr_iova)
SYMBOL(ibv_reg_mr_iova, 7, svb_reg_mr_iova)
ALIAS(REG_MR, ibv_reg_mr_iova2)
SYMBOL(ibv_reg_mr_iova2, 8, svb_reg_mr_iova2)
VERB_SYMBOL(REG_MR_EX, ibv_reg_mr_ex, 15, svb_reg_mr_ex)
OP(reg_mr_ex, true, svb_reg_mr_ex)
VERB_SYMBOL(REG_DMABUF_MR, ibv_reg_dmabuf_mr, 12, svb_reg_dmabuf_mr)
VERB_SYMBOL(REREG_MR, ibv_rereg_mr, 1, svb_rereg_mr)
VERB_SYMBOL(DEREG_MR, ibv_dereg_mr, 1, svb_dereg_mr)
VERB_SYMBOL(IMPORT_MR, ibv_import_mr, 10, svb_import_mr)
SYMBOL(ibv_unimport_mr, 10, svb_unimport_mr)
VERB_OP(ALLOC_NULL_MR, ibv_alloc_null_mr, alloc_null_mr, !d->no_null_mr, svb_alloc_null_mr)
VERB_OP(ADVISE_MR, ibv_advise_mr, advise_mr, true, svb_advise_mr)

// Buffers: buf.c; regions over them: mr.c, and those fail with ibv_reg_mr_ex
VERB_SYMBOL(ALLOC_BUF, ibv_alloc_buf, 17, svb_alloc_buf)
OP(alloc_buf, true, svb_alloc_buf)
SYMBOL(ibv_free_buf, 17, svb_free_buf)
OP(free_buf, true, svb_free_buf)
ALIAS(REG_MR_EX, ibv_reg_buf_mr)
SYMBOL(ibv_reg_buf_mr, 17, svb_reg_buf_mr)
VERB_SYMBOL(EXPORT_BUF, ibv_export_buf_dmabuf_fd, 18, svb_export_buf_dmabuf_fd)

// Device memory: dm.c. The copies are members of struct ibv_dm.
VERB_OP(ALLOC_DM, ibv_alloc_dm, alloc_dm, d->max_dm_size, svb_alloc_dm)
VERB_OP(FREE_DM, ibv_free_dm, free_dm, d->max_dm_size, svb_free_dm)
VERB_SYMBOL(IMPORT_DM, ibv_import_dm, 13, svb_import_dm)
SYMBOL(ibv_unimport_dm, 13, svb_unimport_dm)
VERB_OP(REG_DM_MR, ibv_reg_dm_mr, reg_dm_mr, d->max_dm_size, svb_reg_dm_mr)
VERB_SYMBOL(DM_EXPORT, ibv_dm_export_dmabuf_fd, 16, svb_dm_export_dmabuf_fd)
OP(dm_export_dmabuf_fd, d->max_dm_size, svb_dm_export_dmabuf_fd)
VERB(COPY_TO_DM, ibv_memcpy_to_dm)
VERB(COPY_FROM_DM, ibv_memcpy_from_dm)

// Completion channels and queues: chan.c, cq.c; cqex.c, whose functions to poll are members of struct ibv_cq_ex
VERB_SYMBOL(CREATE_COMP_CHANNEL, ibv_create_comp_channel, 0, svb_create_comp_channel)
VERB_SYMBOL(DESTROY_COMP_CHANNEL, ibv_destroy_comp_channel, 0, svb_destroy_comp_channel)
VERB_SYMBOL(GET_CQ_EVENT, ibv_get_cq_event, 1, svb_get_cq_event)
SYMBOL(ibv_ack_cq_events, 1, svb_ack_cq_events)
VERB_SYMBOL(CREATE_CQ, ibv_create_cq, 1, svb_create_cq)
VERB_OP(CREATE_CQ_EX, ibv_create_cq_ex, create_cq_ex, true, svb_create_cq_ex)
VERB(START_POLL, ibv_start_poll)
VERB(NEXT_POLL, ibv_next_poll)
VERB_SYMBOL(RESIZE_CQ, ibv_resize_cq, 1, svb_resize_cq)
VERB_OP(MODIFY_CQ, ibv_modify_cq, modify_cq, true, svb_modify_cq)
VERB_SYMBOL(DESTROY_CQ, ibv_destroy_cq, 1, svb_destroy_cq)
VERB_CONTEXT_OP(POLL_CQ, ibv_poll_cq, poll_cq, svb_poll_cq)
VERB_CONTEXT_OP(REQ_NOTIFY_CQ, ibv_req_notify_cq, req_notify_cq, svb_req_notify_cq)

// Shared receive queues: srq.c
VERB_SYMBOL(CREATE_SRQ, ibv_create_srq, 1, svb_create_srq)
VERB_OP(CREATE_SRQ_EX, ibv_create_srq_ex, create_srq_ex, true, svb_create_srq_ex)
VERB_OP(GET_SRQ_NUM, ibv_get_srq_num, get_srq_num, true, svb_get_srq_num)
VERB_SYMBOL(MODIFY_SRQ, ibv_modify_srq, 1, svb_modify_srq)
VERB_SYMBOL(QUERY_SRQ, ibv_query_srq, 1, svb_query_srq)
VERB_SYMBOL(DESTROY_SRQ, ibv_destroy_srq, 1, svb_destroy_srq)
VERB_CONTEXT_OP(POST_SRQ_RECV, ibv_post_srq_recv, post_srq_recv, svb_post_srq_recv)

// XRC domains: xrcd.c
VERB_OP(OPEN_XRCD, ibv_open_xrcd, open_xrcd, true, svb_open_xrcd)
VERB_OP(CLOSE_XRCD, ibv_close_xrcd, close_xrcd, true, svb_close_xrcd)

// Shared queue pairs: target.c
VERB_OP(OPEN_QP, ibv_open_qp, open_qp, true, svb_open_qp)

// Memory windows: mw.c, window.c
VERB_CONTEXT_OP(ALLOC_MW, ibv_alloc_mw, alloc_mw, svb_alloc_mw)
VERB_CONTEXT_OP(BIND_MW, ibv_bind_mw, bind_mw, svb_bind_mw)
VERB_CONTEXT_OP(DEALLOC_MW, ibv_dealloc_mw, dealloc_mw, svb_dealloc_mw)

// Multicast groups: mcast.c
VERB_SYMBOL(ATTACH_MCAST, ibv_attach_mcast, 1, svb_attach_mcast)
VERB_SYMBOL(DETACH_MCAST, ibv_detach_mcast, 1, svb_detach_mcast)

// Work queues: wq.c, whose function to post is a member of struct ibv_wq; tables of them: rwq.c
VERB_OP(CREATE_WQ, ibv_create_wq, create_wq, true, svb_create_wq)
VERB_OP(MODIFY_WQ, ibv_modify_wq, modify_wq, true, svb_modify_wq)
VERB_OP(DESTROY_WQ, ibv_destroy_wq, destroy_wq, true, svb_destroy_wq)
VERB(POST_WQ_RECV, ibv_post_wq_recv)
VERB_OP(CREATE_RWQ_IND_TABLE, ibv_create_rwq_ind_table, create_rwq_ind_table, true, svb_create_rwq_ind_table)
VERB_OP(DESTROY_RWQ_IND_TABLE, ibv_destroy_rwq_ind_table, destroy_rwq_ind_table, true, svb_destroy_rwq_ind_table)

// Counters: counters.c
VERB_OP(CREATE_COUNTERS, ibv_create_counters, create_counters, true, svb_create_counters)
VERB_OP(DESTROY_COUNTERS, ibv_destroy_counters, destroy_counters, true, svb_destroy_counters)
VERB_OP(READ_COUNTERS, ibv_read_counters, read_counters, true, svb_read_counters)

VERB_OP(ATTACH_COUNTERS, ibv_attach_counters_point_flow, attach_counters_point_flow, true, svb_attach_counters)

// Completion counters: compcntr.c
VERB(QUERY_COMP_CNTR_CAPS, ibv_query_comp_cntr_caps)
SYMBOL(_ibv_query_comp_cntr_caps, 18, svb_query_comp_cntr_caps)
VERB_SYMBOL(CREATE_COMP_CNTR, ibv_create_comp_cntr, 18, svb_create_comp_cntr)
VERB_SYMBOL(DESTROY_COMP_CNTR, ibv_destroy_comp_cntr, 18, svb_destroy_comp_cntr)
VERB_SYMBOL(SET_COMP_CNTR, ibv_set_comp_cntr, 18, svb_set_comp_cntr)
VERB_SYMBOL(SET_ERR_COMP_CNTR, ibv_set_err_comp_cntr, 18, svb_set_err_comp_cntr)
VERB_SYMBOL(INC_COMP_CNTR, ibv_inc_comp_cntr, 18, svb_inc_comp_cntr)
VERB_SYMBOL(INC_ERR_COMP_CNTR, ibv_inc_err_comp_cntr, 18, svb_inc_err_comp_cntr)
VERB_SYMBOL(READ_COMP_CNTR, ibv_read_comp_cntr, 18, svb_read_comp_cntr)
VERB_SYMBOL(READ_ERR_COMP_CNTR, ibv_read_err_comp_cntr, 18, svb_read_err_comp_cntr)
VERB_SYMBOL(ATTACH_COMP_CNTR, ibv_qp_attach_comp_cntr, 18, svb_qp_attach_comp_cntr)

// Flows: flow.c; their actions: flowaction.c
VERB_OP(CREATE_FLOW, ibv_create_flow, ibv_create_flow, true, svb_create_flow)
VERB_OP(DESTROY_FLOW, ibv_destroy_flow, ibv_destroy_flow, true, svb_destroy_flow)
VERB_OP(CREATE_FLOW_ACTION_ESP, ibv_create_flow_action_esp, create_flow_action_esp, true, svb_create_flow_action_esp)
VERB_OP(MODIFY_FLOW_ACTION_ESP, ibv_modify_flow_action_esp, modify_flow_action_esp, true, svb_modify_flow_action_esp)
VERB_OP(DESTROY_FLOW_ACTION, ibv_destroy_flow_action, destroy_flow_action, true, svb_destroy_flow_action)

// Queue pairs: qp.c, qpex.c, qpstate.c, post.c; wr.c, whose builders are members of struct ibv_qp_ex
VERB_SYMBOL(CREATE_QP, ibv_create_qp, 1, svb_create_qp)
VERB_OP(CREATE_QP_EX, ibv_create_qp_ex, create_qp_ex, true, svb_create_qp_ex)
SYMBOL(ibv_qp_to_qp_ex, 6, svb_qp_to_qp_ex)
VERB(WR_COMPLETE, ibv_wr_complete)
VERB_SYMBOL(MODIFY_QP, ibv_modify_qp, 1, svb_modify_qp)
VERB_SYMBOL(QUERY_QP, ibv_query_qp, 1, svb_query_qp)
VERB_SYMBOL(DESTROY_QP, ibv_destroy_qp, 1, svb_destroy_qp)
VERB_CONTEXT_OP(POST_SEND, ibv_post_send, post_send, svb_post_send)
VERB_CONTEXT_OP(POST_RECV, ibv_post_recv, post_recv, svb_post_recv)

// What queue pairs of this device have not, and answer as others without it: lacking.c
VERB_SYMBOL(QUERY_DATA_IN_ORDER, ibv_query_qp_data_in_order, 14, svb_query_data_in_order)
VERB_SYMBOL(SET_ECE, ibv_set_ece, 10, svb_set_ece)
VERB_SYMBOL(QUERY_ECE, ibv_query_ece, 10, svb_query_ece)
VERB_SYMBOL(ALLOC_DMAH, ibv_alloc_dmah, 15, svb_alloc_dmah)
SYMBOL(ibv_dealloc_dmah, 15, svb_dealloc_dmah)

// Address handles: ah.c, ahwc.c
VERB_SYMBOL(CREATE_AH, ibv_create_ah, 1, svb_create_ah)
VERB_SYMBOL(INIT_AH_FROM_WC, ibv_init_ah_from_wc, 1, svb_init_ah_from_wc)
VERB_SYMBOL(CREATE_AH_FROM_WC, ibv_create_ah_from_wc, 1, svb_create_ah_from_wc)
VERB_SYMBOL(DESTROY_AH, ibv_destroy_ah, 1, svb_destroy_ah)

// Asynchronous events: async.c
VERB_SYMBOL(GET_ASYNC_EVENT, ibv_get_async_event, 1, svb_get_async_event)
SYMBOL(ibv_ack_async_event, 1, svb_ack_async_event)

#undef VERB
#undef ALIAS
#undef SYMBOL
#undef SYMBOL_OF_SLOT
#undef OP
#undef CONTEXT_OP
#undef VERB_SYMBOL
#undef VERB_OP
#undef VERB_CONTEXT_OP

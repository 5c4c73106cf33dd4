// The layout of the structs that programs share with librdmacm, on 64-bit machines. abi.h includes it behind its own declarations, and
// a test behind those of the real header.
#define SCM_AT(type, member, at) _Static_assert(offsetof(struct type, member) == (at), #type "." #member)
#define SCM_SIZE(type, n) _Static_assert(sizeof(struct type) == (n), #type)

SCM_SIZE(rdma_event_channel, 4);
SCM_AT(rdma_event_channel, fd, 0);
SCM_SIZE(rdma_cm_id, 416);
SCM_AT(rdma_cm_id, verbs, 0);
SCM_AT(rdma_cm_id, channel, 8);
SCM_AT(rdma_cm_id, context, 16);
SCM_AT(rdma_cm_id, qp, 24);
SCM_AT(rdma_cm_id, route.addr.src_addr, 32);
SCM_AT(rdma_cm_id, route.addr.dst_addr, 160);
SCM_AT(rdma_cm_id, route.addr.addr.ibaddr.sgid, 288);
SCM_AT(rdma_cm_id, route.addr.addr.ibaddr.dgid, 304);
SCM_AT(rdma_cm_id, route.addr.addr.ibaddr.pkey, 320);
SCM_AT(rdma_cm_id, route.path_rec, 328);
SCM_AT(rdma_cm_id, route.num_paths, 336);
SCM_AT(rdma_cm_id, ps, 344);
SCM_AT(rdma_cm_id, port_num, 348);
SCM_AT(rdma_cm_id, event, 352);
SCM_AT(rdma_cm_id, send_cq_channel, 360);
SCM_AT(rdma_cm_id, send_cq, 368);
SCM_AT(rdma_cm_id, recv_cq_channel, 376);
SCM_AT(rdma_cm_id, recv_cq, 384);
SCM_AT(rdma_cm_id, srq, 392);
SCM_AT(rdma_cm_id, pd, 400);
SCM_AT(rdma_cm_id, qp_type, 408);
SCM_SIZE(rdma_conn_param, 24);
SCM_AT(rdma_conn_param, private_data_len, 8);
SCM_AT(rdma_conn_param, responder_resources, 9);
SCM_AT(rdma_conn_param, initiator_depth, 10);
SCM_AT(rdma_conn_param, flow_control, 11);
SCM_AT(rdma_conn_param, retry_count, 12);
SCM_AT(rdma_conn_param, rnr_retry_count, 13);
SCM_AT(rdma_conn_param, srq, 14);
SCM_AT(rdma_conn_param, qp_num, 16);
SCM_SIZE(rdma_ud_param, 56);
SCM_AT(rdma_ud_param, ah_attr, 16);
SCM_AT(rdma_ud_param, qp_num, 48);
SCM_AT(rdma_ud_param, qkey, 52);
SCM_SIZE(rdma_cm_event, 80);
SCM_AT(rdma_cm_event, listen_id, 8);
SCM_AT(rdma_cm_event, event, 16);
SCM_AT(rdma_cm_event, status, 20);
SCM_AT(rdma_cm_event, param, 24);
SCM_SIZE(ibv_sa_path_rec, 64);
SCM_AT(ibv_sa_path_rec, dlid, 32);
SCM_AT(ibv_sa_path_rec, raw_traffic, 36);
SCM_AT(ibv_sa_path_rec, flow_label, 40);
SCM_AT(ibv_sa_path_rec, hop_limit, 44);
SCM_AT(ibv_sa_path_rec, reversible, 48);
SCM_AT(ibv_sa_path_rec, pkey, 54);
SCM_AT(ibv_sa_path_rec, mtu, 58);
SCM_AT(ibv_sa_path_rec, packet_life_time, 62);

#undef SCM_AT
#undef SCM_SIZE

// The functions of this library, in one list. The exported symbols and the names that Manager.Fail takes are made from it, so a new
// function is its row here and its code.
//
//	VERB(ID, name, minor, result, parameters)    an exported function, of version RDMACM_1.minor; its code asks scm_fails for SCM_V_ID
//	VERB_OF_SLOT(ID, name, minor, result, parameters, ARGS)
//	                                             the same for a function whose parameters do not say which library is meant; ARGS(slot)
//	                                             are the arguments of its code, which comes first to know the slot
//	PLAIN(name, minor, result, parameters)       an exported function that cannot be told to fail
//
// The file has no guard: it is included once for each use, after the rows that the use needs are defined.
#ifndef VERB
#define VERB(id, name, minor, result, ...)
#endif
#ifndef VERB_OF_SLOT
#define VERB_OF_SLOT(id, name, minor, result, parameters, args)
#endif
#ifndef PLAIN
#define PLAIN(name, minor, result, ...)
#endif

// Channels and devices: channels.c, devices.c
VERB_OF_SLOT(CREATE_EVENT_CHANNEL, create_event_channel, 0, struct rdma_event_channel *, (void), SCM_NO_ARG)
PLAIN(destroy_event_channel, 0, void, struct rdma_event_channel *)
VERB_OF_SLOT(GET_DEVICES, get_devices, 0, struct ibv_context **, (int *num), SCM_NUM_ARG)
PLAIN(free_devices, 0, void, struct ibv_context **)
PLAIN(event_str, 0, const char *, enum rdma_cm_event_type)

// Events: events.c
VERB(GET_CM_EVENT, get_cm_event, 0, int, struct rdma_event_channel *, struct rdma_cm_event **)
PLAIN(ack_cm_event, 0, int, struct rdma_cm_event *)

// Identifiers and their addresses: ids.c
VERB(CREATE_ID, create_id, 0, int, struct rdma_event_channel *, struct rdma_cm_id **, void *, unsigned)
VERB(DESTROY_ID, destroy_id, 0, int, struct rdma_cm_id *)
VERB(MIGRATE_ID, migrate_id, 0, int, struct rdma_cm_id *, struct rdma_event_channel *)
VERB(BIND_ADDR, bind_addr, 0, int, struct rdma_cm_id *, struct sockaddr *)
VERB(RESOLVE_ADDR, resolve_addr, 0, int, struct rdma_cm_id *, struct sockaddr *, struct sockaddr *, int)
VERB(RESOLVE_ROUTE, resolve_route, 0, int, struct rdma_cm_id *, int)
VERB(SET_OPTION, set_option, 0, int, struct rdma_cm_id *, int, int, void *, size_t)
VERB(WRITE_CM_EVENT, write_cm_event, 4, int, struct rdma_cm_id *, enum rdma_cm_event_type, int, uint64_t)

// Queue pairs: qps.c
VERB(CREATE_QP, create_qp, 0, int, struct rdma_cm_id *, struct ibv_pd *, struct ibv_qp_init_attr *)
PLAIN(destroy_qp, 0, void, struct rdma_cm_id *)
VERB(INIT_QP_ATTR, init_qp_attr, 2, int, struct rdma_cm_id *, struct ibv_qp_attr *, int *)
VERB(SET_LOCAL_ECE, set_local_ece, 3, int, struct rdma_cm_id *, struct ibv_ece *)
VERB(GET_REMOTE_ECE, get_remote_ece, 3, int, struct rdma_cm_id *, struct ibv_ece *)

// Connections: connections.c
VERB(LISTEN, listen, 0, int, struct rdma_cm_id *, int)
VERB(CONNECT, connect, 0, int, struct rdma_cm_id *, struct rdma_conn_param *)
VERB(ACCEPT, accept, 0, int, struct rdma_cm_id *, struct rdma_conn_param *)
VERB(ESTABLISH, establish, 2, int, struct rdma_cm_id *)
VERB(REJECT, reject, 0, int, struct rdma_cm_id *, const void *, uint8_t)
VERB(REJECT_ECE, reject_ece, 3, int, struct rdma_cm_id *, const void *, uint8_t)
VERB(NOTIFY, notify, 0, int, struct rdma_cm_id *, enum ibv_event_type)
VERB(DISCONNECT, disconnect, 0, int, struct rdma_cm_id *)

// Groups: groups.c
VERB(JOIN_MULTICAST, join_multicast, 0, int, struct rdma_cm_id *, struct sockaddr *, void *)
VERB(LEAVE_MULTICAST, leave_multicast, 0, int, struct rdma_cm_id *, struct sockaddr *)

#undef VERB
#undef VERB_OF_SLOT
#undef PLAIN

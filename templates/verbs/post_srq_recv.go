//go:build ignore

//verbsgen:face int ibv_post_srq_recv(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_srq, struct ibv_context_ops
//verbsgen:requests struct ibv_recv_wr, struct ibv_sge, RecvRange
//verbsgen:posts SRQ.PostRecv posts the first n receive requests of a batch to the shared receive queue

package verbs

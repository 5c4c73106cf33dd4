//go:build ignore

//verbsgen:face int ibv_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_qp, struct ibv_context_ops
//verbsgen:requests struct ibv_recv_wr, struct ibv_sge, RecvRange
//verbsgen:posts QP.PostRecv posts the first n receive requests of a batch

package verbs

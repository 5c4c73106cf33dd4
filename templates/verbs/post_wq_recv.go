//go:build ignore

//verbsgen:face int ibv_post_wq_recv(struct ibv_wq *, struct ibv_recv_wr *, struct ibv_recv_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_wq
//verbsgen:requests struct ibv_recv_wr, struct ibv_sge, RecvRange
//verbsgen:posts WQ.PostRecv posts the first n receive requests of a batch to the work queue

package verbs

//go:build ignore

//verbsgen:face int ibv_post_srq_ops(struct ibv_srq *, struct ibv_ops_wr *, struct ibv_ops_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_srq, struct ibv_context, struct verbs_context
//verbsgen:requests struct ibv_ops_wr, struct ibv_sge, OpsRange
//verbsgen:posts SRQ.PostOps posts the first n operations of a batch on the tags of the queue. The batch then has the handles of added tags

package verbs

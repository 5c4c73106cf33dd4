//go:build ignore

//verbsgen:face int ibv_post_srq_ops(struct ibv_srq *, struct ibv_ops_wr *, struct ibv_ops_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_srq, struct ibv_context, struct verbs_context
//verbsgen:requests struct ibv_ops_wr, struct ibv_sge, OpsRange

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

var errPostSRQOps = fail.Once{Verb: "ibv_post_srq_ops", Kind: "SRQ"}

// PostOps posts the first n operations of a batch on the list of tags of the queue. The handle of each tag that
// is added can then be read in the batch. It is otherwise like QP.PostSend.
//
// C: ibv_post_srq_ops, ibv_post_srq_ops(3).
func (srq *SRQ) PostOps(b *dpath.OpsBatch, n int) (posted int, err error) {
	return srq.PostOpsRange(b.From(0, n))
}

// PostOpsRange is PostOps for a range of a batch, such as the requests that did not fit in a full queue.
func (srq *SRQ) PostOpsRange(r dpath.OpsRange) (posted int, err error) {
	if srq == nil {
		return 0, errPostSRQOps.Nil()
	}
	posted, errno := dpath.PostSRQOpsRange(&srq.gate, r)
	if errno != 0 {
		return posted, srq.refusedPostSRQOps(r, posted, errno)
	}
	return posted, nil
}

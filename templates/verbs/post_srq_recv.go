//go:build ignore

//verbsgen:face int ibv_post_srq_recv(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_srq, struct ibv_context_ops
//verbsgen:requests struct ibv_recv_wr, struct ibv_sge, RecvRange

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

var errPostSRQRecv = fail.Once{Verb: "ibv_post_srq_recv", Kind: "SRQ"}

// PostRecv posts the first n receive requests of a batch to the shared receive queue. It is otherwise like
// QP.PostSend.
//
// C: ibv_post_srq_recv, ibv_post_srq_recv(3).
func (srq *SRQ) PostRecv(b *dpath.RecvBatch, n int) (posted int, err error) {
	return srq.PostRecvRange(b.From(0, n))
}

// PostRecvRange is PostRecv for a range of a batch, such as the requests that did not fit in a full queue.
func (srq *SRQ) PostRecvRange(r dpath.RecvRange) (posted int, err error) {
	if srq == nil {
		return 0, errPostSRQRecv.Nil()
	}
	posted, errno := dpath.PostSRQRecvRange(&srq.gate, r)
	if errno != 0 {
		return posted, srq.refusedPostSRQRecv(r, posted, errno)
	}
	return posted, nil
}

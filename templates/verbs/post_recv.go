//go:build ignore

//verbsgen:face int ibv_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_qp, struct ibv_context_ops
//verbsgen:requests struct ibv_recv_wr, struct ibv_sge, RecvRange

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

var errPostRecv = fail.Once{Verb: "ibv_post_recv", Kind: "QP"}

// PostRecv posts the first n receive requests of a batch. It is otherwise like PostSend.
//
// C: ibv_post_recv, ibv_post_recv(3).
func (qp *QP) PostRecv(b *dpath.RecvBatch, n int) (posted int, err error) {
	return qp.PostRecvRange(b.From(0, n))
}

// PostRecvRange is PostRecv for a range of a batch, such as the requests that did not fit in a full queue.
func (qp *QP) PostRecvRange(r dpath.RecvRange) (posted int, err error) {
	if qp == nil {
		return 0, errPostRecv.Nil()
	}
	posted, errno := dpath.PostRecvRange(&qp.gate, r)
	if errno != 0 {
		return posted, qp.refusedPostRecv(r, posted, errno)
	}
	return posted, nil
}

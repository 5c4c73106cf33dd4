//go:build ignore

//verbsgen:face int ibv_post_wq_recv(struct ibv_wq *, struct ibv_recv_wr *, struct ibv_recv_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_wq
//verbsgen:requests struct ibv_recv_wr, struct ibv_sge, RecvRange

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

var errPostWQRecv = fail.Once{Verb: "ibv_post_wq_recv", Kind: "WQ"}

// PostRecv posts the first n receive requests of a batch to the work queue. It is otherwise like QP.PostSend.
//
// C: ibv_post_wq_recv, ibv_post_wq_recv(3).
func (wq *WQ) PostRecv(b *dpath.RecvBatch, n int) (posted int, err error) {
	return wq.PostRecvRange(b.From(0, n))
}

// PostRecvRange is PostRecv for a range of a batch, such as the requests that did not fit in a full queue.
func (wq *WQ) PostRecvRange(r dpath.RecvRange) (posted int, err error) {
	if wq == nil {
		return 0, errPostWQRecv.Nil()
	}
	posted, errno := dpath.PostWQRecvRange(&wq.gate, r)
	if errno != 0 {
		return posted, wq.refusedPostWQRecv(r, posted, errno)
	}
	return posted, nil
}

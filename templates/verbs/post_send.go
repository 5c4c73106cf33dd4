//go:build ignore

//verbsgen:face int ibv_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **)
//verbsgen:runtime
//verbsgen:reads struct ibv_sge, struct ibv_qp, struct ibv_context_ops
//verbsgen:requests struct ibv_send_wr, struct ibv_sge, SendRange

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

var errPostSend = fail.Once{Verb: "ibv_post_send", Kind: "QP"}

// fullPostSend returns the error of a full queue.
func (qp *QP) fullPostSend(r dpath.SendRange, errno syscall.Errno) error {
	if qp.quiet(r) {
		return errPostSend.FullQuiet(errno)
	}
	return errPostSend.Full(errno)
}

// quiet reports whether requests do not ask for completions.
func (qp *QP) quiet(r dpath.SendRange) bool {
	return qp.made != nil && qp.made.sq_sig_all == 0 && dpath.Quiet(r)
}

// PostSend posts the first n work requests of a batch in one call into C. It returns how many were posted: n,
// or the index of the first refused one and the reason. Close waits for a post; a later one, or one of a closed
// batch, fails with os.ErrClosed. If another goroutine posts the batch at the same time, the error is
// syscall.EBUSY. If the queue is full, it is ErrQueueFull. Otherwise it names the request, the state of the
// queue pair and the rules that the request breaks.
//
// C: ibv_post_send, ibv_post_send(3).
func (qp *QP) PostSend(b *dpath.SendBatch, n int) (posted int, err error) {
	return qp.PostSendRange(b.From(0, n))
}

// PostSendRange is PostSend for a range of a batch, such as the requests that did not fit in a full queue.
func (qp *QP) PostSendRange(r dpath.SendRange) (posted int, err error) {
	if qp == nil {
		return 0, errPostSend.Nil()
	}
	posted, errno := dpath.PostSendRange(&qp.gate, r)
	if errno != 0 {
		return posted, qp.refusedPostSend(r, posted, errno)
	}
	if qp.lib.lints.Wanted() {
		qp.hintPostSend(errPostSend.Verb, r)
	}
	return posted, nil
}

package dpath

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gate"
)

// SendRange is a range of requests of a SendBatch that is posted by itself: the rest after the queue was full, or a single request. It
// has three words and costs as much to post as the first requests of the batch.
type SendRange struct {
	batch    *SendBatch
	first, n int
}

// From returns the range of n requests from number first on. A post of it checks whether the batch has them.
func (b *SendBatch) From(first, n int) SendRange { return SendRange{b, first, n} }

// Len returns the number of requests.
func (r SendRange) Len() int { return r.n }

// Rest returns the range without its first posted requests.
func (r SendRange) Rest(posted int) SendRange {
	return SendRange{r.batch, r.first + posted, r.n - posted}
}

// Refused is SendBatch.Refused for the range.
func (r SendRange) Refused(errno syscall.Errno) error { return r.batch.Refused(r.first, r.n, errno) }

// PostSendRange posts a range: ibv_post_send(3). It returns how many of its requests were posted. That is 0 if PostSend would return
// an errno and no request.
func PostSendRange(qp *gate.Gate, r SendRange) (posted int, errno syscall.Errno) {
	bad, errno := PostSendFrom(qp, r.batch, r.first, r.n)
	if errno == 0 {
		return r.n, 0
	}
	return max(bad-r.first, 0), errno
}

// RecvRange is a range of requests of a RecvBatch, like SendRange: for example a receive that is posted again.
type RecvRange struct {
	batch    *RecvBatch
	first, n int
}

// From returns the range of n requests from number first on. A post of it checks whether the batch has them.
func (b *RecvBatch) From(first, n int) RecvRange { return RecvRange{b, first, n} }

// Len returns the number of requests.
func (r RecvRange) Len() int { return r.n }

// Rest returns the range without its first posted requests.
func (r RecvRange) Rest(posted int) RecvRange {
	return RecvRange{r.batch, r.first + posted, r.n - posted}
}

// Refused is RecvBatch.Refused for the range.
func (r RecvRange) Refused(errno syscall.Errno) error { return r.batch.Refused(r.first, r.n, errno) }

// PostRecvRange posts a range: ibv_post_recv(3). The results are those of PostSendRange.
func PostRecvRange(qp *gate.Gate, r RecvRange) (posted int, errno syscall.Errno) {
	bad, errno := PostRecvFrom(qp, r.batch, r.first, r.n)
	if errno == 0 {
		return r.n, 0
	}
	return max(bad-r.first, 0), errno
}

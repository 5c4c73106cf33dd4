package dpath

import (
	"syscall"
	"unsafe"
)

// SendRange is a part of a SendBatch, to be posted by itself: what is left when the queue was full, or one request. It is a value
// of three words, and posting it costs what posting from the beginning of the batch costs.
type SendRange struct {
	batch    *SendBatch
	first, n int
}

// From gives n requests from number first on. Whether the batch has them is asked when they are posted.
func (b *SendBatch) From(first, n int) SendRange { return SendRange{b, first, n} }

// Len gives the number of requests.
func (r SendRange) Len() int { return r.n }

// Rest gives the requests that are left when the first posted of them were posted.
func (r SendRange) Rest(posted int) SendRange {
	return SendRange{r.batch, r.first + posted, r.n - posted}
}

// Refused is SendBatch.Refused for the range.
func (r SendRange) Refused(errno syscall.Errno) error { return r.batch.Refused(r.first, r.n, errno) }

// PostSendRange posts a range: ibv_post_send(3). posted is how many of its requests were posted; with an errno that PostSend
// answers without a request, it is 0.
func PostSendRange(qp unsafe.Pointer, r SendRange) (posted int, errno syscall.Errno) {
	bad, errno := PostSendFrom(qp, r.batch, r.first, r.n)
	if errno == 0 {
		return r.n, 0
	}
	return max(bad-r.first, 0), errno
}

// RecvRange is a part of a RecvBatch, as SendRange is one of a SendBatch: one receive that is posted again, for example.
type RecvRange struct {
	batch    *RecvBatch
	first, n int
}

// From gives n requests from number first on. Whether the batch has them is asked when they are posted.
func (b *RecvBatch) From(first, n int) RecvRange { return RecvRange{b, first, n} }

// Len gives the number of requests.
func (r RecvRange) Len() int { return r.n }

// Rest gives the requests that are left when the first posted of them were posted.
func (r RecvRange) Rest(posted int) RecvRange {
	return RecvRange{r.batch, r.first + posted, r.n - posted}
}

// Refused is RecvBatch.Refused for the range.
func (r RecvRange) Refused(errno syscall.Errno) error { return r.batch.Refused(r.first, r.n, errno) }

// PostRecvRange posts a range: ibv_post_recv(3). Answers are those of PostSendRange.
func PostRecvRange(qp unsafe.Pointer, r RecvRange) (posted int, errno syscall.Errno) {
	bad, errno := PostRecvFrom(qp, r.batch, r.first, r.n)
	if errno == 0 {
		return r.n, 0
	}
	return max(bad-r.first, 0), errno
}

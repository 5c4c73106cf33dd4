package dpath

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Range is a range of requests of a batch that is posted by itself: the rest after the queue was full, a single request, or a receive
// that is posted again. It has three words and costs as much to post as the first requests of the batch.
type Range[W record] struct {
	batch    *requests[W]
	first, n int
}

// SendRange is a range of send requests, and RecvRange one of receive requests.
type (
	SendRange = Range[SendRequest]
	RecvRange = Range[RecvRequest]
)

// From returns the range of n requests from number first on. A post of it checks whether the batch has them.
func (b *SendBatch) From(first, n int) SendRange { return SendRange{b.requests(), first, n} }

// From returns the range of n requests from number first on. A post of it checks whether the batch has them.
func (b *RecvBatch) From(first, n int) RecvRange { return RecvRange{b.requests(), first, n} }

// Len returns the number of requests.
func (r Range[W]) Len() int { return r.n }

// Rest returns the range without its first posted requests.
func (r Range[W]) Rest(posted int) Range[W] { return Range[W]{r.batch, r.first + posted, r.n - posted} }

// Refused returns the error of a post of the range that returned errno and no request, if the batch is the reason: it is nil or closed
// (os.ErrClosed), has fewer requests (EINVAL), or was posted by another goroutine at the same time (EBUSY). Otherwise, also for an EBUSY of
// the provider, it returns nil.
func Refused[W record](r Range[W], errno syscall.Errno) error {
	return r.batch.refused(r.first, r.n, errno)
}

// PostSendRange posts a range to the send queue of a queue pair: ibv_post_send(3). It returns how many of its requests were posted. That
// is 0 if no request is at fault for the errno.
func PostSendRange(qp *gate.Gate, r SendRange) (posted int, errno syscall.Errno) {
	bad, errno := post(toSend, qp, r.batch, r.first, r.n)
	return r.posted(bad, errno), errno
}

// PostRecvRange posts a range to the receive queue of a queue pair: ibv_post_recv(3). The results are those of PostSendRange.
func PostRecvRange(qp *gate.Gate, r RecvRange) (posted int, errno syscall.Errno) {
	bad, errno := post(toRecv, qp, r.batch, r.first, r.n)
	return r.posted(bad, errno), errno
}

// PostSRQRecvRange posts a range to a shared receive queue (gate of a struct ibv_srq *): ibv_post_srq_recv(3).
func PostSRQRecvRange(srq *gate.Gate, r RecvRange) (posted int, errno syscall.Errno) {
	bad, errno := post(toSRQ, srq, r.batch, r.first, r.n)
	return r.posted(bad, errno), errno
}

// PostWQRecvRange posts a range to a work queue (gate of a struct ibv_wq *): ibv_post_wq_recv in verbs.h.
func PostWQRecvRange(wq *gate.Gate, r RecvRange) (posted int, errno syscall.Errno) {
	bad, errno := post(toWQ, wq, r.batch, r.first, r.n)
	return r.posted(bad, errno), errno
}

// Kinds of queues.
const (
	toSend = iota
	toRecv
	toSRQ
	toWQ
	toTags
)

// posted is how many requests of the range were posted.
func (r Range[W]) posted(bad int, errno syscall.Errno) int {
	switch {
	case errno == 0:
		return r.n
	case bad < 0: // no request of the range, which may begin below 0
		return 0
	}
	return bad - r.first
}

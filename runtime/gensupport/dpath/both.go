package dpath

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Posted is the result of PostAndPoll: that of the post, as PostSendRange returns it, and that of the poll, as PollSpin does.
type Posted struct {
	Requests    int           // posted
	PostErrno   syscall.Errno // 0 when all requests of the range were posted, or none because of PollErrno
	Completions int           // stored in the slice
	PollErrno   syscall.Errno
}

// unmade is the result when one of two queues is closed, which has the errno.
func unmade(qp, cq *gate.Gate) Posted {
	if qp.IsOpen() {
		return Posted{PollErrno: cq.Refusal()}
	}
	return Posted{PostErrno: qp.Refusal()}
}

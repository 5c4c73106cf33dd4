//go:build ignore

//verbsgen:face int ibv_poll_cq(struct ibv_cq *, int, struct ibv_wc *)
//verbsgen:runtime
//verbsgen:reads struct ibv_cq, struct ibv_context_ops
//verbsgen:unchecked the data path checks nothing before a call

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

var errPollCQ = fail.Once{Verb: "ibv_poll_cq", Kind: "CQ"}

// ErrOverrun is the error of a poll of a completion queue that was full and lost completions. It wraps syscall.EIO. A poll first returns
// the completions that the queue still has. It returns ErrOverrun only after Device.NextEvent has returned the event of type CQ_ERR;
// without a call of NextEvent, polls find an empty queue.
var ErrOverrun = verr.ErrOverrun

// PollInto takes up to len(wcs) completions from the queue and returns their number, 0 if there are none. Close waits for a poll; a poll
// after Close fails with os.ErrClosed. After an event of type CQ_ERR of the queue, a poll that finds no completion fails with ErrOverrun.
//
// C: ibv_poll_cq, ibv_poll_cq(3).
func (cq *CQ) PollInto(wcs []dpath.WC) (int, error) { return cq.PollSpin(wcs, 1) }

// PollSpin is PollInto, repeated up to tries times in one call into C, until there is a completion. tries
// below 1 means 1.
func (cq *CQ) PollSpin(wcs []dpath.WC, tries int) (int, error) {
	if cq == nil {
		return 0, errPollCQ.Nil()
	}
	n, errno := dpath.PollSpin(&cq.gate, wcs, tries)
	if errno != 0 {
		return 0, cq.dev.removed(errPollCQ.Errno(errno))
	}
	return n, nil
}

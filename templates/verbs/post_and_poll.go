//go:build ignore

//verbsgen:with ibv_post_send ibv_poll_cq QP CQ

package verbs

import (
	"errors"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// PostAndPoll is PostSendRange and then cq.PollSpin, with one call into C: the usual loop of a program, for half of what two calls cost.
// It returns how many requests of r were posted, and how many completions are in wcs. cq need not be the queue of qp. tries is the largest
// number of polls until there is a completion, as in PollSpin.
//
// PostAndPoll polls even if the post fails: if the queue is full (ErrQueueFull), the completions make room, and r.Rest(posted) is the
// range that is left to post. The error is that of the post, of the poll, or both, joined; n completions are valid even if there is an
// error. If qp or cq is nil or closed before the call, nothing is posted or polled. An empty range only polls.
//
// C: ibv_post_send, ibv_post_send(3); ibv_poll_cq, ibv_poll_cq(3).
func (qp *QP) PostAndPoll(r dpath.SendRange, cq *CQ, wcs []dpath.WC, tries int) (posted, n int, err error) {
	if qp == nil {
		return 0, 0, errPostSend.Nil()
	}
	if cq == nil {
		return 0, 0, errPollCQ.Nil()
	}
	p := dpath.PostAndPoll(&qp.gate, r, &cq.gate, wcs, tries)
	if p.PostErrno != 0 || p.PollErrno != 0 {
		return p.Requests, p.Completions, qp.failedPostAndPoll(r, p)
	}
	if qp.lib.lints.Wanted() {
		qp.hintPostSend(errPostSend.Verb, r)
	}
	return p.Requests, p.Completions, nil
}

func (qp *QP) failedPostAndPoll(r dpath.SendRange, p dpath.Posted) error {
	var post, poll error
	if p.PostErrno != 0 {
		post = qp.refusedPostSend(r, p.Requests, p.PostErrno)
	}
	if p.PollErrno != 0 {
		poll = qp.dev.removed(errPollCQ.Errno(p.PollErrno))
	}
	if post != nil && poll != nil {
		return errors.Join(post, poll)
	}
	if post != nil {
		return post
	}
	return poll
}

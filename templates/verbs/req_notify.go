//go:build ignore

//verbsgen:face int ibv_req_notify_cq(struct ibv_cq *, int)
//verbsgen:runtime
//verbsgen:reads struct ibv_cq, struct ibv_context_ops
//verbsgen:unchecked the data path checks nothing before a call

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

var ruleChannel = verr.Rule{ID: "VR-ibv_req_notify_cq-channel-0295", Verb: "ibv_req_notify_cq", Subject: "cq", Page: "ibv_req_notify_cq",
	Statement: "this CQ has no completion channel, so that no event will arrive", Fix: "create the queue with a channel"}

var errReqNotify = fail.Once{Verb: "ibv_req_notify_cq", Kind: "CQ"}

// ReqNotify requests one event on the queue's channel for the next completion, or with solicitedOnly for the
// next solicited or failed one. Poll again afterwards: earlier completions cause no event.
//
// C: ibv_req_notify_cq, ibv_req_notify_cq(3).
func (cq *CQ) ReqNotify(solicitedOnly bool) error {
	if cq == nil {
		return errReqNotify.Nil()
	}
	errno := dpath.ReqNotify(&cq.gate, solicitedOnly)
	if errno == fail.ErrnoNoChannel {
		return fail.Refuse(errReqNotify.Verb, verr.Violation{Rule: &ruleChannel})
	}
	if errno != 0 {
		return cq.dev.removed(errReqNotify.Errno(errno))
	}
	if cq.lib.lints.Wanted() && cq.Channel() == nil {
		cq.lib.lints.Report([]verr.Violation{{Rule: &ruleChannel}})
	}
	return nil
}

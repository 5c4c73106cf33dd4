//go:build ignore

//verbsgen:with ibv_poll_cq ibv_req_notify_cq ibv_get_cq_event CompChannel CQ ibv_start_poll

package verbs

import (
	"context"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Wait reads up to len(entries) entries of the CQ and returns their number; while there are none it sleeps, as CQ.Wait does.
//
// C: ibv_get_cq_event, ibv_get_cq_event(3).
func (r *CQReader) Wait(ctx context.Context, entries []WCEx) (int, error) {
	if r == nil || r.cq == nil {
		return 0, fail.NilValue("ibv_get_cq_event", "CQReader", "make one with CQ.Reader")
	}
	return r.cq.wait(ctx, len(entries), func() (int, error) { return r.PollInto(entries) })
}

package emit

// queues writes the data path: posting, polling and completion events, each one call into runtime/dpath.
func (e *emitter) queues(g *goFile) {
	if v := e.byVerb["ibv_post_send"]; v != nil {
		g.add("%s", doc("PostSend", "posts the first n work requests of a batch with one crossing into C. It gives how many were taken: n, or the index of the one that was refused, with the reason. It must not run while the queue pair is being closed", v.C, v.Page)+`
func (qp *QP) PostSend(b *dpath.SendBatch, n int) (posted int, err error) {
	if qp == nil || qp.c == nil {
		return 0, errPostSend.Closed("QP")
	}
	bad, errno := dpath.PostSend(qp.c, b, n)
	if errno != 0 {
		return max(bad, 0), errPostSend.Errno(errno)
	}
	return n, nil
}

var errPostSend = verr.Once{Verb: "ibv_post_send"}`)
	}
	if v := e.byVerb["ibv_post_send"]; v != nil && e.byVerb["ibv_create_ah"] != nil {
		g.add("%s", doc("Address", "has a SEND on an unreliable datagram queue pair go to the queue pair qpn behind the address handle, with its qkey. The handle must stay open until the request has completed", v.C, v.Page)+`
func (o *AH) Address(w *dpath.SendWR, qpn, qkey uint32) error {
	if o == nil || o.c == nil {
		return errPostSend.Closed("AH")
	}
	w.To(o.c, qpn, qkey)
	return nil
}`)
	}
	if v := e.byVerb["ibv_post_recv"]; v != nil {
		g.add("%s", doc("PostRecv", "posts the first n receive requests of a batch. It is otherwise as PostSend", v.C, v.Page)+`
func (qp *QP) PostRecv(b *dpath.RecvBatch, n int) (posted int, err error) {
	if qp == nil || qp.c == nil {
		return 0, errPostRecv.Closed("QP")
	}
	bad, errno := dpath.PostRecv(qp.c, b, n)
	if errno != 0 {
		return max(bad, 0), errPostRecv.Errno(errno)
	}
	return n, nil
}

var errPostRecv = verr.Once{Verb: "ibv_post_recv"}`)
	}
	if v := e.byVerb["ibv_poll_cq"]; v != nil {
		g.add("%s", doc("PollInto", "takes up to len(wcs) completions off the queue and gives how many; 0 when there are none now. It must not run while the queue is being closed", v.C, v.Page)+`
func (cq *CQ) PollInto(wcs []dpath.WC) (int, error) { return cq.PollSpin(wcs, 1) }

// PollSpin is PollInto that looks up to tries times until there is a completion, within one crossing into C.
func (cq *CQ) PollSpin(wcs []dpath.WC, tries int) (int, error) {
	if cq == nil || cq.c == nil {
		return 0, errPollCQ.Closed("CQ")
	}
	n, errno := dpath.PollSpin(cq.c, wcs, tries)
	if errno != 0 {
		return 0, errPollCQ.Errno(errno)
	}
	return n, nil
}

var errPollCQ = verr.Once{Verb: "ibv_poll_cq"}`)
	}
	if v := e.byVerb["ibv_req_notify_cq"]; v != nil {
		g.add("%s", doc("ReqNotify", "asks for one event on the queue's channel at the next completion, or with solicitedOnly at the next one of solicited work or with an error. Poll again after it: what completed before gives no event", v.C, v.Page)+`
func (cq *CQ) ReqNotify(solicitedOnly bool) error {
	const verb = "ibv_req_notify_cq"
	if err := cq.enter(verb); err != nil {
		return err
	}
	defer cq.node.Exit()
	if errno := dpath.ReqNotify(cq.c, solicitedOnly); errno != 0 {
		return verr.Failed(verb, errno, nil)
	}
	return nil
}`)
	}
	if e.byVerb["ibv_get_cq_event"] != nil && e.byVerb["ibv_create_comp_channel"] != nil && e.byVerb["ibv_create_cq"] != nil {
		e.events(g)
	}
}

// events writes the waiting for completion events.
func (e *emitter) events(g *goFile) {
	v := e.byVerb["ibv_get_cq_event"]
	g.add("%s", doc("CQEvent", "is a completion event. It is acknowledged by Done; until then its queue cannot be closed", v.C, v.Page)+`
type CQEvent struct {
	CQ   *CQ // the queue with completions; ask it for the next event by ReqNotify, then poll it
	ch   *CompChannel
	done atomic.Bool
}

// listen makes the channel's descriptor one that Go's poller waits on.
func (o *CompChannel) listen() (err error) {
	o.events, err = dpath.NewChannel(o.c, o.lib.fn[symIbv_get_cq_event], o.lib.fn[symIbv_ack_cq_events])
	return err
}`)
	g.add("%s", doc("Next", "waits for the next completion event. No thread is held while it waits; ctx ends the wait, and an event that comes then is kept for the next call", v.C, v.Page)+`
func (o *CompChannel) Next(ctx context.Context) (*CQEvent, error) {
	const verb = "ibv_get_cq_event"
	if err := o.enter(verb); err != nil {
		return nil, err
	}
	defer o.node.Exit()
	c, _, err := o.events.Next(ctx)
	if err != nil {
		return nil, err
	}
	for _, child := range o.node.Children() {
		if cq, ok := child.(*CQ); ok && cq.c == c {
			if err := cq.node.Enter(verb); err != nil {
				return nil, err
			}
			return &CQEvent{CQ: cq, ch: o}, nil
		}
	}
	return nil, &verr.Error{Verb: verb, Msg: "an event of a queue that is not open"}
}

// Done acknowledges the event. A second Done does nothing.
//
// C: ibv_ack_cq_events, ibv_get_cq_event(3).
func (e *CQEvent) Done() {
	if !e.done.Swap(true) {
		e.ch.events.Ack(e.CQ.c, 1)
		e.CQ.node.Exit()
	}
}`)
}

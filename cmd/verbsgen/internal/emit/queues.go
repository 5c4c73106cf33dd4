package emit

// queues writes the data path: posting and polling, each one call into runtime/dpath.
func (e *emitter) queues(g *goFile) {
	if v := e.byVerb["ibv_post_send"]; v != nil {
		g.add("%s", doc("PostSend", "posts the first n work requests of a batch with one crossing into C. It gives how many were taken: n, or the index of the one that was refused, with the reason. It must not run while the queue pair is being closed", v.C, v.Page)+`
func (qp *QP) PostSend(b *dpath.SendBatch, n int) (posted int, err error) {
	if qp == nil || qp.c == nil {
		return 0, errPostSend.Closed()
	}
	bad, errno := dpath.PostSend(qp.c, b, n)
	if errno != 0 {
		return max(bad, 0), errPostSend.Errno(errno)
	}
	return n, nil
}

var errPostSend = verr.Once{Verb: "ibv_post_send", Kind: "QP"}`)
	}
	if v := e.byVerb["ibv_post_send"]; v != nil && e.byVerb["ibv_create_ah"] != nil {
		g.add("%s", doc("Address", "has a SEND on an unreliable datagram queue pair go to the queue pair qpn behind the address handle, with its qkey. The handle must stay open until the request has completed. The error is os.ErrClosed, for a handle that is closed or nil", v.C, v.Page)+`
func (o *AH) Address(w *dpath.SendWR, qpn, qkey uint32) error {
	if o == nil || o.c == nil {
		return errAddress.Closed()
	}
	w.To(o.c, qpn, qkey)
	return nil
}

var errAddress = verr.Once{Verb: "ibv_post_send", Kind: "AH"}`)
	}
	if v := e.byVerb["ibv_post_recv"]; v != nil {
		g.add("%s", doc("PostRecv", "posts the first n receive requests of a batch. It is otherwise as PostSend", v.C, v.Page)+`
func (qp *QP) PostRecv(b *dpath.RecvBatch, n int) (posted int, err error) {
	if qp == nil || qp.c == nil {
		return 0, errPostRecv.Closed()
	}
	bad, errno := dpath.PostRecv(qp.c, b, n)
	if errno != 0 {
		return max(bad, 0), errPostRecv.Errno(errno)
	}
	return n, nil
}

var errPostRecv = verr.Once{Verb: "ibv_post_recv", Kind: "QP"}`)
	}
	if v := e.byVerb["ibv_poll_cq"]; v != nil {
		g.add("%s", doc("PollInto", "takes up to len(wcs) completions off the queue and gives how many; 0 when there are none now. It must not run while the queue is being closed", v.C, v.Page)+`
func (cq *CQ) PollInto(wcs []dpath.WC) (int, error) { return cq.PollSpin(wcs, 1) }

// PollSpin is PollInto that looks up to tries times until there is a completion, within one crossing into C.
func (cq *CQ) PollSpin(wcs []dpath.WC, tries int) (int, error) {
	if cq == nil || cq.c == nil {
		return 0, errPollCQ.Closed()
	}
	n, errno := dpath.PollSpin(cq.c, wcs, tries)
	if errno != 0 {
		return 0, errPollCQ.Errno(errno)
	}
	return n, nil
}

var errPollCQ = verr.Once{Verb: "ibv_poll_cq", Kind: "CQ"}`)
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
}

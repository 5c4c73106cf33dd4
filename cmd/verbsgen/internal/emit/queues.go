package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file makes the data path: posting and polling, each one call into runtime/dpath.

// onceErrors makes the errors of a method on the hot path, made once:
//
//	var errPostSend = verr.Once{Verb: "ibv_post_send", Kind: "QP"}
func (g *goFile) onceErrors(name string, v *model.Verb, kind string) {
	g.decl("", jen.Var().Id(name).Op("=").Add(rt("verr", "Once")).Values(key("Verb", jen.Lit(v.C)), key("Kind", jen.Lit(kind))))
}

// ifNoHandle refuses a nil handle, by errors made once; the call below looks whether it is closed:
//
//	if qp == nil {
//		return 0, errPostSend.Closed()
//	}
func ifNoHandle(h *jen.Statement, errs string, f fail) *jen.Statement {
	return jen.If(isNil(h)).Block(f.with(id(errs, "Closed").Call()))
}

// gateOf is the gate of a handle on the data path: &qp.gate.
func gateOf(h string) *jen.Statement { return ref(id(h, "gate")) }

// ifErrno returns the error of an errno that is not 0, or of something closed, made once:
//
//	if errno != 0 {
//		return 0, errPollCQ.Errno(errno)
//	}
func ifErrno(errs string, f fail) *jen.Statement {
	return jen.If(op(id("errno"), "!=", jen.Lit(0))).Block(f.with(id(errs, "Errno").Call(id("errno"))))
}

// post makes the posting of a batch:
//
//	func (qp *QP) PostSend(b *dpath.SendBatch, n int) (posted int, err error) {
//		if qp == nil {
//			return 0, errPostSend.Closed()
//		}
//		bad, errno := dpath.PostSend(&qp.gate, b, n)
//		if errno != 0 {
//			return max(bad, 0), errPostSend.Errno(errno)
//		}
//		return n, nil
//	}
func (e *emitter) post(g *goFile, v *model.Verb, m *model.Method, call, batch, does string) {
	errs := "err" + call
	g.fn(fn{
		doc:  doc(m.Name, does, v.C, v.Page),
		recv: recv("qp", m.Recv), name: m.Name,
		params:  []jen.Code{jen.Id("b").Op("*").Add(rt("dpath", batch)), param("n", "int")},
		results: []jen.Code{param("posted", "int"), jen.Id("err").Error()},
		body: []jen.Code{
			ifNoHandle(id("qp"), errs, fail{jen.Lit(0)}),
			define("bad", "errno").Add(rt("dpath", call)).Call(gateOf("qp"), id("b"), id("n")),
			ifErrno(errs, fail{jen.Id("max").Call(id("bad"), jen.Lit(0))}),
			jen.Return(id("n"), jen.Nil()),
		},
	})
	g.onceErrors(errs, v, m.Recv)
}

func (e *emitter) postSend(g *goFile, v *model.Verb, m *model.Method) {
	e.post(g, v, m, "PostSend", "SendBatch", "posts the first n work requests of a batch with one crossing into C. It gives how many were taken: n, or the index of the one that was refused, with the reason. Close waits for a post; one that comes later, or with a closed batch, is os.ErrClosed")
}

func (e *emitter) postRecv(g *goFile, v *model.Verb, m *model.Method) {
	does := "posts the first n receive requests of a batch"
	if e.has(form.PostSend) {
		does += ". It is otherwise as " + e.byForm[form.PostSend].m.Name
	}
	e.post(g, v, m, "PostRecv", "RecvBatch", does)
}

// address makes the addressing of a datagram:
//
//	func (o *AH) Address(w *dpath.SendWR, qpn, qkey uint32) error {
//		if o == nil || !o.gate.IsOpen() {
//			return errAddress.Closed()
//		}
//		w.To(o.c, qpn, qkey)
//		return nil
//	}
func (e *emitter) address(g *goFile, v *model.Verb, m *model.Method) {
	g.fn(fn{
		doc:  doc(m.Name, "has a SEND on an unreliable datagram queue pair go to the queue pair qpn behind the address handle, with its qkey. The handle must stay open until the request has completed. The error is os.ErrClosed, for a handle that is closed or nil", v.C, v.Page),
		recv: recv("o", m.Recv), name: m.Name,
		params:  []jen.Code{jen.Id("w").Op("*").Add(rt("dpath", "SendWR")), jen.List(id("qpn"), id("qkey")).Uint32()},
		results: errResult(),
		body: []jen.Code{
			jen.If(isNil(id("o")).Op("||").Op("!").Add(id("o.gate.IsOpen")).Call()).Block(jen.Return(id("errAddress.Closed").Call())),
			id("w.To").Call(id("o.c"), id("qpn"), id("qkey")),
			jen.Return(jen.Nil()),
		},
	})
	g.onceErrors("errAddress", v, m.Recv)
}

// poll makes PollInto, and PollSpin below it:
//
//	func (cq *CQ) PollInto(wcs []dpath.WC) (int, error) { return cq.PollSpin(wcs, 1) }
//
//	func (cq *CQ) PollSpin(wcs []dpath.WC, tries int) (int, error) {
//		if cq == nil {
//			return 0, errPollCQ.Closed()
//		}
//		n, errno := dpath.PollSpin(&cq.gate, wcs, tries)
//		if errno != 0 {
//			return 0, errPollCQ.Errno(errno)
//		}
//		return n, nil
//	}
func (e *emitter) poll(g *goFile, v *model.Verb, m *model.Method) {
	wcs, none := param("wcs", "[]dpath.WC"), fail{jen.Lit(0)}
	g.fn(fn{
		doc:  doc(m.Name, "takes up to len(wcs) completions off the queue and gives how many; 0 when there are none now. Close waits for a poll; one that comes later is os.ErrClosed", v.C, v.Page),
		recv: recv("cq", m.Recv), name: m.Name, params: []jen.Code{wcs}, results: errResult(jen.Int()),
		body: []jen.Code{jen.Return(id("cq.PollSpin").Call(id("wcs"), jen.Lit(1)))}, short: true,
	})
	g.fn(fn{
		doc:  "// PollSpin is " + m.Name + " that looks up to tries times until there is a completion, within one crossing into C.",
		recv: recv("cq", m.Recv), name: "PollSpin", params: []jen.Code{wcs, param("tries", "int")}, results: errResult(jen.Int()),
		body: []jen.Code{
			ifNoHandle(id("cq"), "errPollCQ", none),
			define("n", "errno").Add(rt("dpath", "PollSpin")).Call(gateOf("cq"), id("wcs"), id("tries")),
			ifErrno("errPollCQ", none),
			jen.Return(id("n"), jen.Nil()),
		},
	})
	g.onceErrors("errPollCQ", v, m.Recv)
}

// reqNotify makes the arming of a queue:
//
//	func (cq *CQ) ReqNotify(solicitedOnly bool) error {
//		if cq == nil {
//			return errReqNotify.Closed()
//		}
//		errno := dpath.ReqNotify(&cq.gate, solicitedOnly)
//		if errno != 0 {
//			return errReqNotify.Errno(errno)
//		}
//		return nil
//	}
func (e *emitter) reqNotify(g *goFile, v *model.Verb, m *model.Method) {
	const errs = "errReqNotify"
	g.fn(fn{
		doc:  doc(m.Name, "asks for one event on the queue's channel at the next completion, or with solicitedOnly at the next one of solicited work or with an error. Poll again after it: what completed before gives no event", v.C, v.Page),
		recv: recv("cq", m.Recv), name: m.Name, params: []jen.Code{param("solicitedOnly", "bool")}, results: errResult(),
		body: []jen.Code{
			ifNoHandle(id("cq"), errs, nil),
			define("errno").Add(rt("dpath", "ReqNotify")).Call(gateOf("cq"), id("solicitedOnly")),
			ifErrno(errs, nil),
			jen.Return(jen.Nil()),
		},
	})
	g.onceErrors(errs, v, m.Recv)
}

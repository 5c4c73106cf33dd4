package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file plans the data path: posting and polling, each one call into runtime/dpath.

// hot plans a method of the data path and the errors of it, made once.
func hot(v *model.Verb, m *model.Method, recv, does, errs string, params, results []Var, steps ...Step) []Decl {
	return []Decl{&Method{Doc: Doc{Does: does, C: v.C, Page: v.Page}, Recv: Var{Name: recv, Type: "*" + m.Recv}, Name: m.Name, Verb: v, Params: params,
		Results: results, Zero: zeros(results), Steps: append([]Step{Refuse{as(IsNil, recv), result(errs + ".Closed")}}, steps...)}, Once{errs, v.C, m.Recv}}
}

// errnoOf is the error of an errno, made once.
func errnoOf(errs string) Value { return result(errs+".Errno", val("errno")) }

// zeros are the values before the error of a method that returns a number, or nothing.
func zeros(results []Var) []Value {
	if len(results) > 1 {
		return []Value{zero}
	}
	return nil
}

// post plans the posting of the first requests of a batch, and of any range of it below.
func (b *builder) post(v *model.Verb, m *model.Method, call, kind, does string) []Decl {
	recv := v.Params[0].Go
	errs, out := "err"+call, []Var{{Name: "posted", Type: "int"}, {Name: "err", Type: "error"}}
	first := &Method{Doc: Doc{Does: does, C: v.C, Page: v.Page}, Recv: Var{Name: recv, Type: "*" + m.Recv}, Name: m.Name, Verb: v,
		Params: []Var{{Name: "b", Type: "*dpath." + kind + "Batch"}, {Name: "n", Type: "int"}}, Results: out, Short: true,
		Steps: []Step{ret(result(recv+"."+m.Name+"Range", result("b.From", zero, val("n"))))}}
	ranges := hot(v, m, recv, "", errs, []Var{{Name: "r", Type: "dpath." + kind + "Range"}}, out,
		Batch{Into: "posted", Call: of("dpath", call+"Range", as(Address, recv+".gate"), val("r")), Failed: result(recv+".refused"+v.Go, val("r"), val("posted"), val("errno")), Else: val("posted")},
		ret(val("posted"), null))
	below := ranges[0].(*Method)
	below.Name, below.Doc = m.Name+"Range", Doc{Text: m.Name + "Range is " + m.Name + " for a range of a batch, such as the requests that did not fit in a full queue."}
	return append(append([]Decl{first}, ranges...), b.explain(v, m, errs, kind)...)
}

func (b *builder) postSend(v *model.Verb, m *model.Method) []Decl {
	return b.post(v, m, "PostSend", "Send", "posts the first n work requests of a batch in one call into C. It returns how many were posted: n, or the index of the first refused one and the reason. Close waits for a post; a later one, or one of a closed batch, fails with os.ErrClosed. If another goroutine posts the batch at the same time, the error is syscall.EBUSY. If the queue is full, it is ErrQueueFull. Otherwise it names the request, the state of the queue pair and the rules that the request breaks")
}

func (b *builder) postRecv(v *model.Verb, m *model.Method) []Decl {
	return b.receives(v, m, "PostRecv", "posts the first n receive requests of a batch")
}

func (b *builder) postSRQRecv(v *model.Verb, m *model.Method) []Decl {
	return b.receives(v, m, "PostSRQRecv", "posts the first n receive requests of a batch to the shared receive queue")
}

func (b *builder) postWQRecv(v *model.Verb, m *model.Method) []Decl {
	return b.receives(v, m, "PostWQRecv", "posts the first n receive requests of a batch to the work queue")
}

func (b *builder) postSRQOps(v *model.Verb, m *model.Method) []Decl {
	does := "posts the first n operations of a batch on the list of tags of the queue. The handle of each tag that is added can then be read in the batch"
	if b.has(form.PostSend) {
		does += ". It is otherwise as " + b.byForm[form.PostSend].m.Name
	}
	return b.post(v, m, "PostSRQOps", "Ops", does)
}

// receives plans the posting of receives to a kind of queue.
func (b *builder) receives(v *model.Verb, m *model.Method, call, does string) []Decl {
	if b.has(form.PostSend) {
		does += ". It is otherwise as " + b.byForm[form.PostSend].m.Name
	}
	return b.post(v, m, call, "Recv", does)
}

// address plans the addressing of a datagram.
func (b *builder) address(v *model.Verb, m *model.Method) []Decl {
	out := hot(v, m, "o", "has a SEND on an unreliable datagram queue pair go to the queue pair qpn behind the address handle, with its qkey. The handle must stay open until the request has completed; a post after its Close is refused (os.ErrClosed). The error is os.ErrClosed, for a handle that is closed or nil",
		"errAddress", []Var{{Name: "w", Type: "*dpath.SendWR"}, {Name: "qpn"}, {Name: "qkey", Type: "uint32"}}, errOnly,
		Do{result("o.gate.To", val("w"), val("qpn"), val("qkey"))}, ret(null))
	m0 := out[0].(*Method) // it makes no call into C, which would look at the gate
	m0.Steps = slices.Insert(m0.Steps, 1, Step(Refuse{as(IsClosed, "o"), result("errAddress.Errno", result("o.gate.Refusal"))}))
	return out
}

// poll plans PollInto, and PollSpin below it.
func (b *builder) poll(v *model.Verb, m *model.Method) []Decl {
	wcs, n := Var{Name: "wcs", Type: "[]dpath.WC"}, []Var{{Type: "int"}, {Type: "error"}}
	into := &Method{Doc: Doc{Does: "takes up to len(wcs) completions from the queue and returns their number, 0 if there are none. Close waits for a poll; a later one fails with os.ErrClosed", C: v.C, Page: v.Page},
		Recv: Var{Name: "cq", Type: "*" + m.Recv}, Name: m.Name, Verb: v, Params: []Var{wcs}, Results: n, Short: true,
		Steps: []Step{ret(result("cq.PollSpin", val("wcs"), number(1)))}}
	spin := hot(v, m, "cq", "", "errPollCQ", []Var{wcs, {Name: "tries", Type: "int"}}, n,
		Batch{Into: "n", Call: of("dpath", "PollSpin", as(Address, "cq.gate"), val("wcs"), val("tries")), Failed: errnoOf("errPollCQ"), Else: zero},
		ret(val("n"), null))
	below := spin[0].(*Method)
	below.Name, below.Doc = "PollSpin", Doc{Text: "PollSpin is " + m.Name + ", repeated up to tries times in one call into C, until there is a completion."}
	return append([]Decl{into}, spin...)
}

// reqNotify plans the arming of a queue.
func (b *builder) reqNotify(v *model.Verb, m *model.Method) []Decl {
	return hot(v, m, "cq", "requests one event on the queue's channel for the next completion, or with solicitedOnly for the next solicited or failed one. Poll again afterwards: earlier completions cause no event",
		"errReqNotify", []Var{{Name: "solicitedOnly", Type: "bool"}}, errOnly,
		Batch{Call: of("dpath", "ReqNotify", as(Address, "cq.gate"), val("solicitedOnly")), Failed: errnoOf("errReqNotify")}, ret(null))
}

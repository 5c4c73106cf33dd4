package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// rereg makes the change of a memory region in place: its set of changes, and the method that makes them.
func (e *emitter) rereg(g *goFile, v *model.Verb, m *model.Method) {
	p := reregParams(v)
	access := p.access.GoType
	g.structType("// MRChange is a set of changes to a memory region, made by one call of "+m.Recv+"."+m.Name+`.
//
// C: the arguments of `+v.C+", "+page(v.Page)+".", "MRChange",
		param("pd", p.pd.GoType),
		param("access", access),
		remark(jen.Id("what").Add(rt("rereg", "Change")), "the new memory, and the flags"))
	e.changeSetters(g, p)
	e.changeRegion(g, v, m)
}

// changed are the parameters of a change, in the order of the form's signature.
type changed struct{ mr, flags, pd, addr, length, access *model.Param }

func reregParams(v *model.Verb) changed {
	p := v.Params
	return changed{p[0], p[1], p[2], p[3], p[4], p[5]}
}

// changeSetters makes the methods that say what to change. The flags follow from what is given, so that they and the other
// arguments cannot disagree.
//
//	func (c *MRChange) PD(pd *PD) *MRChange {
//		c.pd = pd
//		c.what.Flags |= 0x2
//		return c
//	}
func (e *emitter) changeSetters(g *goFile, p changed) {
	set := func(doc, name string, params []jen.Code, body ...jen.Code) {
		g.fn(fn{doc: doc, recv: recv("c", "MRChange"), name: name, params: params, results: []jen.Code{ptr("MRChange")}, body: append(body, jen.Return(id("c")))})
	}
	flag := func(p *model.Param) *jen.Statement { return op(id("c.what.Flags"), "|=", inHex(uint64(p.Bit.Value))) }
	memory := func(source string, args ...jen.Code) *jen.Statement {
		return id("c.what.Memory").Call(inHex(uint64(p.addr.Bit.Value)), rt("mem", source).Call(args...))
	}
	set("// PD moves the region to another protection domain of the same device. C: "+p.pd.Bit.C+".",
		"PD", []jen.Code{param("pd", p.pd.GoType)}, assign(id("c.pd"), id("pd")), flag(p.pd))
	set(`// Memory makes the region cover buf, which is pinned until the region covers other memory or is closed.
// C: `+p.addr.Bit.C+".",
		"Memory", []jen.Code{param("buf", "[]byte")}, memory("FromBytes", id("buf")))
	set(`// Buffer makes the region cover buf, which cannot be closed until the region covers other memory or is closed.
// C: `+p.addr.Bit.C+".",
		"Buffer", []jen.Code{param("buf", "*mem.Buffer")}, memory("FromBuffer", id("buf")))
	set("// Addr makes the region cover memory that the caller keeps mapped. C: "+p.addr.Bit.C+".",
		"Addr", []jen.Code{param("addr", "uintptr"), param("length", "uint64")}, memory("FromAddr", id("addr"), id("length")))
	set("// Access gives the region other access. C: "+p.access.Bit.C+".",
		"Access", []jen.Code{param("access", p.access.GoType)}, assign(id("c.access"), id("access")), flag(p.access))
}

// changeRegion makes the method:
//
//	func (mr *MR) Rereg(change *MRChange) error {
//		const verb = "ibv_rereg_mr"
//		... mr and the protection domain entered
//		held, err := change.what.Take(verb, mr.node.String())
//		if err != nil {
//			return err
//		}
//		... rules
//		mr.mu.Lock()
//		defer mr.mu.Unlock()
//		code, errno := rawReregMR(mr.lib.fn[symIbv_rereg_mr], mr.c, change.what.Flags, pdC, held.Addr, held.Len, int32(change.access))
//		return change.what.Settle(verb, code, errno, ...)
//	}
func (e *emitter) changeRegion(g *goFile, v *model.Verb, m *model.Method) {
	p := reregParams(v)
	c := &call{e: e, v: v, m: m, recv: p.mr, cleanup: []jen.Code{id("held.Release").Call()}, in: map[string]*jen.Statement{
		p.mr.C: addrOf(id("mr.c")), p.flags.C: jen.Uint64().Call(id("change.what.Flags")), p.pd.C: addrOf(id("pdC")),
		p.addr.C: jen.Uint64().Call(id("held.Addr")), p.length.C: id("held.Len"), p.access.C: jen.Uint64().Call(id("change.access"))}}
	raw := e.callShim(v, id("mr.lib"), id("mr.c"), id("change.what.Flags"), id("pdC"), id("held.Addr"), id("held.Len"), jen.Int32().Call(id("change.access")))
	g.fn(fn{
		doc:  doc(m.Name, v.Doc, v.C, v.Page, m.Doc, c.ruleList()),
		recv: recv("mr", m.Recv), name: m.Name, params: []jen.Code{param("change", "*MRChange")}, results: errResult(),
		body: slices.Concat(
			[]jen.Code{constVerb(v.C), c.refuseNil(id("change"), "MRChange", "make one with new(MRChange)")},
			enterHandle(id("mr"), nil),
			[]jen.Code{e.missingCheck(v, id("mr.lib"), nil)},
			c.enterNewDomain(),
			[]jen.Code{define("held", "err").Id("change").Dot("what").Dot("Take").Call(id("verb"), id("mr.node.String").Call()), c.fail.ifErr()},
			c.rules(),
			lockUntilReturn(id("mr.mu")),
			[]jen.Code{define("code", "errno").Add(raw), c.settle()}),
	})
}

// enterNewDomain enters the protection domain that the region moves to:
//
//	var pdC unsafe.Pointer
//	if change.pd != nil {
//		... change.pd entered
//		if change.pd.dev != mr.dev {
//			return rereg.OtherDevice(verb)
//		}
//		pdC = change.pd.c
//	}
func (c *call) enterNewDomain() []jen.Code {
	pd := id("change.pd")
	return []jen.Code{
		jen.Var().Id("pdC").Add(unsafePointer()),
		c.enterIfGiven(pd,
			jen.If(op(dot(pd, "dev"), "!=", id("mr.dev"))).Block(c.fail.with(rt("rereg", "OtherDevice").Call(id("verb")))),
			assign(id("pdC"), dot(pd, "c"))),
	}
}

// settle decides who holds which memory after the call:
//
//	return change.what.Settle(verb, code, errno, rereg.Region{
//		Node: &mr.node, From: nodeOfPD(mr.pd), To: nodeOfPD(change.pd), Release: &mr.release, New: held,
//		Changed: func() {
//			if change.pd != nil {
//				mr.pd = change.pd
//			}
//			mr.load()
//			mr.node.SetLabel(mr.label())
//		},
//	})
func (c *call) settle() *jen.Statement {
	pd := reregParams(c.v).pd.Object
	changed := jen.Func().Params().Block(
		jen.If(notNil(id("change.pd"))).Block(assign(id("mr.pd"), id("change.pd"))),
		id("mr.load").Call(),
		id("mr.node.SetLabel").Call(id("mr.label").Call()))
	region := rt("rereg", "Region").Add(lines(
		key("Node", ref(id("mr.node"))),
		key("From", c.e.nodeOf(pd).Call(id("mr.pd"))),
		key("To", c.e.nodeOf(pd).Call(id("change.pd"))),
		key("Release", ref(id("mr.release"))),
		key("New", id("held")),
		key("Changed", changed)))
	return jen.Return(id("change.what.Settle").Call(id("verb"), id("code"), id("errno"), region))
}

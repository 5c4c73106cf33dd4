package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// rereg makes the change of a memory region in place: its set of changes, and the method that makes them.
func (e *emitter) rereg(g *goFile, v *model.Verb, m *model.Method) {
	access := "uint32"
	if p := v.Param("access"); p != nil && p.Enum != nil {
		access = p.Enum.Go
	}
	g.structType("// MRChange is a set of changes to a memory region, made by one call of MR."+m.Name+`.
//
// C: the arguments of ibv_rereg_mr, `+page(v.Page)+".", "MRChange",
		param("pd", "*PD"),
		param("access", access),
		remark(jen.Id("what").Add(rt("rereg", "Change")), "the new memory, and the flags"))
	e.changeSetters(g, access)
	e.changeRegion(g, v, m)
}

// changeSetters makes the methods that say what to change. The flags follow from what is given, so that they and the other
// arguments cannot disagree.
//
//	func (c *MRChange) PD(pd *PD) *MRChange {
//		c.pd = pd
//		c.what.Flags |= 0x2
//		return c
//	}
func (e *emitter) changeSetters(g *goFile, access string) {
	set := func(doc, name string, params []jen.Code, body ...jen.Code) {
		g.fn(fn{doc: doc, recv: recv("c", "MRChange"), name: name, params: params, results: []jen.Code{ptr("MRChange")}, body: append(body, jen.Return(id("c")))})
	}
	flag := func(c string) *jen.Statement { return op(id("c.what.Flags"), "|=", inHex(e.constant(c))) }
	memory := func(source string, args ...jen.Code) *jen.Statement {
		return id("c.what.Memory").Call(inHex(e.constant("IBV_REREG_MR_CHANGE_TRANSLATION")), rt("mem", source).Call(args...))
	}
	set("// PD moves the region to another protection domain of the same device. C: IBV_REREG_MR_CHANGE_PD.",
		"PD", []jen.Code{param("pd", "*PD")}, assign(id("c.pd"), id("pd")), flag("IBV_REREG_MR_CHANGE_PD"))
	set(`// Memory makes the region cover buf, which is pinned until the region covers other memory or is closed.
// C: IBV_REREG_MR_CHANGE_TRANSLATION.`,
		"Memory", []jen.Code{param("buf", "[]byte")}, memory("FromBytes", id("buf")))
	set(`// Buffer makes the region cover buf, which cannot be closed until the region covers other memory or is closed.
// C: IBV_REREG_MR_CHANGE_TRANSLATION.`,
		"Buffer", []jen.Code{param("buf", "*mem.Buffer")}, memory("FromBuffer", id("buf")))
	set("// Addr makes the region cover memory that the caller keeps mapped. C: IBV_REREG_MR_CHANGE_TRANSLATION.",
		"Addr", []jen.Code{param("addr", "uintptr"), param("length", "uint64")}, memory("FromAddr", id("addr"), id("length")))
	set("// Access gives the region other access. C: IBV_REREG_MR_CHANGE_ACCESS.",
		"Access", []jen.Code{param("access", access)}, assign(id("c.access"), id("access")), flag("IBV_REREG_MR_CHANGE_ACCESS"))
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
	c := &call{e: e, v: v, m: m, recv: v.Param("mr"), cleanup: []jen.Code{id("held.Release").Call()}, in: map[string]*jen.Statement{
		"mr": addrOf(id("mr.c")), "flags": jen.Int64().Call(id("change.what.Flags")), "pd": addrOf(id("pdC")),
		"addr": jen.Uint64().Call(id("held.Addr")), "length": id("held.Len"), "access": jen.Uint64().Call(id("change.access"))}}
	if v.Param("flags").Enum != nil {
		c.in["flags"] = jen.Uint64().Call(id("change.what.Flags"))
	}
	raw := e.callShim(v, id("mr.lib"), id("mr.c"), id("change.what.Flags"), id("pdC"), id("held.Addr"), id("held.Len"), jen.Int32().Call(id("change.access")))
	g.fn(fn{
		doc:  doc(m.Name, v.Doc, v.C, v.Page, m.Doc, c.ruleList()),
		recv: recv("mr", "MR"), name: m.Name, params: []jen.Code{param("change", "*MRChange")}, results: errResult(),
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
	pd := c.v.Param("pd").Object
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

// constant is the value of a C constant of the release, 0 when it has none.
func (e *emitter) constant(name string) uint64 {
	if c := e.consts[name]; c != nil {
		return c.Uint64()
	}
	return 0
}

package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
	"github.com/verbsgen/verbsgen/spec"
)

// This file prints handles. What they do is in runtime/gensupport/object: a type has the fields and methods that are its own, and faces
// with a comment for the others.

// handle prints the type of a handle.
func (e *emitter) handle(g *goFile, h plan.Handle) {
	o := h.Object
	fields := []plan.Var{{Name: "h", Type: "object.Handle"}, {Name: "lib", Type: "*Lib"}}
	if h.Owner != "Lib" {
		fields = append(fields, plan.Var{Name: "dev", Type: "*" + h.Owner})
	}
	fields = append(fields, h.Fields...)
	if o.Device { // copies find it at the address of the handle, also that of nil
		i := slices.IndexFunc(fields, func(v plan.Var) bool { return v.Type == "devmem.DM" })
		fields = slices.Concat(fields[i:i+1], fields[:i], fields[i+1:])
	}
	does := plan.Says("handle", plan.Words{"Is": strings.TrimSuffix(naming.Lower(o.Doc), ".")})
	g.planned(&plan.Struct{Doc: plan.Doc{Does: does, C: "struct " + o.C, Page: o.Page}, Name: o.Go, Fields: fields})
	g.nilHandle(h)
	g.newHandle(h)
	if h.Reload {
		g.fn(fn{doc: says("load", plan.Words{"C": o.C}),
			recv: recv(h.Recv, o.Go), name: "load", body: loads(h, h.Recv)})
	}
	for _, m := range h.Ends {
		e.method(g, m)
	}
	g.closes(h)
	g.getters(h)
}

// nilHandle prints what gives the common part of a handle:
//
//	func (o *MR) base() *object.Handle {
//		if o == nil {
//			return object.Nil("MR", "ibv_dereg_mr")
//		}
//		return o.h.Or("MR", "ibv_dereg_mr")
//	}
func (g *goFile) nilHandle(h plan.Handle) {
	o := h.Object
	named := []jen.Code{jen.Lit(o.Go), jen.Lit(o.Destroy.C)}
	none, never := rt("object", "Nil").Call(named...), id(h.Recv, "h.Or").Call(named...)
	g.fn(fn{doc: says("base", plan.Words{"Object": o.Go}),
		recv: recv(h.Recv, o.Go), name: "base", results: []jen.Code{ptr("object.Handle")},
		body: []jen.Code{jen.If(isNil(id(h.Recv))).Block(jen.Return(none)), jen.Return(never)}})
}

// newHandle prints the constructor from a C object:
//
//	func newMR(dev *Device, c unsafe.Pointer) *MR {
//		o := &MR{lib: dev.lib, dev: dev}
//		o.h.Make(o, "MR", dev.h.Origin, c, "ibv_dereg_mr", o.deregMR)
//		o.h.Guard = &o.named
//		o.named.Open(c)
//		o.load()
//		return o
//	}
func (g *goFile) newHandle(h plan.Handle) {
	o, owner, lib, origin := h.Object, "dev", id("dev.lib"), id("dev.h.Origin")
	if h.Owner == "Lib" {
		owner, lib, origin = "lib", id("lib"), rt("object", "Origin").Values(key("Lib", id("lib")))
		if h.Root {
			origin = rt("object", "Origin").Values(key("Root", ref(id("o.h"))), key("Lib", id("lib")))
		}
	}
	with := []jen.Code{key("lib", lib)}
	if owner == "dev" {
		with = append(with, key("dev", id("dev")))
	}
	body := []jen.Code{define("o").Add(ref(id(o.Go).Values(with...))),
		id("o.h.Make").Call(id("o"), jen.Lit(o.Go), origin, id("c"), jen.Lit(o.Destroy.C), id("o", h.End))}
	set := func(field string, x jen.Code) { body = append(body, assign(id("o.h", field), x)) }
	if h.Guard != "" {
		set("Guard", ref(id("o", h.Guard)))
	}
	if h.Index != "" {
		set("Index", ref(id(owner, h.Index)))
	}
	switch {
	case h.Wakes:
		set("Before", id("o", h.Stops, "Look"))
		set("Failing", id("o", h.Stops, "Look"))
	case h.Stops != "":
		set("Before", id("o", h.Stops, "Stop"))
	}
	if h.Region {
		set("Gone", jen.Func().Params().Add(short(id("o.region.Close").Call(ref(id("o.h"))))))
	}
	for _, field := range h.Opened {
		body = append(body, id("o", field, "Open").Call(id("c")))
	}
	if h.Reload {
		body = append(body, id("o.load").Call())
	} else {
		body = append(body, loads(h, "o")...)
	}
	name := "new" + o.Go
	g.fn(fn{doc: says("new handle", plan.Words{"Name": name}), name: name,
		params: []jen.Code{param(owner, "*"+h.Owner), param("c", "unsafe.Pointer")}, results: []jen.Code{ptr(o.Go)},
		body: append(body, jen.Return(id("o")))})
}

// loads reads the fields of the C object of a handle o, and names the object in messages by one of them:
//
//	o.lkey = cmem.At[uint32](o.h.C, 36) // lkey
//	o.h.SetLabel("lkey 0x" + strconv.FormatUint(uint64(o.lkey), 16))
func loads(h plan.Handle, o string) (out []jen.Code) {
	for _, x := range h.Object.Getters {
		read := rt("cmem", "At").Types(goType(x.Layout)).Call(id(o, "h.C"), dec(uint64(x.Offset)))
		if x.GoType != x.Layout {
			read = conversion(x.GoType, read)
		}
		out = append(out, remark(assign(id(o, naming.Local(x.C)), read), x.C))
	}
	for _, x := range h.Object.Getters {
		base, before := 10, " "
		if x.Label == spec.LabelHex {
			base, before = 16, " 0x"
		}
		if x.Label != "" {
			number := rt("strconv", "FormatUint").Call(jen.Uint64().Call(id(o, naming.Local(x.C))), jen.Lit(base))
			out = append(out, id(o, "h.SetLabel").Call(jen.Lit(x.C+before).Op("+").Add(number)))
		}
	}
	return out
}

// closes prints the methods that end a handle, and the way out to other C code:
//
//	func (o *MR) Close() error { return o.base().Close() }
func (g *goFile) closes(h plan.Handle) {
	o := h.Object
	face := func(name, does, c, page string, result jen.Code) {
		g.fn(fn{doc: doc(name, does, c, page), recv: recv(h.Recv, o.Go), name: name, results: []jen.Code{result}, short: true,
			body: []jen.Code{jen.Return(id(h.Recv).Dot("base").Call().Dot(name).Call())}})
	}
	with := plan.Words{"Object": o.Go, "C": o.C, "Ends": strings.TrimSuffix(o.Destroy.Doc, ".")}
	does := plan.Says("Close", with)
	if h.Gone {
		does += " " + plan.Says("Close gone", nil)
	}
	face("Close", does, o.Destroy.C, o.Destroy.Page, jen.Error())
	if h.Parent {
		face("CloseAll", plan.Says("CloseAll", with), "", "", jen.Error())
	}
	does = plan.Says("CPtr", with)
	if len(h.Marks) == 0 {
		face("CPtr", does, "struct "+o.C, o.Page, unsafePointer())
		return
	}
	var begin []jen.Code
	for _, m := range h.Marks {
		begin = append(begin, id(h.Recv).Dot(m).Dot("Begin").Call())
	}
	g.fn(fn{doc: doc("CPtr", does, "struct "+o.C, o.Page), recv: recv(h.Recv, o.Go), name: "CPtr", results: []jen.Code{unsafePointer()},
		body: []jen.Code{jen.If(id(h.Recv).Op("!=").Nil()).Block(begin...), jen.Return(id(h.Recv).Dot("base").Call().Dot("CPtr").Call())}})
}

// orZero replaces a nil receiver by a zero value: o = object.OrZero(o).
func orZero(recv string) *jen.Statement {
	return assign(id(recv), rt("object", "OrZero").Call(id(recv)))
}

// descriptor prints the method that returns a file descriptor, whose number may be that of another file once the handle is closed:
//
//	func (o *Device) CmdFD() int {
//		if !o.base().IsOpen() {
//			return -1
//		}
//		return o.cmdFD
//	}
func (g *goFile) descriptor(h plan.Handle, x *model.Getter) {
	does := "returns the " + strings.TrimPrefix(x.Doc, "the ") + ". It is -1 once the handle is closed"
	d := doc(x.Go, does, "struct "+h.Object.C+"."+x.C, h.Object.Page)
	g.fn(fn{doc: d, recv: recv(h.Recv, h.Object.Go), name: x.Go, results: []jen.Code{goType(x.GoType)}, body: []jen.Code{
		jen.If(jen.Op("!").Add(id(h.Recv, "base").Call().Dot("IsOpen").Call())).Block(jen.Return(jen.Lit(-1))),
		jen.Return(id(h.Recv, naming.Local(x.C))),
	}})
}

// getters prints the methods that return a field, 0 of a nil handle:
//
//	func (o *MR) LKey() uint32 {
//		o = object.OrZero(o)
//		o.mu.Lock()
//		defer o.mu.Unlock()
//		return o.lkey
//	}
func (g *goFile) getters(h plan.Handle) {
	o := h.Object
	getter := func(doc, name, typ, field string, locked bool) {
		body := []jen.Code{jen.Return(dot(rt("object", "OrZero").Call(id(h.Recv)), field))}
		if locked {
			body = []jen.Code{orZero(h.Recv), id(h.Recv, "mu.Lock").Call(), jen.Defer().Add(id(h.Recv, "mu.Unlock").Call()),
				jen.Return(id(h.Recv, field))}
		}
		g.fn(fn{doc: doc, recv: recv(h.Recv, o.Go), name: name, results: []jen.Code{goType(typ)}, body: body, short: !locked})
	}
	belongs := func(p string) string { return plan.Says("belongs", plan.Words{"Parent": p, "Object": o.Go}) }
	if h.Owner != "Lib" {
		getter(doc(h.Owner, belongs(h.Owner), "", ""), h.Owner, "*"+h.Owner, "dev", false)
	}
	for _, p := range h.Owners {
		does := belongs(p.Name())
		if len(h.Owners) > 1 { // not every verb that makes one names all of them
			does += ", or nil"
		}
		getter(doc(p.Name(), does, "", ""), p.Name(), p.Type(), naming.Unexported(p.Name()), h.Reload)
	}
	for _, x := range o.Getters {
		if x.FD {
			g.descriptor(h, x)
		} else if !x.Changes {
			d := doc(x.Go, "returns the "+strings.TrimPrefix(x.Doc, "the "), "struct "+o.C+"."+x.C, o.Page)
			getter(d, x.Go, x.GoType, naming.Local(x.C), h.Reload)
		}
	}
}

// closer prints a method that closes a handle by another verb:
//
//	func (o *MR) Unimport() error { return o.base().CloseBy("ibv_unimport_mr", o.unimportMR, true) }
func (g *goFile) closer(c plan.Closer) {
	by := id(c.Recv).Dot("base").Call().Dot("CloseBy").Call(jen.Lit(c.Verb), id(c.Recv, c.End), jen.Lit(c.Lives))
	g.fn(fn{doc: docOf(c.Name, c.Doc), recv: recv(c.Recv, c.Object), name: c.Name, results: errResult(), short: true,
		body: []jen.Code{jen.Return(by)}})
}

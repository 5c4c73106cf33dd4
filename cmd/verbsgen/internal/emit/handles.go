package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// root is the Go name of the object that everything else is made from: the first without parents.
func (e *emitter) root() string {
	for _, o := range e.pkg.Objects {
		if len(o.Parents) == 0 {
			return o.Go
		}
	}
	return ""
}

// handle writes the type of an object with what every handle has.
func (e *emitter) handle(g *goFile, o *model.Object) {
	e.handleType(g, o)
	e.enter(g, o)
	e.newHandle(g, o)
	e.adopt(g, o)
	e.loadFields(g, o)
	e.label(g, o)
	e.closeHandle(g, o)
	if o.Device {
		e.destroyDM(g, o)
	} else {
		e.destroy(g, o)
	}
	e.closeAll(g, o)
	e.getters(g, o)
	if o.Device {
		e.deviceMemory(g, o)
	}
}

// changes tells whether a verb changes the object in place: then its getters may run beside it.
func (e *emitter) changes(o *model.Object) bool {
	return e.has(form.Rereg) && e.byForm[form.Rereg].Params[0].Object == o
}

// owners are the parents of an object below the root: the handle keeps them.
func (e *emitter) owners(o *model.Object) []*model.Object {
	var out []*model.Object
	for _, p := range o.Parents {
		if p.Go != e.root() {
			out = append(out, p)
		}
	}
	return out
}

// isParent tells whether something is made from the object.
func (e *emitter) isParent(o *model.Object) bool {
	for _, x := range e.pkg.Objects {
		for _, p := range x.Parents {
			if p == o {
				return true
			}
		}
	}
	return false
}

// self is the receiver of a handle's methods: (o *MR).
func self(o *model.Object) *jen.Statement { return recv("o", o.Go) }

// handleType makes the type of a handle:
//
//	type MR struct {
//		node    object.Node
//		lib     *Lib
//		dev     *Device
//		c       unsafe.Pointer
//		release func() // after the C object is gone
//	}
func (e *emitter) handleType(g *goFile, o *model.Object) {
	fields := []jen.Code{jen.Id("node").Add(rt("object", "Node")), param("lib", "*Lib")}
	if o.Go != e.root() {
		fields = append(fields, param("dev", "*"+e.root()))
	}
	fields = append(fields, jen.Id("c").Add(unsafePointer()), remark(jen.Id("release").Func().Params(), "after the C object is gone"))
	if o.Hot {
		fields = append(fields, remark(jen.Id("gate").Add(rt("gate", "Gate")), "c for the data path, which does not enter the handle"))
	}
	fields = append(fields, e.extraFields(o)...)
	for _, p := range e.owners(o) {
		fields = append(fields, param(lowerFirst(p.Go), "*"+p.Go))
	}
	for _, x := range o.Getters {
		fields = append(fields, param(naming.Local(x.C), x.GoType))
	}
	g.structType(doc(o.Go, "is a handle: "+strings.ToLower(o.Doc[:1])+o.Doc[1:], "struct "+o.C, o.Page), o.Go, fields...)
}

// extraFields are the fields that single families of methods need.
func (e *emitter) extraFields(o *model.Object) []jen.Code {
	var out []jen.Code
	if o.Go == e.root() && e.capsRecord() != nil {
		caps := jen.Id("caps").Add(rt("atomic", "Pointer")).Types(id(e.capsRecord().Mirror.Name))
		out = append(out, remark(caps, "as last queried, for the rules that need them"))
	}
	if o.Device {
		out = append(out, jen.Id("mem").Add(rt("devmem", "DM")))
		if e.has(form.ImportDM) {
			out = append(out, param("imported", "bool"))
		}
	}
	out = append(out, e.eventFields(o)...)
	if channel := e.channelOf(o); channel != nil {
		out = append(out, remark(param("channel", "*"+channel.Go), "where its events arrive, or nil"))
	}
	if e.isParentDomain(o) {
		out = append(out, remark(param("parent", "*"+o.Go), "of a parent domain"),
			remark(jen.Id("calls").Op("*").Add(allocCalls(o)), "of a parent domain with an allocator"))
	}
	if e.changes(o) {
		out = append(out, remark(jen.Id("mu").Add(rt("sync", "Mutex")), "guards what a change in place changes"))
	}
	return out
}

// channelOf is the type of the channel on which the events of an object arrive, or nil.
func (e *emitter) channelOf(o *model.Object) *model.Object {
	if cq := e.byForm[form.CreateCQ]; cq.Verb != nil && cq.Creates == o {
		return cq.Params[3].Object
	}
	return nil
}

// ifNilHandle refuses a call on a nil handle:
//
//	if o == nil {
//		return verr.NilHandle(verb, "MR")
//	}
func ifNilHandle(o *model.Object, verb jen.Code) *jen.Statement {
	return jen.If(isNil(id("o"))).Block(jen.Return(rt("verr", "NilHandle").Call(verb, jen.Lit(o.Go))))
}

// enter makes the beginning of a handle's use:
//
//	func (o *MR) enter(verb string) error {
//		if o == nil {
//			return verr.NilHandle(verb, "MR")
//		}
//		return o.node.Enter(verb)
//	}
func (e *emitter) enter(g *goFile, o *model.Object) {
	g.fn(fn{
		doc:  "// enter begins the use of the handle by a verb; exit ends it.",
		recv: self(o), name: "enter", params: []jen.Code{param("verb", "string")}, results: errResult(),
		body: []jen.Code{ifNilHandle(o, id("verb")), jen.Return(id("o.node.Enter").Call(id("verb")))},
	})
}

// newHandle makes the constructor from a C object:
//
//	func newMR(dev *Device, c unsafe.Pointer) *MR {
//		o := &MR{lib: dev.lib, dev: dev, c: c}
//		o.load()
//		return o
//	}
func (e *emitter) newHandle(g *goFile, o *model.Object) {
	owner := param("dev", "*"+e.root())
	values := []jen.Code{key("lib", id("dev.lib")), key("dev", id("dev")), key("c", id("c"))}
	if o.Go == e.root() {
		owner = param("lib", "*Lib")
		values = []jen.Code{key("lib", id("lib")), key("c", id("c"))}
	}
	open := jen.Null()
	if o.Hot {
		open = id("o.gate.Open").Call(id("c"))
	}
	name := "new" + o.Go
	g.fn(fn{
		doc:  "// " + name + " makes the handle of a C object. It is open, and seen by its parents, once it is adopted.",
		name: name, params: []jen.Code{owner, jen.Id("c").Add(unsafePointer())}, results: []jen.Code{ptr(o.Go)},
		body: []jen.Code{define("o").Op("&").Id(o.Go).Values(values...), open, id("o.load").Call(), jen.Return(id("o"))},
	})
}

// adopt makes the opening of a handle:
//
//	func (o *MR) adopt(parents ...*object.Node) error {
//		if err := o.node.Init(o, "MR", o.label(), parents...); err != nil {
//			return errors.Join(err, o.destroy())
//		}
//		return nil
//	}
func (e *emitter) adopt(g *goFile, o *model.Object) {
	begin := id("o.node.Init").Call(id("o"), jen.Lit(o.Go), id("o.label").Call(), id("parents").Op("..."))
	g.fn(fn{
		doc:  "// adopt opens the handle under its parents. When that fails, the C object is given back.",
		recv: self(o), name: "adopt", params: []jen.Code{jen.Id("parents").Op("...*").Add(rt("object", "Node"))}, results: errResult(),
		body: []jen.Code{
			e.addToIndex(o),
			jen.If(define("err").Add(begin), notNil(id("err"))).Block(jen.Return(rt("errors", "Join").Call(id("err"), id("o.destroy").Call()))),
			jen.Return(jen.Nil()),
		},
	})
}

// loadFields makes the reading of the C object:
//
//	func (o *MR) load() {
//		o.lkey = cmem.At[uint32](o.c, 36) // lkey
//	}
func (e *emitter) loadFields(g *goFile, o *model.Object) {
	var body []jen.Code
	for _, x := range o.Getters {
		value := fieldAt(id("o.c"), cGo(x), e.offset(o.C, x.C))
		if cGo(x) != x.GoType {
			value = goType(x.GoType).Call(value)
		}
		body = append(body, remark(assign(id("o", naming.Local(x.C)), value), x.C))
	}
	g.fn(fn{
		doc:  "// load keeps the fields of struct " + o.C + " that have a getter, so that no getter reads C memory.",
		recv: self(o), name: "load", body: body,
	})
}

// fieldAt reads a field of a C object: cmem.At[uint32](c, 36).
func fieldAt(c jen.Code, typ string, offset int64) *jen.Statement {
	return rt("cmem", "At").Types(goType(typ)).Call(c, dec(uint64(offset)))
}

// label makes the name of a single object in messages:
//
//	func (o *PD) label() string { return "handle " + strconv.FormatUint(uint64(o.handle), 10) }
func (e *emitter) label(g *goFile, o *model.Object) {
	number := func(what, field string, base int) *jen.Statement {
		return jen.Lit(what).Op("+").Add(rt("strconv", "FormatUint")).Call(jen.Uint64().Call(id("o", field)), jen.Lit(base))
	}
	own, domain := jen.Lit(""), (*jen.Statement)(nil)
	for _, x := range o.Getters {
		what, base := x.C+" ", 10
		if x.Label == spec.LabelHex {
			what, base = x.C+" 0x", 16
		}
		if x.Label != "" {
			own, domain = number(what, naming.Local(x.C), base), number("parent domain of "+what, naming.Local(x.C), base)
		}
	}
	f := fn{
		doc:  "// label names the single object in messages.",
		recv: self(o), name: "label", results: []jen.Code{jen.String()}, body: []jen.Code{jen.Return(own)}, short: true,
	}
	if e.isParentDomain(o) && domain != nil {
		f.doc = "// label names the single object in messages; a parent domain has the handle of the domain that it extends."
		f.body, f.short = []jen.Code{jen.If(notNil(id("o.parent"))).Block(jen.Return(domain)), jen.Return(own)}, false
	}
	g.fn(f)
}

// cGo is the Go type with the layout of a getter's C field.
func cGo(x *model.Getter) string {
	if x.GoType == "int" {
		return "int32"
	}
	return x.GoType
}

// offset is that of a field, from the facts; getters stand before any member whose size depends on the ABI.
func (e *emitter) offset(tag, field string) int64 {
	for _, r := range e.pkg.Facts.Records {
		if r.Tag != "struct "+tag {
			continue
		}
		for _, f := range r.Fields {
			if f.Name == field {
				return f.Offset
			}
		}
	}
	return 0
}

// getters makes what tells of a handle: whose it is, and the fields of the C object.
//
//	func (o *MR) LKey() uint32 {
//		o.mu.Lock()
//		defer o.mu.Unlock()
//		return o.lkey
//	}
func (e *emitter) getters(g *goFile, o *model.Object) {
	getter := func(doc, name, typ, field string) {
		var body []jen.Code
		if e.changes(o) {
			body = lockUntilReturn(id("o.mu"))
		}
		g.fn(fn{doc: doc, recv: self(o), name: name, results: []jen.Code{goType(typ)}, body: append(body, jen.Return(id("o", field)))})
	}
	belongs := func(p string) string { return "// " + p + " gives the " + p + " that the " + o.Go + " belongs to." }
	for _, p := range e.owners(o) {
		getter(belongs(p.Go), p.Go, "*"+p.Go, lowerFirst(p.Go))
	}
	if root := e.root(); o.Go != root {
		g.fn(fn{doc: belongs(root), recv: self(o), name: root, results: []jen.Code{ptr(root)}, body: []jen.Code{jen.Return(id("o.dev"))}, short: true})
	}
	for _, x := range o.Getters {
		getter(doc(x.Go, "gives the "+strings.TrimPrefix(x.Doc, "the "), "struct "+o.C+"."+x.C, o.Page), x.Go, x.GoType, naming.Local(x.C))
	}
	if e.isParentDomain(o) {
		g.fn(fn{
			doc:  "// Parent gives the protection domain that a parent domain extends; nil for a plain one.",
			recv: self(o), name: "Parent", results: []jen.Code{ptr(o.Go)}, body: []jen.Code{jen.Return(id("o.parent"))}, short: true,
		})
	}
}

// nodeOf is the function that gives the node of a handle that may be nil. The file of the handles gets it.
func (e *emitter) nodeOf(o *model.Object) *jen.Statement {
	e.nodes[o] = true
	return id("nodeOf" + o.Go)
}

// nodeFunc makes the function that nodeOf names, where it is used:
//
//	func nodeOfPD(o *PD) *object.Node {
//		if o == nil {
//			return nil
//		}
//		return &o.node
//	}
func (e *emitter) nodeFunc(g *goFile, o *model.Object) {
	if !e.nodes[o] {
		return
	}
	g.fn(fn{
		doc:  "// nodeOf" + o.Go + " gives the node of a handle that may be nil.",
		name: "nodeOf" + o.Go, params: []jen.Code{param("o", "*"+o.Go)}, results: []jen.Code{jen.Op("*").Add(rt("object", "Node"))},
		body: []jen.Code{jen.If(isNil(id("o"))).Block(jen.Return(jen.Nil())), jen.Return(ref(id("o.node")))},
	})
}

// parentDomain is the verb that makes parent domains, when the package has it.
func (e *emitter) parentDomain() *model.Verb { return e.byForm[form.ParentDomain].Verb }

// isParentDomain tells whether an object may be a parent domain.
func (e *emitter) isParentDomain(o *model.Object) bool {
	v := e.parentDomain()
	return v != nil && v.Creates == o
}

// capsRecord is the record that holds the device's capabilities, when the package has it.
func (e *emitter) capsRecord() *model.Record {
	for _, r := range e.pkg.Records {
		if r.Caps {
			return r
		}
	}
	return nil
}

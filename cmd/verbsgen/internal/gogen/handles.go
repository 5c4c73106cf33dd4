package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// This file writes handles. What they do is in runtime/gensupport/object: a type has the fields and methods that are its own, and faces
// with a comment for the others.

// handle is the type of the handles of an object in the making.
type handle struct {
	*model.Object
	recv   string   // name of receivers
	owner  string   // type that new handles are made from: the root object, or Lib
	fields []member // beside those of every handle
	guard  string   // field that waits for calls which do not enter the handle; empty: all of them do
	opened bool     // that field learns the C object
	reload bool     // a verb changes the object in place: its fields are read again, under the mutex mu
}

// member is a field of a handle.
type member struct{ name, typ, remark string }

// handle writes the type of an object with what every handle has.
func (e *emitter) handle(g *goFile, o *model.Object) {
	h := handle{Object: o, recv: e.self(o), owner: "Lib", fields: e.ownFields(o), reload: e.changes(o)}
	if e.below(o) {
		h.owner = e.root()
	}
	switch {
	case o.Hot:
		h.guard, h.opened = "gate", true
	case e.named(o):
		h.guard, h.opened = "named", true
	case o.Host, o.Device:
		h.guard = "mem"
	}
	e.handleType(g, h)
	e.nilHandle(g, h)
	e.newHandle(g, h)
	if h.reload {
		g.fn(fn{doc: says("load", words{"C": o.C}), recv: recv(h.recv, o.Go), name: "load", body: h.loads(h.recv)})
	}
	e.ends(g, o)
	e.closes(g, h)
	e.getters(g, h)
	for _, x := range o.Getters {
		if x.Changes {
			e.changing(g, o, x)
		}
	}
	e.addresses(g, o)
	e.lends(g, o)
}

// handleType writes the type of a handle.
func (e *emitter) handleType(g *goFile, h handle) {
	fields := []member{{"h", "object.Handle", ""}, {"lib", "*Lib", ""}}
	if h.owner != "Lib" {
		fields = append(fields, member{"dev", "*" + h.owner, ""})
	}
	fields = append(fields, h.fields...)
	if h.Device { // copies find it at the address of the handle, also that of nil
		i := slices.IndexFunc(fields, func(f member) bool { return f.typ == "devmem.DM" })
		fields = slices.Concat(fields[i:i+1], fields[:i], fields[i+1:])
	}
	var list []jen.Code
	for _, f := range fields {
		list = append(list, field(f.name, f.typ, "", f.remark))
	}
	does := say("handle", words{"Is": strings.TrimSuffix(model.Lower(h.Doc), ".")})
	g.structType(doc(h.Go, does, h.CType(), h.Page), h.Go, list...)
}

// nilHandle writes what gives the common part of a handle:
//
//	func (o *MR) base() *object.Handle {
//		if o == nil {
//			return object.Nil("MR", "ibv_dereg_mr")
//		}
//		return o.h.Or("MR", "ibv_dereg_mr")
//	}
func (e *emitter) nilHandle(g *goFile, h handle) {
	named := []jen.Code{jen.Lit(h.Go), jen.Lit(h.Destroy.C)}
	none, never := rt("object", "Nil").Call(named...), id(h.recv, "h.Or").Call(named...)
	g.fn(fn{doc: says("base", words{"Object": h.Go}),
		recv: recv(h.recv, h.Go), name: "base", results: []jen.Code{ptr("object.Handle")},
		body: []jen.Code{jen.If(isNil(id(h.recv))).Block(jen.Return(none)), jen.Return(never)}})
}

// lacking writes what a new handle o, which belongs to owner, lacks.
func (e *emitter) lacking(h handle, owner string) (body []jen.Code) {
	for _, l := range h.Lacks {
		is := "=="
		if l.Given {
			is = "!="
		}
		none := op(cField(h.Object, "c", l.C), is, jen.Lit(0))
		if l.Provider != "" {
			none = op(none, "&&", rt("fail", "Is").Call(id(owner, "lib.src"), id(owner, "h.Label").Call(), jen.Lit(l.Provider)))
		}
		body = append(body, jen.If(none).Block(id("o.gate.Lack").Call(rt("dpath", lacks[l.What]))))
	}
	return body
}

// newHandle writes the constructor from a C object:
//
//	func newMR(dev *Device, c unsafe.Pointer) *MR {
//		o := &MR{lib: dev.lib, dev: dev}
//		o.h.Make(o, "MR", dev.h.Origin, c, "ibv_dereg_mr", o.deregMR)
//		o.h.Guard = &o.named
//		o.named.Open(c)
//		if (*cMR)(c).pd == 0 { // of lacks:
//			o.gate.Lack(dpath.LacksSend)
//		}
//		o.load()
//		return o
//	}
func (e *emitter) newHandle(g *goFile, h handle) {
	owner, lib, origin := "dev", id("dev.lib"), id("dev.h.Origin")
	if h.owner == "Lib" {
		owner, lib, origin = "lib", id("lib"), rt("object", "Origin").Values(key("Lib", id("lib")))
		if h.Go == e.root() {
			origin = rt("object", "Origin").Values(key("Root", ref(id("o.h"))), key("Lib", id("lib")))
		}
	}
	with := []jen.Code{key("lib", lib)}
	if owner == "dev" {
		with = append(with, key("dev", id("dev")))
	}
	body := []jen.Code{define("o").Add(ref(id(h.Go).Values(with...))),
		id("o.h.Make").Call(id("o"), jen.Lit(h.Go), origin, id("c"), jen.Lit(h.Destroy.C), id("o", model.Unexported(h.Destroy.Go)))}
	set := func(field string, x jen.Code) { body = append(body, assign(id("o.h", field), x)) }
	if h.guard != "" {
		set("Guard", ref(id("o", h.guard)))
	}
	if e.indexed(h.Object) {
		set("Index", ref(id(owner, "handles")))
	}
	switch waiter := e.waiter(h.Object); {
	case waiter == "":
	case strings.HasPrefix(waiter, "*"):
		set("Before", id("o.waiting.Stop"))
	default: // what waits looks again when the object fails
		set("Before", id("o.waiting.Look"))
		set("Failing", id("o.waiting.Look"))
	}
	if h.Region != nil {
		set("Gone", jen.Func().Params().Add(short(id("o.region.Close").Call(ref(id("o.h"))))))
	}
	if h.opened && h.Hot && e.gateType(h.Object) == "dpath.Address" {
		body = append(body, assign(id("o", h.guard, "Owner"), id("o")))
	}
	if h.opened {
		body = append(body, id("o", h.guard, "Open").Call(id("c")))
	}
	body = append(body, e.lacking(h, owner)...)
	if e.has(h.Go, begunFunc) {
		body = append(body, id("o", begunFunc).Call())
	}
	if h.reload {
		body = append(body, id("o.load").Call())
	} else {
		body = append(body, h.loads("o")...)
	}
	name := "new" + h.Go
	g.fn(fn{doc: says("new handle", words{"Name": name}), name: name,
		params: []jen.Code{param(owner, "*"+h.owner), param("c", pointer)}, results: []jen.Code{ptr(h.Go)},
		body: append(body, jen.Return(id("o")))})
}

// lacks are the names of what objects may lack.
var lacks = map[string]string{spec.LackSend: "LacksSend", spec.LackRecv: "LacksRecv", spec.LackEvents: "LacksEvents"}

// loads reads the fields of the C object of a handle o, and names the object in messages by one of them:
//
//	o.lkey = (*cMR)(o.h.C).lkey
//	o.h.SetLabel("lkey 0x" + strconv.FormatUint(uint64(o.lkey), 16))
func (h handle) loads(o string) (out []jen.Code) {
	for _, x := range h.Getters {
		read := cField(h.Object, o+".h.C", x.C)
		if x.GoType != x.Layout {
			read = conversion(x.GoType, read)
		}
		out = append(out, assign(id(o, model.Local(x.C)), read))
	}
	for _, x := range h.Getters {
		base, before := 10, " "
		if x.Label == spec.LabelHex {
			base, before = 16, " 0x"
		}
		if x.Label != "" {
			number := rt("strconv", "FormatUint").Call(jen.Uint64().Call(id(o, model.Local(x.C))), jen.Lit(base))
			out = append(out, id(o, "h.SetLabel").Call(jen.Lit(x.C+before).Op("+").Add(number)))
		}
	}
	return out
}

// descriptor writes the method that returns a file descriptor, whose number may be that of another file once the handle is closed:
//
//	func (o *Device) CmdFD() int {
//		if !o.base().IsOpen() {
//			return -1
//		}
//		return o.cmdFD
//	}
func (h handle) descriptor(g *goFile, x *model.Getter) {
	does := "returns the " + strings.TrimPrefix(x.Doc, "the ") + ". It is -1 once the handle is closed"
	d := doc(x.Go, does, "struct "+h.C+"."+x.C, h.Page)
	g.fn(fn{doc: d, recv: recv(h.recv, h.Go), name: x.Go, results: []jen.Code{goType(x.GoType)}, body: []jen.Code{
		jen.If(jen.Op("!").Add(id(h.recv, "base").Call().Dot("IsOpen").Call())).Block(jen.Return(jen.Lit(-1))),
		jen.Return(id(h.recv, model.Local(x.C))),
	}})
}

// getters writes the methods that return a field, 0 of a nil handle:
//
//	func (o *MR) LKey() uint32 {
//		o = object.OrZero(o)
//		o.mu.Lock()
//		defer o.mu.Unlock()
//		return o.lkey
//	}
func (e *emitter) getters(g *goFile, h handle) {
	getter := func(doc, name, typ, field string, locked bool) {
		body := []jen.Code{jen.Return(dot(rt("object", "OrZero").Call(id(h.recv)), field))}
		if locked {
			body = []jen.Code{orZero(h.recv), lock(h.recv + ".mu"), jen.Return(id(h.recv, field))}
		}
		g.fn(fn{doc: doc, recv: recv(h.recv, h.Go), name: name, results: []jen.Code{goType(typ)}, body: body, short: !locked})
	}
	belongs := func(p string) string { return say("belongs", words{"Parent": p, "Object": h.Go}) }
	if h.owner != "Lib" {
		getter(doc(h.owner, belongs(h.owner), "", ""), h.owner, "*"+h.owner, "dev", false)
	}
	owners := e.owners(h.Object)
	for _, p := range owners {
		does := belongs(p.Name())
		if len(owners) > 1 { // not every verb that makes one names all of them
			does += ", or nil"
		}
		getter(doc(p.Name(), does, "", ""), p.Name(), p.Type(), model.Unexported(p.Name()), h.reload)
	}
	for _, x := range h.Getters {
		if x.FD {
			h.descriptor(g, x)
		} else if !x.Changes {
			d := doc(x.Go, "returns the "+strings.TrimPrefix(x.Doc, "the "), "struct "+h.C+"."+x.C, h.Page)
			getter(d, x.Go, x.GoType, model.Local(x.C), h.reload)
		}
	}
}

// root returns the Go name of the object that everything else is made from, or an empty string.
func (e *emitter) root() string {
	if e.pkg.Root == nil {
		return ""
	}
	return e.pkg.Root.Go
}

// below reports whether an object is made from the root.
func (e *emitter) below(o *model.Object) bool { return e.root() != "" && o.Go != e.root() }

// changes reports whether a verb changes the object in place: then its getters may run beside it.
func (e *emitter) changes(o *model.Object) bool {
	return e.anyMethod(func(v *model.Verb, m *model.Method) bool { return m.Recv == o.Go && (moved(v) != nil || v.Updates) })
}

// owners are the parents of an object below the root: the handle keeps them.
func (e *emitter) owners(o *model.Object) []*model.Object {
	return slices.DeleteFunc(slices.Clone(o.Parents), func(p *model.Object) bool { return p.Go == e.root() })
}

// isParent reports whether something is made from the object.
func (e *emitter) isParent(o *model.Object) bool {
	return slices.ContainsFunc(e.pkg.Objects, func(x *model.Object) bool { return slices.Contains(x.Parents, o) })
}

// self is the name that receivers have in the methods of an object: as the parameter of the C functions is called that they are made of.
func (e *emitter) self(o *model.Object) string {
	for v, m := range e.methods() {
		for _, p := range v.Params {
			if p.Object == o && m.Recv == o.Go {
				return p.Go
			}
		}
	}
	return model.ParamName(model.Unexported(o.Go))
}

// ownFields are those that an object has beside those of every handle.
func (e *emitter) ownFields(o *model.Object) (fields []member) {
	if o.Hot {
		fields = append(fields, member{"gate", e.gateType(o), "the C object for the data path, which does not enter the handle"})
	}
	fields = append(fields, e.extraFields(o)...)
	for _, p := range e.owners(o) {
		fields = append(fields, member{model.Unexported(p.Name()), p.Type(), ""})
	}
	for _, x := range o.Getters {
		fields = append(fields, member{model.Local(x.C), x.GoType, ""})
	}
	for _, prop := range markedProps(o) {
		fields = append(fields, member{model.Local(prop), "fail.Mark", ""})
	}
	return fields
}

// gateType is the type of what lets the data path use an object: requests keep the addresses of some.
func (e *emitter) gateType(o *model.Object) string {
	for _, f := range e.written {
		if t := f.Gates[o.Go]; t != "" {
			return t
		}
	}
	return "gate.Gate"
}

// extraFields are the fields that single families of methods need.
func (e *emitter) extraFields(o *model.Object) (out []member) {
	add := func(name, typ, remark string) { out = append(out, member{name, typ, remark}) }
	if o.Made != nil {
		add("made", "*"+o.Made.Mirror.Name, "as the device made it, or nil")
	}
	if e.named(o) {
		add("named", "dpath.Named", "the C object for requests that name it")
	}
	if o.Go == e.root() && slices.ContainsFunc(e.pkg.Objects, e.indexed) {
		add("handles", "object.Index", "that events name, by the address of the C object")
	}
	if typ := e.waiter(o); typ != "" {
		if strings.HasPrefix(typ, "*") { // one waits at a time
			typ = "dpath.Listener[" + typ + "]"
		}
		add("waiting", typ, "for events")
	}
	if e.isAsked(o) {
		add("asked", "dpath.Asked", "what it was asked for when it was made")
	}
	for _, x := range e.writtenFields(o) {
		add(x.Name, x.Type, x.Remark)
	}
	if e.changes(o) {
		add("mu", "sync.Mutex", "guards what a change in place changes")
	}
	return out
}

// addresses writes the methods that read the addresses of sockets in a C object.
func (e *emitter) addresses(g *goFile, o *model.Object) {
	self, zero := e.self(o), fail{rt("netip", "AddrPort").Values()}
	for _, x := range o.Addresses {
		read := rt("cmem", "ReadSockAddr").Call(cField(o, self+".h.C", x.C))
		g.fn(fn{doc: doc(x.Go, say("address", words{"What": withArticle(x.Doc)}), "struct "+o.C+"."+x.C, o.Page), recv: recv(self, o.Go),
			name: x.Go, results: types("netip.AddrPort", "error"),
			body: []jen.Code{verbConst("struct " + o.C), zero.enter(self), jen.Return(read, jen.Nil())}})
	}
}

// lends writes the methods that return the handle of an object which the library owns.
func (e *emitter) lends(g *goFile, o *model.Object) {
	self, none := e.self(o), fail{jen.Nil()}
	lib := self + ".lib"
	for _, l := range o.Lends {
		keep, release := o.Parts[form.PartKeep].Verb, o.Parts[form.PartRelease].Verb
		var args []jen.Code
		for range keep.Params {
			args = append(args, jen.Nil())
		}
		let := function(types("error"), raw(release, lib, id("kept")), jen.Return(jen.Nil()))
		kept := function(types("func() error", "error"), define("kept", "errno").Add(raw(keep, lib, args...)),
			none.refuse(isNil(id("kept")), rt("fail", "Failed").Call(jen.Lit(keep.C), id("errno"), jen.Nil())), jen.Return(let, jen.Nil()))
		borrow := rt("bridge", "Borrow").Types(goType(l.Object.Ref)).Call(id("verb"), id("at"), id(lib, l.Object.From.Name), kept)
		does := say("lent object", words{"Does": withArticle(l.Doc), "Object": o.Go})
		g.fn(fn{doc: doc(l.Go, does, "struct "+o.C+"."+l.C, o.Page), recv: recv(self, o.Go), name: l.Go,
			results: types("*"+l.Object.Ref, "error"), body: []jen.Code{verbConst("struct " + o.C), none.enter(self), none.missingVerb(keep, lib),
				none.missing(release.C, lib, release.Symbols()), define("at").Add(cField(o, self+".h.C", l.C)),
				none.refuse(isNil(id("at")), rt("fail", "NotYet").Call(id("verb"), jen.Lit(l.C), jen.Lit(o.Go))), jen.Return(borrow)}})
	}
}

// named reports whether requests keep the address of the C object: that of a window, or of what it is bound to.
func (e *emitter) named(o *model.Object) bool {
	return slices.ContainsFunc(e.written, func(f *form.File) bool { return slices.Contains(f.Names, o.Go) })
}

// changing writes the methods that read and set a field that changes while the object lives:
//
//	func (mw *MW) RKey() uint32 { return cmem.Live[uint32](mw.base(), unsafe.Offsetof(cMW{}.rkey)) }
//
//	func (mw *MW) SetRKey(rkey uint32) error
func (e *emitter) changing(g *goFile, o *model.Object, x *model.Getter) {
	self, c := e.self(o), "struct "+o.C+"."+x.C
	what := strings.TrimPrefix(x.Doc, "the ")
	field := id(o.Mirror.Name).Values().Dot(o.Mirror.Find(x.C).Go)
	at := []jen.Code{id(self, "base").Call(), rt("unsafe", "Offsetof").Call(field)}
	does := "returns the " + what + ". It is 0 once the " + o.Go + " is closed"
	g.fn(fn{doc: doc(x.Go, does, c, o.Page), recv: recv(self, o.Go), name: x.Go, results: types(x.GoType),
		body: []jen.Code{jen.Return(rt("cmem", "Live").Call(at...))}})
	name := "Set" + x.Go
	does = say("set getter", words{"What": strings.SplitN(what, ";", 2)[0]})
	store := rt("cmem", "SetLive").Call(append(append([]jen.Code{jen.Lit(c)}, at...), id(model.Local(x.C)))...)
	g.fn(fn{doc: doc(name, does, c, o.Page), recv: recv(self, o.Go), name: name, params: []jen.Code{param(model.Local(x.C), x.GoType)},
		results: types("error"), body: []jen.Code{jen.Return(store)}})
}

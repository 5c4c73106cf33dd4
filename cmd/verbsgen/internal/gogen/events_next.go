package gogen

import (
	"github.com/dave/jennifer/jen"

	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file has the waiting for records that a library gives by a pointer and takes back: each is copied, with the handles of the
// objects that it names, before it is taken back.

// giver is the verb that gives the records which arrive on an object, and its method; nil without one.
func (e *emitter) giver(o *model.Object) (*model.Verb, *model.Method) {
	for _, v := range e.pkg.Verbs {
		for _, m := range v.Methods {
			if m.Form == form.NextRecord && m.Recv == o.Go {
				return v, m
			}
		}
	}
	return nil, nil
}

// readsRecords reports whether a verb gives or takes back records: the code that calls both sees to it that calls run one after another.
func (e *emitter) readsRecords(v *model.Verb) bool {
	return slices.ContainsFunc(e.pkg.Verbs, func(x *model.Verb) bool {
		return slices.ContainsFunc(x.Methods, func(m *model.Method) bool {
			return m.Form == form.NextRecord &&
				(x == v || x.Part(form.PartAck) == v)
		})
	})
}

// mayWait reports whether a verb ends an object. Such a call may wait minutes for the kernel, and other calls do not wait for it.
func (e *emitter) mayWait(v *model.Verb) bool {
	return slices.ContainsFunc(e.pkg.Objects, func(o *model.Object) bool { return o.Destroy == v })
}

// given is the parameter with the record that a verb gives.
func given(v *model.Verb) *model.Param {
	i := slices.IndexFunc(v.Params, func(p *model.Param) bool { return p.Role == role.Given })
	return v.Params[i]
}

// namedByRecord reports whether a record that a library gives names an object by its C address.
func (e *emitter) namedByRecord(o *model.Object) bool {
	for _, r := range e.pkg.Records {
		if r.Event && slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Object == o }) {
			return true
		}
	}
	return false
}

// nextRecord writes the waiting for a record, and the taking of one that is there:
//
//	func (channel *EventChannel) Next(ctx context.Context) (*Event, error)
func (e *emitter) nextRecord(g *goFile, v *model.Verb, m *model.Method) {
	o, r, ack := v.Params[0].Object, given(v).Record, v.Part(form.PartAck)
	if ack == nil {
		e.errorf(v.C, "nothing takes its records back")
		return
	}
	self, none := e.self(o), fail{jen.Nil()}
	lib := self + ".lib"
	does := say("next record", words{"Does": v.Doc, "Object": o.Go})
	g.fn(fn{doc: doc(m.Name, does, v.C, v.Page, m.Doc), recv: recv(self, o.Go), name: m.Name,
		params: []jen.Code{param("ctx", "context.Context")}, results: types("*"+r.Go, "error"),
		body: []jen.Code{verbConst(v.C), none.try("from", id(self, "listen").Call(id("verb"))), jen.Return(id("from.Next").Call(id("ctx")))}})

	waiting := "*events.Records[" + r.Go + "]"
	fd := conversion("int", cField("int32", self+".h.C", *o.FD))
	made := rt("events", "NewRecords").Call(fd, jen.Lit(v.C), jen.Lit(o.Destroy.C), jen.Lit("the "+o.Go), id(self, "take"))
	g.fn(fn{doc: says("listen", nil), recv: recv(self, o.Go), name: "listen", params: []jen.Code{param("verb", "string")},
		results: types(waiting, "error"), body: []jen.Code{none.enter(self), none.missingVerb(v, lib), none.missingVerb(ack, lib),
			jen.Return(id(self, "waiting.Listen").Call(function(types(waiting, "error"), jen.Return(made))))}})

	var read []jen.Code
	if e.pkg.Module.Serial {
		read = append(read, locked("serial"))
	}
	read = append(read, declare("given", pointer), define("n", "errno").Add(raw(v, lib, id(self, "h.C"), memory("given"))),
		jen.If(op(id("n"), "<", jen.Lit(0))).Block(jen.Return(jen.Nil(), id("errno"))),
		assign(id("made"), id("ev.from").Call(conversion("*"+r.Mirror.Name, id("given")), id(lib))),
		raw(ack, lib, id("given")), jen.Return(id("made"), jen.Lit(0)))
	g.fn(fn{doc: says("read record", nil), recv: recv(self, o.Go), name: "read", params: []jen.Code{param("ev", "*"+r.Go)},
		results: []jen.Code{param("made", pointer), param("errno", "syscall.Errno")}, body: read})

	take := []jen.Code{define("ev").Id("new").Call(goType(r.Go)), define("made", "errno").Add(id(self, "read").Call(id("ev"))),
		jen.If(op(op(id("errno"), "!=", jen.Lit(0)), "||", isNil(id("made")))).Block(jen.Return(id("ev"), id("errno"), jen.Nil()))}
	for _, f := range r.Fields {
		if f.NewOn == nil {
			continue
		}
		take = append(take, define("x").Id("new"+f.Object.Go).Call(id(lib), id("made")))
		if slices.Contains(f.Object.Parents, o) {
			take = append(take, assign(id("x", naming.Unexported(o.Go)), id(self)))
		}
		take = append(append(take, setMarks("x", f.Marks)...), fail{jen.Nil(), jen.Lit(0)}.adopt("x", []parent{{handle: self}}),
			assign(id("ev", f.Go), id("x")))
	}
	g.fn(fn{doc: says("take record", nil), recv: recv(self, o.Go), name: "take", results: types("*"+r.Go, "syscall.Errno", "error"),
		body: append(take, jen.Return(id("ev"), jen.Lit(0), jen.Nil()))})
}

// locked locks a mutex until the method returns.
func locked(mutex string) *jen.Statement {
	return all(id(mutex, "Lock").Call(), until(mutex+".Unlock"))
}

// event writes the Go type of a record that a library gives, and the reading of one:
//
//	func (r *Event) from(c *cEvent, l *Lib) (made unsafe.Pointer)
func (e *emitter) event(g *goFile, r *model.Record) {
	var fields, body, later []jen.Code // later is what depends on other fields
	for _, f := range r.Fields {
		fields = append(fields, field(f.Go, f.GoType, f.Doc, f.C))
		step := readInto("r", f)
		if f.Object != nil {
			step = assign(id("r", f.Go), rt("object", "Find").Types(goType(f.Object.Go)).Call(ref(id("l.handles")), id("c", f.Leaf.Go)))
		}
		switch {
		case f.NewOn != nil:
			made := assign(id("made"), rt("cmem", "Pointer").Call(id("c", f.Leaf.Go)))
			kind, is := id("r", f.Of.Go), id(f.NewOn.Go)
			later = append(later, jen.If(op(kind, "==", is)).Block(made), jen.If(op(kind, "!=", is)).Block(step))
		case len(f.On) > 0:
			var when []condition
			for _, m := range f.On {
				when = append(when, comparison(id("r", f.Of.Go), "==", id(m.Go)))
			}
			later = append(later, jen.If(joined("||", when).code()).Block(step))
		default:
			body = append(body, step)
		}
	}
	g.structType(docOfRecord(r), r.Go, fields...)
	g.fn(fn{doc: says("from record", nil), recv: recv("r", r.Go), name: "from",
		params: []jen.Code{param("c", "*"+r.Mirror.Name), param("l", "*Lib")}, results: []jen.Code{jen.Params(param("made", pointer))},
		body: append(append(body, later...), jen.Return(id("made")))})
}

// addresses writes the methods that read the addresses of sockets in a C object.
func (e *emitter) addresses(g *goFile, o *model.Object) {
	self, zero := e.self(o), fail{rt("netip", "AddrPort").Values()}
	for _, x := range o.Addresses {
		read := rt("sockaddr", "Read").Call(cField("[128]byte", self+".h.C", x.Offset))
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
		if keep == nil || release == nil {
			e.errorf("struct "+o.C+"."+l.C, "nothing keeps it")
			continue
		}
		var args []jen.Code
		for range keep.Params {
			args = append(args, jen.Nil())
		}
		let := function(types("error"), raw(release, lib, id("kept")), jen.Return(jen.Nil()))
		kept := function(types("func() error", "error"), define("kept", "errno").Add(raw(keep, lib, args...)),
			none.refuse(isNil(id("kept")), rt("verr", "Failed").Call(jen.Lit(keep.C), id("errno"), jen.Nil())), jen.Return(let, jen.Nil()))
		borrow := rt("bridge", "Borrow").Types(goType(l.Object.Ref)).Call(id("verb"), id("at"), id(lib, l.Object.From.Name), kept)
		does := say("lent object", words{"Does": withArticle(l.Doc), "Object": o.Go})
		g.fn(fn{doc: doc(l.Go, does, "struct "+o.C+"."+l.C, o.Page), recv: recv(self, o.Go), name: l.Go,
			results: types("*"+l.Object.Ref, "error"), body: []jen.Code{verbConst("struct " + o.C), none.enter(self), none.missingVerb(keep, lib),
				none.missingVerb(release, lib), define("at").Add(cField(pointer, self+".h.C", l.Offset)),
				none.refuse(isNil(id("at")), rt("verr", "NotYet").Call(id("verb"), jen.Lit(l.C), jen.Lit(o.Go))), jen.Return(borrow)}})
	}
}

// moved is the parameter that a method puts its receiver below, or nil.
func moved(v *model.Verb) *model.Param {
	i := slices.IndexFunc(v.Params, func(p *model.Param) bool { return p.Moves })
	if i < 0 {
		return nil
	}
	return v.Params[i]
}

// move puts the receiver below another object of the type that one of its parents has: what a call that succeeds does in C.
func (c *call) move(to *model.Param, call []jen.Code) []jen.Code {
	owner := c.self + "." + naming.Unexported(to.Object.Go)
	return []jen.Code{locked(c.self + ".mu"),
		c.zero.onErr(rt("object", "Move").Call(id("verb"), ref(id(c.self, "h.Node")), ref(id(owner, "h.Node")), ref(id(to.Go, "h.Node")),
			function(types("error"), append(call, jen.Return(jen.Nil()))...))),
		assign(id(owner), id(to.Go))}
}

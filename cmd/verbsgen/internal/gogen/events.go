package gogen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// indexed reports whether events name an object by its C address.
func (e *emitter) indexed(o *model.Object) bool {
	return e.namedByRecord(o) || slices.ContainsFunc(e.written, func(f *form.File) bool { return slices.Contains(f.Finds, o.Go) })
}

// waiter is the type of what waits for the events of an object; empty where none arrive on it.
func (e *emitter) waiter(o *model.Object) string {
	if v, _ := e.giver(o); v != nil {
		return "*dpath.Events[*" + given(v).Record.Go + "]"
	}
	for _, f := range e.written {
		if w := f.Waits[o.Go]; w != "" {
			return w
		}
	}
	return ""
}

// elementsOf writes what each asynchronous event concerns, for the file that waits for them:
//
//	const (
//		elementQP = dpath.OfObject + iota
//		elementCQ
//	)
//
//	var asyncElements = map[uint32]dpath.Element{
//		uint32(EventTypeQPFatal): elementQP,
//		uint32(EventTypePortErr): dpath.OfPort,
//	}
func (e *emitter) elementsOf(g *goFile) {
	t := e.eventType()
	if t == nil || !e.writtenUses("asyncElements") {
		return
	}
	names := map[string]*jen.Statement{spec.EventOfPort: rt("dpath", "OfPort")}
	var consts, rows []jen.Code
	for i, o := range e.concerned() {
		names[o.Go] = id("element" + o.Go)
		decl := id("element" + o.Go)
		if i == 0 {
			decl.Op("=").Add(rt("dpath", "OfObject")).Op("+").Iota()
		}
		consts = append(consts, decl)
	}
	of := map[string]string{} // event -> what it concerns
	for _, x := range t.Events {
		is := x.Of
		if x.Object != nil {
			is = x.Object.Go
		}
		for _, c := range x.Members {
			of[c] = is
		}
	}
	for _, m := range t.Members {
		if m.Alias {
			continue
		}
		element := names[of[m.C]]
		if element == nil {
			element = rt("dpath", "OfNothing")
		}
		rows = append(rows, op(jen.Uint32().Call(id(m.Go)), ":", element))
	}
	if len(consts) > 0 {
		g.decl("// The types of objects that asynchronous events concern.", jen.Const().Defs(consts...))
	}
	g.decl("// asyncElements is what each type of asynchronous event concerns.",
		jen.Var().Id("asyncElements").Op("=").Map(jen.Uint32()).Add(rt("dpath", "Element")).Add(lines(rows...)))
}

// concerned are the objects of the package that asynchronous events concern, in the order of the page.
func (e *emitter) concerned() (out []*model.Object) {
	if t := e.eventType(); t != nil {
		for _, x := range t.Events {
			if slices.Contains(e.pkg.Objects, x.Object) {
				out = append(out, x.Object)
			}
		}
	}
	return out
}

// eventType is the type of asynchronous events, or nil.
func (e *emitter) eventType() *model.Enum {
	return model.First(e.pkg.Enums, func(t *model.Enum) bool { return len(t.Events) > 0 })
}

// giver is the verb that gives the records which arrive on an object, and its method; nil without one.
func (e *emitter) giver(o *model.Object) (*model.Verb, *model.Method) {
	for v, m := range e.methods() {
		if m.Form == form.NextRecord && m.Recv == o.Go {
			return v, m
		}
	}
	return nil, nil
}

// readsRecords reports whether a verb gives or takes back records: the code that calls both sees to it that calls run one after another.
func (e *emitter) readsRecords(v *model.Verb) bool {
	return e.anyMethod(func(x *model.Verb, m *model.Method) bool {
		return m.Form == form.NextRecord && (x == v || x.Part(form.PartAck) == v)
	})
}

// mayWait reports whether a verb ends an object. Such a call may wait minutes for the kernel, and other calls do not wait for it.
func (e *emitter) mayWait(v *model.Verb) bool {
	return slices.ContainsFunc(e.pkg.Objects, func(o *model.Object) bool { return o.Destroy == v })
}

// given is the parameter with the record that a verb gives.
func given(v *model.Verb) *model.Param {
	return model.First(v.Params, func(p *model.Param) bool { return p.Role == role.Given })
}

// namedByRecord reports whether a record that a library gives names an object by its C address.
func (e *emitter) namedByRecord(o *model.Object) bool {
	return slices.ContainsFunc(e.pkg.Records, func(r *model.Record) bool {
		return r.Event && slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Object == o })
	})
}

// nextRecord writes the waiting for a record, and the taking of one that is there:
//
//	func (channel *EventChannel) Next(ctx context.Context) (*Event, error)
func (e *emitter) nextRecord(g *goFile, v *model.Verb, m *model.Method) {
	o, r, ack := v.Params[0].Object, given(v).Record, v.Part(form.PartAck)
	self, none := e.self(o), fail{jen.Nil()}
	lib := self + ".lib"
	does := say("next record", words{"Does": v.Doc, "Object": o.Go})
	g.fn(fn{doc: doc(m.Name, does, v.C, v.Page, m.Doc), recv: recv(self, o.Go), name: m.Name,
		params: []jen.Code{param("ctx", "context.Context")}, results: types("*"+r.Go, "error"),
		body: []jen.Code{verbConst(v.C), none.try("from", id(self, "listen").Call(id("verb"))), jen.Return(id("from.Next").Call(id("ctx")))}})

	waiting := "*dpath.Events[*" + r.Go + "]"
	fd := conversion("int", cField(o, self+".h.C", o.FD))
	made := rt("dpath", "NewEvents").Call(fd, jen.Lit(v.C), jen.Lit(o.Destroy.C), jen.Lit("the "+o.Go), id(self, "take"))
	g.fn(fn{doc: says("listen", nil), recv: recv(self, o.Go), name: "listen", params: []jen.Code{param("verb", "string")},
		results: types(waiting, "error"), body: []jen.Code{none.enter(self), none.missingVerb(v, lib), none.missing(ack.C, lib, ack.Symbols()),
			jen.Return(id(self, "waiting.Listen").Call(function(types(waiting, "error"), jen.Return(made))))}})

	var read []jen.Code
	if e.pkg.Module.Serial {
		read = append(read, lock("serial"))
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
			take = append(take, assign(id("x", model.Unexported(o.Go)), id(self)))
		}
		take = append(append(take, setMarks("x", f.Marks)...), fail{jen.Nil(), jen.Lit(0)}.adopt("x", []parent{{handle: self}}),
			assign(id("ev", f.Go), id("x")))
	}
	g.fn(fn{doc: says("take record", nil), recv: recv(self, o.Go), name: "take", results: types("*"+r.Go, "syscall.Errno", "error"),
		body: append(take, jen.Return(id("ev"), jen.Lit(0), jen.Nil()))})
}

// lock locks a mutex until the method returns.
func lock(mutex string) *jen.Statement {
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
				when = append(when, condition{test: op(id("r", f.Of.Go), "==", id(m.Go))})
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

package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file plans the waiting for records that a library gives by a pointer and takes back: each is copied, with the handles of the
// objects that it names, before it is taken back.

// giver is the verb that gives the records which arrive on an object, and its method; nil without one.
func (b *builder) giver(o *model.Object) (*model.Verb, *model.Method) {
	for _, v := range b.pkg.Verbs {
		for _, m := range v.Methods {
			if m.Form == form.NextRecord && m.Recv == o.Go {
				return v, m
			}
		}
	}
	return nil, nil
}

// readsRecords reports whether a verb gives or takes back records: the code that calls both sees to it that calls run one after another.
func (b *builder) readsRecords(v *model.Verb) bool {
	return slices.ContainsFunc(b.pkg.Verbs, func(x *model.Verb) bool {
		return slices.ContainsFunc(x.Methods, func(m *model.Method) bool {
			return m.Form == form.NextRecord &&
				(x == v || x.Part(form.PartAck) == v)
		})
	})
}

// mayWait reports whether a verb ends an object. Such a call may wait minutes for the kernel, and other calls do not wait for it.
func (b *builder) mayWait(v *model.Verb) bool {
	return slices.ContainsFunc(b.pkg.Objects, func(o *model.Object) bool { return o.Destroy == v })
}

// given is the parameter with the record that a verb gives.
func given(v *model.Verb) *model.Param {
	i := slices.IndexFunc(v.Params, func(p *model.Param) bool { return p.Role == role.Given })
	return v.Params[i]
}

// namedByRecord reports whether a record that a library gives names an object by its C address.
func (b *builder) namedByRecord(o *model.Object) bool {
	for _, r := range b.pkg.Records {
		if r.Event && slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Object == o }) {
			return true
		}
	}
	return false
}

// nextRecord plans the waiting for a record, and the taking of one that is there.
func (b *builder) nextRecord(v *model.Verb, m *model.Method) []Decl {
	r := given(v).Record
	recv := v.Params[0]
	o, ack := recv.Object, v.Part(form.PartAck)
	if ack == nil {
		b.errorf(v.C, "nothing takes its records back")
		return nil
	}
	waiting := "*events.Records[" + r.Go + "]"
	self := b.self(o)
	next := &Method{Doc: Doc{Does: Says("next record", Words{"Does": v.Doc, "Object": o.Go}), C: v.C, Page: v.Page, More: []string{m.Doc}},
		Recv: Var{Name: self, Type: "*" + o.Go}, Name: m.Name, Verb: v, Params: []Var{{Name: "ctx", Type: "context.Context"}},
		Results: []Var{{Type: "*" + r.Go}, {Type: "error"}}, Zero: []Value{null},
		Steps: []Step{Name{v.C}, Try{Into: "from", Call: result(self+".listen", verb)}, ret(result("from.Next", val("ctx")))}}
	listen := b.on(o, "listen", Says("listen", nil), []Var{{Type: waiting}, {Type: "error"}})
	listen.Params, listen.Zero = []Var{{Name: "verb", Type: "string"}}, []Value{null}
	fd := converted("int", cField("int32", self+".h.C", *o.FD))
	listen.Steps = slices.Concat([]Step{Enter{Handle: self}}, b.missing(v, self+".lib"), b.missing(ack, self+".lib"),
		[]Step{ret(result(self+".waiting.Listen", function(nil, []Var{{Type: waiting}, {Type: "error"}},
			ret(of("events", "NewRecords", fd, text(v.C), text(o.Destroy.C), text("the "+o.Go), val(self+".take"))))))})
	read := b.on(o, "read", Says("read record", nil), []Var{{Name: "made", Type: pointer}, {Name: "errno", Type: "syscall.Errno"}})
	read.Params = []Var{{Name: "ev", Type: "*" + r.Go}}
	if b.pkg.Module.Serial {
		read.Steps = Lock{"serial"}.Steps()
	}
	read.Steps = append(read.Steps, Declare{Var{Name: "given", Type: pointer}},
		Assign{To: []string{"n", "errno"}, Op: ":=", Values: []Value{raw(v, self+".lib", val(self+".h.C"), memory("given"))}},
		If{operation(val("n"), "<", zero), []Step{ret(null, val("errno"))}},
		set("made", result("ev.from", converted("*"+r.Mirror.Name, val("given")), val(self+".lib"))),
		do(raw(ack, self+".lib", val("given"))), ret(val("made"), zero))
	take := b.on(o, "take", Says("take record", nil), []Var{{Type: "*" + r.Go}, {Type: "syscall.Errno"}, {Type: "error"}})
	take.Zero = []Value{null, zero}
	take.Steps = []Step{define("ev", result("new", converted(r.Go))),
		Assign{To: []string{"made", "errno"}, Op: ":=", Values: []Value{result(self+".read", val("ev"))}},
		If{operation(operation(val("errno"), "!=", zero), "||", isNil("made")), []Step{ret(val("ev"), val("errno"), null)}}}
	for _, f := range r.Fields {
		if f.NewOn == nil {
			continue
		}
		take.Steps = append(take.Steps, define("x", result("new"+f.Object.Go, val(self+".lib"), val("made"))))
		if slices.Contains(f.Object.Parents, o) {
			take.Steps = append(take.Steps, set("x."+naming.Unexported(o.Go), val(self)))
		}
		take.Steps = append(take.Steps, setMarks("x", f.Marks)...)
		take.Steps = append(take.Steps, Adopt{"x", []Parent{{Handle: self}}}, set("ev."+f.Go, val("x")))
	}
	take.Steps = append(take.Steps, ret(val("ev"), zero, null))
	return []Decl{next, listen, read, take}
}

// event plans the Go type of a record that a library gives.
func (b *builder) event(r *model.Record) []Decl {
	s := &Struct{Name: r.Go, Doc: Doc{Does: "is " + naming.Lower(r.Doc), C: "struct " + r.C, Page: r.Page}}
	from := &Method{Name: "from", Doc: Doc{Text: Says("from record", nil)}, Recv: Var{Name: "r", Type: "*" + r.Go},
		Params: []Var{{Name: "c", Type: "*" + r.Mirror.Name}, {Name: "l", Type: "*Lib"}}, Results: []Var{{Name: "made", Type: pointer}}}
	var later []Step // what depends on other fields
	for _, f := range r.Fields {
		s.Fields = append(s.Fields, Var{Name: f.Go, Type: f.GoType, Doc: f.Doc, Remark: f.C})
		step := Step(Read{f})
		if f.Object != nil {
			step = set("r."+f.Go, generic("object", "Find", f.Object.Go, addr("l.handles"), val("c."+f.Leaf.Go)))
		}
		switch {
		case f.NewOn != nil:
			made := set("made", of("cmem", "Pointer", val("c."+f.Leaf.Go)))
			kind, is := val("r."+f.Of.Go), val(f.NewOn.Go)
			later = append(later, If{operation(kind, "==", is), []Step{made}}, If{operation(kind, "!=", is), []Step{step}})
		case len(f.On) > 0:
			when := operation(val("r."+f.Of.Go), "==", val(f.On[0].Go))
			for _, m := range f.On[1:] {
				when = operation(when, "||", operation(val("r."+f.Of.Go), "==", val(m.Go)))
			}
			later = append(later, If{when, []Step{step}})
		default:
			from.Steps = append(from.Steps, step)
		}
	}
	from.Steps = append(append(from.Steps, later...), ret(val("made")))
	return []Decl{s, from}
}

// addresses plans the methods that read the addresses of sockets in a C object.
func (b *builder) addresses(o *model.Object) (out []Decl) {
	self := b.self(o)
	for _, g := range o.Addresses {
		m := b.on(o, g.Go, "", []Var{{Type: "netip.AddrPort"}, {Type: "error"}}, Name{"struct " + o.C}, Enter{Handle: self},
			ret(of("sockaddr", "Read", cField("[128]byte", self+".h.C", g.Offset)), null))
		m.Zero = []Value{composite("netip.AddrPort")}
		m.Doc = Doc{Does: Says("address", Words{"What": withArticle(g.Doc)}), C: "struct " + o.C + "." + g.C,
			Page: o.Page}
		out = append(out, m)
	}
	return out
}

// lends plans the methods that return the handle of an object which the library owns.
func (b *builder) lends(o *model.Object) (out []Decl) {
	self := b.self(o)
	for _, l := range o.Lends {
		keep, release := o.Parts[form.PartKeep].Verb, o.Parts[form.PartRelease].Verb
		if keep == nil || release == nil {
			b.errorf("struct "+o.C+"."+l.C, "nothing keeps it")
			continue
		}
		lib := self + ".lib." + l.Object.From.Name
		var args []Value
		for range keep.Params {
			args = append(args, null)
		}
		let := function(nil, errOnly, do(raw(release, self+".lib", val("kept"))), ret(null))
		kept := function(nil, []Var{{Type: "func() error"}, {Type: "error"}},
			Assign{To: []string{"kept", "errno"}, Op: ":=", Values: []Value{raw(keep, self+".lib", args...)}},
			If{isNil("kept"), []Step{ret(null, of("verr", "Failed", text(keep.C), val("errno"), null))}}, ret(let, null))
		m := b.on(o, l.Go, "", []Var{{Type: "*" + l.Object.Ref}, {Type: "error"}},
			slices.Concat([]Step{Name{"struct " + o.C}, Enter{Handle: self}}, b.missing(keep, self+".lib"), b.missing(release, self+".lib"),
				[]Step{define("at", cField(pointer, self+".h.C", l.Offset)),
					Refuse{isNil("at"), of("verr", "NotYet", verb, text(l.C), text(o.Go))},
					ret(generic("bridge", "Borrow", l.Object.Ref, verb, val("at"), val(lib), kept))})...)
		m.Zero = []Value{null}
		m.Doc = Doc{Does: Says("lent object", Words{"Does": withArticle(l.Doc), "Object": o.Go}),
			C: "struct " + o.C + "." + l.C, Page: o.Page}
		out = append(out, m)
	}
	return out
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
func (c *call) move(to *model.Param, call []Step) []Step {
	owner := c.self + "." + naming.Unexported(to.Object.Go)
	return []Step{Lock{c.self + ".mu"},
		Try{Call: of("object", "Move", verb, addr(c.self+".h.Node"), addr(owner+".h.Node"), addr(to.Go+".h.Node"),
			function(nil, errOnly, append(call, ret(null))...))},
		set(owner, val(to.Go))}
}

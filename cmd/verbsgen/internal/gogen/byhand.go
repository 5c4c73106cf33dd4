package gogen

import (
	"github.com/dave/jennifer/jen"

	"cmp"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file has what the files that are written by hand call: the rules of their verbs.

// isWritten reports whether the package has a verb with methods that are written by hand.
func (e *emitter) isWritten(c string) bool {
	return slices.ContainsFunc(e.pkg.Verbs, func(v *model.Verb) bool {
		return v.C == c && slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Form == form.Special })
	})
}

// declares reports whether the package has a C function, an object of a Go name, or rules on capabilities.
func (e *emitter) declares(name string) bool {
	return name == capsFunc && e.needsCaps() ||
		slices.ContainsFunc(e.pkg.Verbs, func(v *model.Verb) bool { return v.C == name }) ||
		slices.ContainsFunc(e.pkg.Objects, func(o *model.Object) bool { return o.Go == name }) ||
		slices.ContainsFunc(e.pkg.Records, func(r *model.Record) bool { return r.Go == name })
}

// writtenUses reports whether a file of the package that is written by hand mentions a name.
func (e *emitter) writtenUses(name string) bool {
	return slices.ContainsFunc(e.written, func(f *special.File) bool { return f.Uses(name) })
}

// writtenFields are the fields that files of the package need of a handle.
func (e *emitter) writtenFields(o *model.Object) (out []special.Field) {
	for _, f := range e.written {
		for _, x := range f.Fields {
			if x.Handle == o.Go {
				out = append(out, x)
			}
		}
	}
	return out
}

// special plans what a file calls for a verb: what explains a refused request, or what holds a call against the rules of its
// verb. It takes the parameters of the C function, of handles their C objects:
//
//	func (mr *MR) judgeReregMR(flags MRChangeFlags, pd unsafe.Pointer, addr uintptr, length uint64, access MRAccess) error
func (e *emitter) special(g *goFile, v *model.Verb, m *model.Method) {
	if v.Explained && m.Recv == v.Params[0].Object.Go {
		e.refused(g, v, m)
		return
	}
	name := "judge" + v.Go
	if !e.writtenUses(name) {
		return
	}
	var results []string
	var zero fail
	about := say("judge", words{"Name": name, "Verb": v.C})
	hints := len(v.Checked(true)) > 0
	if hints {
		results, zero = []string{"func()"}, fail{jen.Nil()}
		about += " " + say("judge hint", nil)
	}
	c := e.newCall(v, m, results, zero)
	for _, p := range v.Params {
		if p == c.recv {
			c.pass(p, id(c.self, "h.C"), addrOf(c.self+".h.C"))
			continue
		}
		typ := cmp.Or(p.GoType, pointer)
		in := converted("uint64", typ, id(p.Go))
		switch {
		case p.Role == role.InRecord:
			c.out.params = append(c.out.params, param(p.Go+"C", "*"+p.Record.Mirror.Name))
			c.pass(p, id(p.Go+"C"), dec(1))
			continue
		case p.Role == role.Handle:
			typ, in = pointer, addrOf(p.Go)
		case typ == "int":
			in = conversion("int64", id(p.Go))
		}
		c.out.params = append(c.out.params, param(p.Go, typ))
		c.pass(p, id(p.Go), in)
	}
	c.out.name, c.out.doc = name, comment(about)
	c.out.body = append(c.check(), jen.Return(jen.Nil()))
	if hints {
		if c.out.body = c.check(); c.recv == nil {
			c.out.body = append([]jen.Code{orZero(c.self)}, c.out.body...)
		}
		c.out.body = append(c.out.body, jen.Return(function(nil, c.hint()...), jen.Nil()))
	}
	g.fn(c.out)
}

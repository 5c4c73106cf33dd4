package plan

import (
	"cmp"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file plans what the files that are written by hand call: the rules of their verbs.

// isWritten reports whether the package has a verb with methods that are written by hand.
func (b *builder) isWritten(c string) bool {
	return slices.ContainsFunc(b.pkg.Verbs, func(v *model.Verb) bool {
		return v.C == c && slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Form == form.Special })
	})
}

// declares reports whether the package has a C function, an object of a Go name, or rules on capabilities.
func (b *builder) declares(name string) bool {
	return name == capsFunc && b.needsCaps() ||
		slices.ContainsFunc(b.pkg.Verbs, func(v *model.Verb) bool { return v.C == name }) ||
		slices.ContainsFunc(b.pkg.Objects, func(o *model.Object) bool { return o.Go == name }) ||
		slices.ContainsFunc(b.pkg.Records, func(r *model.Record) bool { return r.Go == name })
}

// writtenUses reports whether a file of the package that is written by hand mentions a name.
func (b *builder) writtenUses(name string) bool {
	return slices.ContainsFunc(b.written, func(f *special.File) bool { return f.Uses(name) })
}

// writtenFields are the fields that files of the package need of a handle.
func (b *builder) writtenFields(o *model.Object) (out []special.Field) {
	for _, f := range b.written {
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
func (b *builder) special(v *model.Verb, m *model.Method) []Decl {
	if v.Explained && m.Recv == v.Params[0].Object.Go {
		return b.explain(v, m)
	}
	name := "judge" + v.Go
	if !b.writtenUses(name) {
		return nil
	}
	c := b.newCall(v, m)
	for _, p := range v.Params {
		if p == c.recv {
			c.pass(p, val(c.self+".h.C"), addrOf(c.self+".h.C"))
			continue
		}
		typ := cmp.Or(p.GoType, pointer)
		in := convert("uint64", typ, val(p.Go))
		switch {
		case p.Role == role.InRecord:
			c.out.Params = append(c.out.Params, Var{Name: p.Go + "C", Type: "*" + p.Record.Mirror.Name})
			c.pass(p, val(p.Go+"C"), number(1))
			continue
		case p.Role == role.Handle:
			typ, in = pointer, addrOf(p.Go)
		case typ == "int":
			in = converted("int64", val(p.Go))
		}
		c.out.Params = append(c.out.Params, Var{Name: p.Go, Type: typ})
		c.pass(p, val(p.Go), in)
	}
	c.out.Name, c.out.Verb, c.out.Results = name, nil, errOnly
	c.out.Doc = Doc{Text: Says("judge", Words{"Name": name, "Verb": v.C})}
	c.out.Steps = append(c.check(), ret(null))
	if hint := c.hint(); hint != nil {
		c.out.Results, c.out.Zero = append(one("func()"), errOnly...), []Value{null}
		c.out.Steps = append(c.check(), Return{[]Value{function(nil, nil, hint...), null}})
		c.out.Doc.Text += " " + Says("judge hint", nil)
	}
	c.out.OrZero = c.out.OrZero && mentions(c.out.Steps, c.self)
	return []Decl{c.out}
}

// RuleList names the rules of a verb for the doc comment of its method; empty for one without rules.
func (p *Package) RuleList(v *model.Verb) string { return ruleList(v) }

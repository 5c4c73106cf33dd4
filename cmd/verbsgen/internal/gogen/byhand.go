package gogen

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file has what the files that are written by hand call: the rules of their verbs.

// isWritten reports whether the package has a verb with methods that are written by hand.
func (e *emitter) isWritten(c string) bool {
	return e.anyMethod(func(v *model.Verb, m *model.Method) bool { return v.C == c && m.Form == form.Special })
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
	return slices.ContainsFunc(e.written, func(f *form.File) bool { return f.Uses(name) })
}

// writtenFields are the fields that files of the package need of a handle.
func (e *emitter) writtenFields(o *model.Object) (out []form.Field) {
	for _, f := range e.written {
		for _, x := range f.Fields {
			if x.Handle == o.Go {
				out = append(out, x)
			}
		}
	}
	return out
}

// special writes what a file calls for a verb: what explains a refused request, or what holds a call against the rules of its
// verb. It takes the parameters of the C function, of handles their C objects:
//
//	func (mr *MR) judgeReregMR(flags MRChangeFlags, pd unsafe.Pointer, addr uintptr, length uint64, access MRAccess) error
func (e *emitter) special(g *goFile, v *model.Verb, m *model.Method) {
	if v.Explained && m.Recv == v.Params[0].Object.Go {
		e.refused(g, v, m)
		if x := form.Written(v.C); x.Posts != "" {
			g.posts(v, m, x)
		}
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

// rulesOf marks the place of the rules of a verb in the doc comment of its method: "// [rules ibv_rereg_mr]".
var rulesOf = regexp.MustCompile(`(?m)^// \[rules (\w+)\]\n//\n`)

// copied is the copy of a file that is written by hand: the package clause is that of the package, and the rules are written out.
func (e *emitter) copied(f *form.File) output.File {
	body := rulesOf.ReplaceAllStringFunc(f.Body, func(mark string) string {
		for _, v := range e.pkg.Verbs {
			if text := ruleList(v); v.C == rulesOf.FindStringSubmatch(mark)[1] && text != "" {
				return comment(text) + "\n//\n"
			}
		}
		return ""
	})
	text := output.Banner + "\n\npackage " + e.pkg.Name + body
	return output.File{Name: strings.TrimSuffix(f.Name, ".go") + ".gen.go", Data: []byte(text)}
}

// capsFunc is the method of a device that returns its capabilities. A file that is written by hand has it.
const capsFunc = "capabilities"

// needsCaps reports whether a rule looks at capabilities.
func (e *emitter) needsCaps() bool {
	return slices.ContainsFunc(e.pkg.Verbs, func(v *model.Verb) bool {
		return slices.ContainsFunc(v.Inputs(), func(o model.Operand) bool { return o.Kind == model.OpCap })
	})
}

// goneFunc is the method of a device that recognises that it was taken away.
const goneFunc = "gone"

// removedFunc is the method of a device that adds to the error of a call that the device was removed.
const removedFunc = "removed"

// begunFunc is the method that a new handle calls, and changed is that after a call of a verb that succeeded.
const begunFunc = "begun"

func changed(v *model.Verb) string { return "after" + v.Go }

// removable is the path of a device, or empty where it has no removedFunc.
func (e *emitter) removable(device string) string {
	if device == "" || !e.has(e.root(), removedFunc) {
		return ""
	}
	return device
}

// elsewhere reports whether an object is made from one of another package, which knows whether its device was removed.
func elsewhere(o *model.Object) bool {
	return slices.ContainsFunc(o.Parents, func(p *model.Object) bool { return p.From != nil || elsewhere(p) })
}

// has reports whether a file of the package that is written by hand has a method of an object.
func (e *emitter) has(object, method string) bool {
	return slices.ContainsFunc(e.written, func(f *form.File) bool { return slices.Contains(f.Methods, object+"."+method) })
}

// noticesGone reports whether a device has goneFunc.
func (e *emitter) noticesGone() bool { return e.has(e.root(), goneFunc) }

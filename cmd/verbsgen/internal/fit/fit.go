// Package fit holds pages against the header, and the model made of both against the declarations that hand-written text
// was written for.
//
// It owns the checks of types, roles, forms, widths and names: what a page says of a declaration must be what C has there.
// All problems come together, each with its place. It resolves nothing, so that nothing depends on it: it knows neither how
// names become the model, nor how code is written.
package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
)

// Pages holds the pages against the declarations of a header. What the header lacks is not looked at. The error is a
// diag.List.
func Pages(facts *spec.Facts, sp *spec.Spec) error {
	c := &checker{Spec: sp, facts: facts}
	for _, p := range sp.Pages {
		for i := range p.Flags {
			c.flags(&p.Flags[i])
		}
		for i := range p.Enums {
			c.enum(&p.Enums[i])
		}
		for i := range p.Records {
			c.record(&p.Records[i])
		}
		for i := range p.Objects {
			c.object(&p.Objects[i])
		}
		for i := range p.Verbs {
			c.verb(&p.Verbs[i])
		}
	}
	return c.errs.Err()
}

// checker collects what Pages finds.
type checker struct {
	*spec.Spec
	facts *spec.Facts
	errs  diag.List
}

// fail adds a type, role, form or name that does not fit.
func (c *checker) fail(pos spec.Pos, subject, problem, fix string) {
	c.add(diag.TypeUnknown, pos, subject, problem, fix)
}

func (c *checker) add(code string, pos spec.Pos, subject, problem, fix string) {
	c.errs.Add(diag.New(code, pos.File, pos.Line, pos.Col, subject, problem, fix))
}

// isInt reports whether a type is an integer or an enum of the host's byte order, by value.
func isInt(t spec.CType) bool {
	return t.Kind == spec.CInt && !t.Pointer && !t.Array && !t.BigEndian()
}

// isStruct reports whether a type is a struct or union of a tag, by value.
func isStruct(t spec.CType, tag string) bool {
	return t.Kind == spec.CStruct && !t.Pointer && !t.Array && t.Tag == tag
}

// differs says in what two C types differ; empty when they do not.
func (c *checker) differs(a, b string) string {
	s, t := c.facts.TypeOf(a), c.facts.TypeOf(b)
	switch {
	case s.Tag != t.Tag:
		return "another tag"
	case s.Depth() != t.Depth():
		return "another depth of pointers"
	case s.Kind != t.Kind:
		return "another kind of type"
	case s.Bits != t.Bits:
		return "another width"
	case s.Signed != t.Signed:
		return "another sign"
	case s.Const() != t.Const():
		return "one is const"
	case s.BigEndian() != t.BigEndian():
		return "another byte order"
	}
	return ""
}

// misfit says what of a verb is not as a signature has it.
func (c *checker) misfit(name string, v *spec.Verb, want *form.Sig) string {
	fn := c.facts.Func(name)
	if fn == nil {
		return ""
	}
	if d := c.differs(fn.Ret, want.Ret); d != "" {
		return fmt.Sprintf("%s returns %s, and the form is for %s (%s)", name, fn.Ret, want.Ret, d)
	}
	if ret := c.facts.TypeOf(want.Ret); ret.Depth() == 1 && ret.Tag != "" && v.Creates == "" {
		return name + " has no creates:, the object that it makes"
	}
	if len(fn.Params) != len(want.Params) {
		return fmt.Sprintf("%s has %d parameters, and the form is for %d", name, len(fn.Params), len(want.Params))
	}
	for i, p := range fn.Params {
		w := want.Params[i]
		if t := c.facts.TypeOf(p.Type); w.C == "" {
			if t.Depth() != 1 || t.Tag == "" {
				return fmt.Sprintf("parameter %s is of type %s, and the form is for a pointer to a struct", p.Name, p.Type)
			}
		} else if d := c.differs(p.Type, w.C); d != "" {
			return fmt.Sprintf("parameter %s is of type %s, and the form is for %s (%s)", p.Name, p.Type, w.C, d)
		}
		j := slices.IndexFunc(v.Params, func(q spec.Param) bool { return q.C == p.Name })
		switch {
		case j < 0: // reported elsewhere
		case w.Role != nil && v.Params[j].Role != w.Role:
			return fmt.Sprintf("parameter %s has the role %s, and the form needs %s", p.Name, v.Params[j].Role, w.Role)
		case w.Typed && c.ObjectByGo(v.Params[j].Type) == nil:
			return fmt.Sprintf("parameter %s has no object type", p.Name)
		}
	}
	return ""
}

// formNames lists the forms that a page can name.
func formNames() string {
	var out []string
	for _, f := range form.All() {
		if f.Name != form.Plain {
			out = append(out, f.Name)
		}
	}
	return strings.Join(out, ", ")
}

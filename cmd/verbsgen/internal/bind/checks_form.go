package bind

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// checkForms holds the methods of a verb, and the verbs that it needs, against their forms.
func (b *binder) checkForms(facts *spec.Facts, v *spec.Verb) {
	parts := []form.Part{}
	for i := range v.Methods {
		m := &v.Methods[i]
		f := form.Find(m.Form)
		if f == nil {
			b.errorf(diag.TypeUnknown, m.At("form", m.Form), m.Go, "there is no form "+m.Form, "write one of "+strings.Join(formNames(), ", ")+", or leave form: out")
			continue
		}
		parts = append(parts, f.Parts...)
		if b.funcs[v.C] == nil {
			continue // told elsewhere, or newer than the header
		}
		b.checkForm(facts, v, m, f)
		if o := b.specObject(v.Creates); o != nil && o.Memory == spec.MemoryDevice && f.InOrder() && v.Extent == "" {
			b.errorf(diag.TypeUnknown, v.At("creates", v.Creates), v.C, "it makes device memory, and has no extent:", "name the field with the length, as in attr.length")
		}
	}
	b.checkParts(facts, v.C, v.NeedsVerbs, parts, v.At, v.Pos)
}

// checkForm holds one method against its form.
func (b *binder) checkForm(facts *spec.Facts, v *spec.Verb, m *spec.Method, f *form.Form) {
	at := m.At("form", m.Form)
	fail := func(problem, fix string) { b.errorf(diag.TypeUnknown, at, m.Go, problem, fix) }
	if f.Memory && !hasMemory(v) {
		fail("form "+f.Name+" is for a verb with an address and its length", "take form: out, or name the length under len:")
	}
	if f.Sig == nil {
		return
	}
	if problem := b.misfit(facts, v.C, v, f.Sig); problem != "" {
		fail("form "+f.Name+" does not fit: "+problem, "take form: out, or correct the verb")
		return
	}
	if r := b.in.Spec.RecordByGo(v.Lists); f.Lists && (r == nil || r.Role != spec.RecordEntry || len(r.Fields) == 0 || !r.Fields[0].Text) {
		fail("form "+f.Name+" needs lists:, a record of role entry whose first field is a text", "name the record under lists:")
	}
	for _, callback := range f.Callbacks {
		if !b.hasCallback(v, callback) {
			fail("form "+f.Name+" needs a record with a field of callback: "+callback, "give the field its callback:")
		}
	}
	if f.Events && !slices.ContainsFunc(v.NeedsTypes, b.isEventType) {
		fail("form "+f.Name+" needs a type with event_of: under needs_types:", "name the type of the events")
	}
	recv, _, _ := strings.Cut(m.Go, ".")
	if o := b.specObject(recv); f.Recv != "" && f.Recv != form.RecvMade && recv != f.Recv && (o == nil || "struct "+o.C != f.Recv) {
		fail("a method of form "+f.Name+" is one of "+f.Recv+", not of "+recv, "correct the name of the method")
		return
	}
	if first := b.formOf[f.Name]; first != "" {
		fail("the package has a method of form "+f.Name+" already: "+first, "keep one of them")
	}
	b.formOf[f.Name] = m.Go
}

// checkParts holds the verbs under needs_verbs against the parts that there are.
func (b *binder) checkParts(facts *spec.Facts, subject string, needs map[string]string, parts []form.Part, at func(key, text string) spec.Pos, pos spec.Pos) {
	for _, part := range parts {
		c := needs[part.Name]
		switch {
		case c == "" && !part.Optional:
			b.errorf(diag.TypeUnknown, pos, subject, "needs_verbs: has no verb for the part "+part.Name, "name the verb")
		case c == "":
		case b.specOf[c] == nil:
			b.errorf(diag.NameUnknown, at("needs_verbs."+part.Name, c), subject, "needs_verbs: names "+c+", which no page describes", "describe it, or correct the name")
		default:
			problem := b.misfit(facts, c, b.specOf[c], part.Sig)
			if problem == "" && part.Form != "" && !slices.ContainsFunc(b.specOf[c].Methods, func(m spec.Method) bool { return m.Form == part.Form }) {
				problem = "it has no method of form " + part.Form
			}
			if problem != "" {
				b.errorf(diag.TypeUnknown, at("needs_verbs."+part.Name, c), subject, c+" cannot be the part "+part.Name+": "+problem, "name another verb")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		if !slices.ContainsFunc(parts, func(p form.Part) bool { return p.Name == name }) {
			b.errorf(diag.TypeUnknown, at("needs_verbs", name), subject, "needs_verbs: there is no part "+name+" here", "take it out")
		}
	}
}

// checkObject holds a handle against the header and its parts against their verbs.
func (b *binder) checkObject(facts *spec.Facts, o *spec.Object) {
	b.checkParents(o)
	b.checkParts(facts, o.Go, o.NeedsVerbs, objectParts(o), o.At, o.Pos)
	if d := b.specOf[o.Destroy]; d != nil && b.funcs[o.Destroy] != nil && (len(d.Params) != 1 || d.Params[0].Role != spec.RoleHandle || d.Params[0].Type != o.Go) {
		b.errorf(diag.TypeUnknown, o.At("destroy", o.Destroy), o.Go, o.Destroy+" does not take one "+o.Go+" alone", "correct destroy:")
	}
}

// misfit tells what of a verb is not as a signature has it.
func (b *binder) misfit(facts *spec.Facts, c string, v *spec.Verb, want *form.Sig) string {
	fn := b.funcs[c]
	if fn == nil {
		return ""
	}
	if d := differs(facts, fn.Ret, want.Ret); d != "" {
		return fmt.Sprintf("%s returns %s, and the form is for %s (%s)", c, fn.Ret, want.Ret, d)
	}
	if ret := facts.TypeOf(want.Ret); depth(want.Ret) == 1 && ret.Tag != "" && v.Creates == "" {
		return c + " has no creates:, the object that it makes"
	}
	if len(fn.Params) != len(want.Params) {
		return fmt.Sprintf("%s has %d parameters, and the form is for %d", c, len(fn.Params), len(want.Params))
	}
	for i, p := range fn.Params {
		w := want.Params[i]
		if d := differs(facts, p.Type, w.C); d != "" {
			return fmt.Sprintf("parameter %s is of type %s, and the form is for %s (%s)", p.Name, p.Type, w.C, d)
		}
		j := slices.IndexFunc(v.Params, func(q spec.Param) bool { return q.C == p.Name })
		if j >= 0 && v.Params[j].Role != w.Role {
			return fmt.Sprintf("parameter %s has the role %s, and the form needs %s", p.Name, v.Params[j].Role, w.Role)
		}
		if j >= 0 && w.Typed && b.specObject(v.Params[j].Type) == nil {
			return fmt.Sprintf("parameter %s has no object type", p.Name)
		}
		if j >= 0 && w.Bit && v.Params[j].Bit == "" {
			return fmt.Sprintf("parameter %s has no bit:, the flag that says it is given", p.Name)
		}
	}
	return ""
}

// differs tells in what two C types differ.
func differs(facts *spec.Facts, a, b string) string {
	s, t := facts.TypeOf(a), facts.TypeOf(b)
	isConst := func(c string) bool { return strings.HasPrefix(strings.TrimSpace(c), "const ") }
	switch {
	case s.Tag != t.Tag:
		return "another tag"
	case depth(a) != depth(b):
		return "another depth of pointers"
	case s.Kind != t.Kind:
		return "another kind of type"
	case s.Bits != t.Bits:
		return "another width"
	case s.Signed != t.Signed:
		return "another sign"
	case isConst(a) != isConst(b):
		return "one is const"
	case bigEndian(baseType(a)) != bigEndian(baseType(b)):
		return "another byte order"
	}
	return ""
}

// depth counts the pointers of a C type.
func depth(c string) int { return strings.Count(c, "*") }

// baseType is a C type without its pointers and qualifiers.
func baseType(c string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.ReplaceAll(c, "*", "")), "const "))
}

// hasCallback tells whether a field of a verb's record is for something.
func (b *binder) hasCallback(v *spec.Verb, callback string) bool {
	return slices.ContainsFunc(v.Params, func(p spec.Param) bool {
		r := b.in.Spec.RecordByGo(p.Type)
		return r != nil && slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.Callback == callback })
	})
}

// isEventType tells whether an enum type has event_of.
func (b *binder) isEventType(name string) bool {
	for _, p := range b.in.Spec.Pages {
		for _, e := range p.Enums {
			if e.Go == name && len(e.EventOf) > 0 {
				return true
			}
		}
	}
	return false
}

func formNames() []string {
	var out []string
	for _, f := range form.All() {
		if f.Name != form.Plain {
			out = append(out, f.Name)
		}
	}
	return out
}

// specObject is the page's object of a Go name, or nil.
func (b *binder) specObject(name string) *spec.Object {
	for _, p := range b.in.Spec.Pages {
		for i := range p.Objects {
			if p.Objects[i].Go == name {
				return &p.Objects[i]
			}
		}
	}
	return nil
}

// specObjectOf is the page's object of a C tag, or nil.
func (b *binder) specObjectOf(tag string) *spec.Object {
	for _, p := range b.in.Spec.Pages {
		for i := range p.Objects {
			if p.Objects[i].C == tag {
				return &p.Objects[i]
			}
		}
	}
	return nil
}

// callable gives the parameters of a function as users call it: a header macro may lead to another.
func (b *binder) callable(f *api.Function) []api.Param {
	if in := b.funcs[f.Redirect]; f.Redirect != "" && in != nil && len(in.Params) >= len(f.Params) {
		return in.Params[:len(f.Params)]
	}
	return f.Params
}

// hasMemory tells whether a verb takes an address of memory with its length, by themselves or in a record.
func hasMemory(v *spec.Verb) bool {
	return slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role == spec.RoleAddr && p.Len != "" })
}

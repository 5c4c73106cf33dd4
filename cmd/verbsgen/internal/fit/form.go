package fit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// methods holds the methods of a verb, and the verbs that it needs, against their forms.
func (c *checker) methods(v *spec.Verb, fn *api.Function) {
	parts := []form.Part{}
	for i := range v.Methods {
		m := &v.Methods[i]
		f := form.Of(v.C, m.Form)
		if f == nil && m.Form == form.Special || m.Form == form.Special && !special.HasMethod(m.Go) {
			c.fail(m.At("form", m.Form), m.Go, "no file of templates/verbs has it, written for "+v.C, "write it there, or remove form:")
			continue
		}
		if f == nil {
			c.fail(m.At("form", m.Form), m.Go, "there is no form "+m.Form, "write one of "+formNames()+", or remove form:")
			continue
		}
		parts = append(parts, f.Parts...)
		if fn == nil {
			continue
		}
		c.form(v, m, f)
		c.fixed(v, m, fn)
		if problem := c.plainProblem(v, m, fn); problem != "" && f.InOrder() {
			c.fail(m.Pos, m.Go, problem, "change the page, or leave the method out")
		}
		if o := c.ObjectByGo(v.Creates); o != nil && o.Memory != "" && f.InOrder() && v.Extent == "" {
			c.fail(v.At("creates", v.Creates), v.C, "it makes memory, and has no extent:", "name the field with the length, as in attr.length")
		}
	}
	c.parts(v.C, v.NeedsVerbs, parts, v.At, v.Pos)
}

// form holds one method against its form.
func (c *checker) form(v *spec.Verb, m *spec.Method, f *form.Form) {
	at := m.At("form", m.Form)
	fail := func(problem, fix string) { c.fail(at, m.Go, problem, fix) }
	hasMemory := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role.Passes == role.PassesHost && p.Len != "" })
	first := slices.IndexFunc(v.Methods, func(m spec.Method) bool { f := form.Find(m.Form); return f != nil && f.Memory })
	if f.Memory && !hasMemory && m == &v.Methods[first] {
		fail("form "+f.Name+" needs a verb that takes an address with its length", "remove form:, or name the length under len:")
	}
	if f.Name == form.End {
		recv, _, _ := strings.Cut(m.Go, ".")
		if o := c.ObjectByGo(recv); !takesOne(v, recv) || !ends(v) || o != nil && o.Memory == spec.MemoryDevice {
			fail("form "+f.Name+" does not fit: "+v.C+" does not end one "+recv+" alone", "remove form:, or correct the verb")
		}
		return
	}
	if f.ByRoles {
		if problem := c.givesRecords(v, m); problem != "" {
			fail("form "+f.Name+" does not fit: "+problem, "remove form:, or correct the verb")
		}
		return
	}
	if f.Sig == nil {
		return
	}
	if f.Name == form.Special {
		c.special(v, m, f)
		return
	}
	if problem := c.misfit(v.C, v, f.Sig); problem != "" {
		fail("form "+f.Name+" does not fit: "+problem, "remove form:, or correct the verb")
		return
	}
	if f.Lists == spec.RecordLazy {
		c.reader(v, c.RecordByGo(v.Lists), fail)
	}
}

// special holds the C functions that a file was written for, and those that it calls, against the header.
func (c *checker) special(v *spec.Verb, m *spec.Method, f *form.Form) {
	calls := form.Calls(v.C)
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		what := &spec.Verb{Creates: "any"}
		if name == v.C {
			what = v
		}
		if problem := c.misfit(name, what, calls[name]); problem != "" {
			c.add(diag.SpecialChanged, m.At("form", m.Form), m.Go, problem,
				"compare the header with "+f.At+", mend the file where the meaning changed, and its directive")
		}
	}
	values := special.Find(v.C).Values
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if is := c.facts.Const(name); is == nil || !is.IsInt64() || is.Int64() != values[name] {
			c.add(diag.SpecialChanged, m.At("form", m.Form), m.Go,
				fmt.Sprintf("%s is %v in the header, and the file is for %d", name, is, values[name]),
				"compare the header with "+f.At+", and mend the file and its directive")
		}
	}
}

// givesRecords says why a method cannot wait for records by a verb; empty when it can.
func (c *checker) givesRecords(v *spec.Verb, m *spec.Method) string {
	recv, _, _ := strings.Cut(m.Go, ".")
	o := c.ObjectByGo(recv)
	if o == nil || o.FD == "" {
		return recv + " has no fd:, the file to wait on"
	}
	if len(v.Params) != 2 || !v.Params[0].IsHandle(recv) || v.Params[1].Role != role.Given {
		return v.C + " does not take a " + recv + " and a parameter of role given"
	}
	if v.Returns != spec.RetMinus1 {
		return v.C + " returns " + v.Returns + ", and the form is for minus1_errno"
	}
	if r := c.RecordByGo(v.Params[1].Type); r == nil || r.Role != spec.RecordEvent {
		return v.Params[1].Type + " is no record of role event"
	}
	return ""
}

// plainProblem says why a method that takes the parameters in order cannot be written; empty when it can.
func (c *checker) plainProblem(v *spec.Verb, m *spec.Method, fn *api.Function) string {
	recv, _, _ := strings.Cut(m.Go, ".")
	takes := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.IsHandle(recv) })
	switch {
	case v.Returns == spec.RetValue && !c.returnable(v, fn):
		return v.C + " returns " + fn.Ret + ", and a method returns numbers in the host's byte order, texts, and enums that are named " +
			"under result:"
	case recv == form.RecvLib && slices.ContainsFunc(v.Params, func(p spec.Param) bool { return c.ObjectByGo(p.Type) != nil }):
		return v.C + " takes a handle, and a method of Lib has none to be reached by"
	case recv != form.RecvLib && c.ObjectByGo(recv) != nil && !takes:
		return v.C + " has no parameter of type " + recv
	}
	rest, results := "", map[role.Result]bool{}
	for _, q := range c.facts.Callable(fn) {
		i := slices.IndexFunc(v.Params, func(p spec.Param) bool { return p.C == q.Name })
		if i < 0 {
			continue // reported elsewhere
		}
		p := &v.Params[i]
		results[p.Role.Result] = true
		if p.Role == role.Handle && p.Type == "" {
			return "parameter " + p.C + " is a handle without type:, and only some forms take one"
		}
		if rest != "" && p.Role.Result == role.ResultNone && !p.Role.Derived {
			return "parameter " + p.C + " comes after " + rest + ", which has rest: and must be the last parameter"
		}
		if p.Rest {
			rest = p.C
		}
	}
	if results[role.ResultNumber] && results[role.ResultRecord] {
		return v.C + " fills records and numbers, and no form generates such a method yet"
	}
	return ""
}

// returnable reports whether a method can return the value of a verb.
func (c *checker) returnable(v *spec.Verb, fn *api.Function) bool {
	ret := c.facts.TypeOf(fn.Ret)
	return isInt(ret) && (ret.Tag == "" || v.Result != "") || ret.Kind == spec.CText && ret.Depth() == 1
}

// parts holds the verbs under needs_verbs against the parts that there are.
func (c *checker) parts(subject string, needs map[string]string, parts []form.Part, at func(key, text string) spec.Pos, pos spec.Pos) {
	for _, part := range parts {
		name := needs[part.Name]
		v := c.VerbByC(name)
		switch {
		case name == "" && !part.Optional:
			c.fail(pos, subject, "needs_verbs: has no verb for the part "+part.Name, "name the verb")
		case name == "":
		case v == nil:
			c.add(diag.NameUnknown, at("needs_verbs."+part.Name, name), subject, "needs_verbs: names "+name+", which no page describes",
				"describe it, or correct the name")
		default:
			problem := ""
			if part.Sig != nil {
				problem = c.misfit(name, v, part.Sig)
			}
			if problem != "" {
				c.fail(at("needs_verbs."+part.Name, name), subject, name+" cannot be the part "+part.Name+": "+problem, "name another verb")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		if !slices.ContainsFunc(parts, func(p form.Part) bool { return p.Name == name }) {
			c.fail(at("needs_verbs", name), subject, "needs_verbs: there is no part "+name+" here", "remove it")
		}
	}
}

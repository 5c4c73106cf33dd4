package fit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// methods compares the methods of a verb, and the verbs that it needs, with what their forms need.
func (c *checker) methods(v *spec.Verb, fn *api.Function) {
	var parts []form.Part
	hasMemory := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role.Passes == role.PassesHost && p.Len != "" })
	for i := range v.Methods {
		m := &v.Methods[i]
		e, f := entry{m.Go, m.At}, form.Of(v.C, m.Form)
		if c.first(e,
			row{m.Form == form.Special && (f == nil || !form.HasMethod(m.Go)), "form", "no file of templates/verbs has it, written for " + v.C,
				"write it there, or remove form:"},
			row{f == nil, "form", "there is no form " + m.Form, "write one of " + formNames() + ", or remove form:"}) {
			continue
		}
		parts = append(parts, f.Parts...)
		if fn == nil {
			continue
		}
		c.all(e, row{f.Memory && !hasMemory, "form", "form " + f.Name + " needs a verb that takes an address with its length",
			"remove form:, or name the length under len:"})
		if f.InOrder() {
			c.inOrder(v, m, fn)
		}
		c.form(v, m, f)
		c.fixed(v, m, fn)
	}
	c.parts(entry{v.C, v.At}, v.NeedsVerbs, parts)
}

// formNames lists the forms that a page can name.
func formNames() string {
	var out []string
	for _, f := range form.All() {
		out = append(out, f.Name)
	}
	return strings.Join(out[1:], ", ") // the first is that without a name
}

// form compares one method with its form.
func (c *checker) form(v *spec.Verb, m *spec.Method, f *form.Form) {
	if f.Name == form.Special {
		c.special(v, m, f)
		return
	}
	recv, fn, r, problem := receiver(m), c.facts.Func(v.C), orZero(c.RecordByGo(v.Lists)), ""
	if f.Sig != nil {
		problem = c.misfit(v.C, v, f.Sig)
	}
	o, end, next, reader := orZero(c.ObjectByGo(recv)), f.Name == form.End, f.Name == form.NextRecord, f.Lists == spec.RecordLazy
	given := len(v.Params) == 2 && v.Params[0].IsHandle(recv) && v.Params[1].Role == role.Given
	not := func(wrong bool, why string) row {
		return row{wrong, "form", "form " + f.Name + " does not fit: " + why, "remove form:, or correct the verb"}
	}
	c.first(entry{m.Go, m.At},
		not(problem != "", problem),
		not(end && (!takesOne(v, recv) || !ends(v) || o.Memory == spec.MemoryDevice), v.C+" does not end one "+recv+" alone"),
		not(next && o.FD == "", recv+" has no fd:, the file to wait on"),
		not(next && !given, v.C+" does not take a "+recv+" and a parameter of role given"),
		not(next && v.Returns != spec.RetMinus1, v.C+" returns "+v.Returns+", and the form is for minus1_errno"),
		not(f.Name == form.View && !finds(c.facts, fn),
			v.C+" is not an exported function that takes the object of a stream and returns a struct"),
		row{f.Name == form.View && v.View == nil, "form", "a view needs view:, the stream and the type of its requests", "write view:"},
		row{reader && r.Role != spec.RecordLazy, "form", "a reader needs lists:, a record of role lazy", "name the record under lists:"},
		row{reader && (!calledInObject(fn) || c.facts.TypeOf(fn.Params[0].Type).Tag != r.C), "form",
			v.C + " is no function of struct " + r.C + ", which " + r.Go + " is read from", "correct lists:"},
		row{reader && v.Returns != spec.RetErrno, "form", "a reader is begun by a verb that returns errno", "correct returns:"})
}

// finds reports whether a C function finds the view of an object.
func finds(facts *spec.Facts, fn *api.Function) bool {
	if fn.Kind != api.Exported || len(fn.Params) != 1 {
		return false
	}
	ret := facts.TypeOf(fn.Ret)
	return ret.Tag != "" && ret.Depth() == 1 && facts.TypeOf(fn.Params[0].Type).Depth() == 1
}

// misfit says what of a C function, and of its verb, is not as a signature has it; empty if it fits.
func (c *checker) misfit(name string, v *spec.Verb, want *form.Sig) string {
	fn := c.facts.Func(name)
	switch {
	case fn == nil: // reported elsewhere
		return ""
	case !c.same(fn.Ret, want.Ret):
		return fmt.Sprintf("%s returns %s, and the form is for %s", name, fn.Ret, want.Ret)
	case len(fn.Params) != len(want.Params):
		return fmt.Sprintf("%s has %d parameters, and the form is for %d", name, len(fn.Params), len(want.Params))
	}
	for i, q := range fn.Params {
		w, t, p := want.Params[i], c.facts.TypeOf(q.Type), v.Param(q.Name)
		switch {
		case w.C == "" && (t.Depth() != 1 || t.Tag == ""):
			return fmt.Sprintf("parameter %s is of type %s, and the form is for a pointer to a struct", q.Name, q.Type)
		case w.C != "" && !c.same(q.Type, w.C):
			return fmt.Sprintf("parameter %s is of type %s, and the form is for %s", q.Name, q.Type, w.C)
		case p == nil: // reported elsewhere
		case w.Role != nil && p.Role != w.Role:
			return fmt.Sprintf("parameter %s has the role %s, and the form needs %s", q.Name, p.Role, w.Role)
		case w.Typed && c.ObjectByGo(p.Type) == nil:
			return fmt.Sprintf("parameter %s has no object type", q.Name)
		}
	}
	return ""
}

// same reports whether two C types are the same for Go: the names of integers do not count.
func (c *checker) same(a, b string) bool {
	key := func(ctype string) [7]any {
		t := c.facts.TypeOf(ctype)
		return [...]any{t.Tag, t.Depth(), t.Kind, t.Bits, t.Signed, t.Const(), t.BigEndian()}
	}
	return key(a) == key(b)
}

// special compares the C functions that a file was written for, and those that it calls, with the header.
func (c *checker) special(v *spec.Verb, m *spec.Method, f *form.Form) {
	changed := func(problem string) {
		c.add(diag.SpecialChanged, m.At("form", ""), m.Go, problem,
			"compare the header with "+f.At+", mend the file where the meaning changed, and its directive")
	}
	for _, x := range form.FileOf(v.C).All() {
		if problem := c.misfit(x.C, orZero(c.VerbByC(x.C)), x.Sig); problem != "" {
			changed(problem)
		}
	}
	for name, want := range form.Written(v.C).Values {
		if is := c.facts.Const(name); is == nil || !is.IsInt64() || is.Int64() != want {
			changed(fmt.Sprintf("%s is %v in the header, and the file is for %d", name, is, want))
		}
	}
}

// inOrder compares a method that takes the parameters in order with the verb.
func (c *checker) inOrder(v *spec.Verb, m *spec.Method, fn *api.Function) {
	recv, ret := receiver(m), c.facts.TypeOf(fn.Ret)
	returnable := isInt(ret) && (ret.Tag == "" || v.Result != "") || ret.Kind == spec.CText && ret.Depth() == 1
	takes := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.IsHandle(recv) })
	handles := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return c.ObjectByGo(p.Type) != nil && !strings.Contains(p.Type, ".") })
	lists := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return c.listsHandles(p) })
	rest, behind, untyped, results := "", "", "", map[role.Result]bool{}
	for _, q := range c.facts.Callable(fn) {
		p := orZero(v.Param(q.Name)) // one that is missing is reported elsewhere
		of := orZero(p.Role)
		results[of.Result] = true
		switch {
		case p.Role == role.Handle && p.Type == "":
			untyped = p.C
		case rest != "" && of.Result == role.ResultNone && !of.Derived:
			behind = p.C
		case p.Rest:
			rest = p.C
		}
	}
	not := func(wrong bool, problem string) row {
		return row{wrong, "", problem, "change the page, or leave the method out"}
	}
	c.first(entry{m.Go, m.At},
		not(v.Returns == spec.RetValue && !returnable, v.C+" returns "+fn.Ret+", and a method returns numbers in the host's byte order, texts, "+
			"and enums that are named under result:"),
		not(recv == form.RecvLib && handles, v.C+" takes a handle, and a method of Lib has none to be reached by"),
		not(recv == form.RecvLib && lists, v.C+" takes a list of handles, or structs with some, and a method of Lib does not yet"),
		not(recv != form.RecvLib && c.ObjectByGo(recv) != nil && !takes, v.C+" has no parameter of type "+recv),
		not(untyped != "", "parameter "+untyped+" is a handle without type:, and only some forms take one"),
		not(behind != "", "parameter "+behind+" comes after "+rest+", which has rest: and must be the last parameter"),
		not(results[role.ResultNumber] && results[role.ResultRecord],
			v.C+" fills records and numbers, and no form generates such a method yet"))
}

// listsHandles reports whether the record of a parameter has lists of handles, or of structs with handles.
func (c *checker) listsHandles(p spec.Param) bool {
	r := orZero(c.RecordByGo(p.Type))
	return r.Tail != nil || slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.Handles != "" })
}

// fixed compares the values that a method fixes with the parameters. Constants that the header lacks are reported elsewhere.
func (c *checker) fixed(v *spec.Verb, m *spec.Method, fn *api.Function) {
	for _, q := range c.facts.Callable(fn) {
		p, t, text := v.Param(q.Name), c.facts.TypeOf(q.Type), m.Fixed[q.Name]
		n, known := spec.ParseInt(text)
		if !known {
			n = c.facts.Const(text)
		}
		if p == nil || n == nil || n.Sign() < 0 {
			continue
		}
		_, high := t.Range()
		null := t.Pointer && p.Role.Passes != role.PassesHost
		always := !p.Role.Number() || p.Role == role.Mask || p.Role == role.Size
		cannot := func(wrong bool, why string) row {
			return row{wrong, "fixed", "parameter " + p.C + " cannot be fixed to " + text + ": " + why, ""}
		}
		c.first(entry{m.Go, m.At}.on(m.At("fixed."+p.C, text)),
			cannot(p.IsHandle(receiver(m)), "it is the receiver"),
			cannot(always && !p.Null, "a parameter of role "+p.Role.Name+" without null: is always given"),
			cannot(null && n.Sign() > 0 || n.Cmp(high) > 0 || text == "NULL" && !t.Pointer, "it is of type "+t.C))
	}
}

// parts compares the verbs under needs_verbs with the parts that there are.
func (c *checker) parts(e entry, needs map[string]string, parts []form.Part) {
	known := map[string]bool{}
	for _, part := range parts {
		known[part.Name] = true
		name, problem := needs[part.Name], ""
		v := c.VerbByC(name)
		if v != nil && part.Sig != nil {
			problem = c.misfit(name, v, part.Sig)
		}
		c.all(e.on(e.at("needs_verbs."+part.Name, name)),
			row{name == "" && !part.Optional, "", "needs_verbs: has no verb for the part " + part.Name, "name the verb"},
			row{name != "" && v == nil, "", "needs_verbs: names " + name + ", which no page describes", "describe it, or correct the name"},
			row{problem != "", "", name + " cannot be the part " + part.Name + ": " + problem, "name another verb"})
	}
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		c.all(e.on(e.at("needs_verbs", name)), row{!known[name], "", "needs_verbs: there is no part " + name + " here", "remove it"})
	}
}

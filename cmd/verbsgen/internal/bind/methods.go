package bind

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// bindMethod resolves one Go face of a verb, and compares the verb with what the form needs.
func (b *binder) bindMethod(v *model.Verb, fn *api.Function, s *spec.Verb, m *spec.Method) {
	e, f := entry{m.Go, m.At}, form.Of(v.C, m.Form)
	if b.first(e,
		row{m.Form == form.Special && (f == nil || !form.HasMethod(m.Go)), "form", "no file of templates/verbs has it, written for " + v.C,
			"write it there, or remove form:"},
		row{f == nil, "form", "there is no form " + m.Form, "write one of " + formNames() + ", or remove form:"}) {
		return
	}
	recv, name, ok := strings.Cut(m.Go, ".")
	if !ok || recv != form.RecvLib && b.objects[recv] == nil && f.Name != form.Special {
		b.errorf(diag.TypeUnknown, m.Pos, v.C, "method "+m.Go+" must be called TYPE.NAME, where TYPE is an object or Lib",
			"write it like PD.RegMR")
		return
	}
	hasMemory := slices.ContainsFunc(s.Params, func(p spec.Param) bool { return p.Role.Passes == role.PassesHost && p.Len != "" })
	b.wrong(e, row{f.Memory && !hasMemory, "form", "form " + f.Name + " needs a verb that takes an address with its length",
		"remove form:, or name the length under len:"})
	number := func(c string) bool {
		return slices.ContainsFunc(s.Params, func(p spec.Param) bool { return p.C == c && p.Role == role.In })
	}
	b.wrong(e, row{f.Name == form.DMABuf && !(number("fd") && number("offset") && number("length")), "form",
		"form " + f.Name + " needs a verb with numbers fd, offset and length", "remove form:"})
	if f.InOrder() {
		b.inOrder(s, m, fn)
	}
	b.checkForm(s, m, f)
	v.Explained = v.Explained || f.Requests != ""
	v.Methods = append(v.Methods, &model.Method{Recv: recv, Name: name, Form: m.Form, Fixed: b.fixed(s, m, fn), Pair: m.Pair,
		Sets: b.implied(v, m), Doc: m.Doc})
}

// fixed resolves the values that a method fixes, and compares them with the parameters.
func (b *binder) fixed(v *spec.Verb, m *spec.Method, fn *api.Function) map[string]*big.Int {
	out := map[string]*big.Int{}
	for _, c := range slices.Sorted(maps.Keys(m.Fixed)) {
		text := m.Fixed[c]
		n, ok := spec.ParseInt(text)
		if !ok {
			n = b.facts.Const(text)
		}
		if n == nil {
			b.errorf(diag.NameUnknown, m.At("fixed."+c, text), m.Go,
				"parameter "+c+" is fixed to "+text+", which is no number and no constant of this header",
				"correct the value")
			continue
		}
		out[c] = n
		p, t := v.Param(c), b.callableType(fn, c)
		if p == nil || t.C == "" {
			continue
		}
		low, high := t.Range()
		null := t.Pointer && p.Role.Passes != role.PassesHost
		always := !p.Role.Number() || p.Role == role.Mask || p.Role == role.Size
		cannot := func(wrong bool, why string) row {
			return row{wrong, "fixed", "parameter " + p.C + " cannot be fixed to " + text + ": " + why, ""}
		}
		b.first(entry{m.Go, m.At}.on(m.At("fixed."+c, text)),
			cannot(p.IsHandle(receiver(m)), "it is the receiver"),
			cannot(always && !p.Null, "a parameter of role "+p.Role.Name+" without null: is always given"),
			cannot(null && n.Sign() > 0 || n.Cmp(low) < 0 || n.Cmp(high) > 0 || text == "NULL" && !t.Pointer, "it is of type "+t.C))
	}
	return out
}

// formNames lists the forms that a page can name.
func formNames() string {
	var out []string
	for _, f := range form.All() {
		out = append(out, f.Name)
	}
	return strings.Join(out[1:], ", ") // the first is that without a name
}

// checkForm compares one method with its form.
func (b *binder) checkForm(v *spec.Verb, m *spec.Method, f *form.Form) {
	if f.Name == form.Special {
		b.checkSpecial(v, m, f)
		return
	}
	recv, fn, r, problem := receiver(m), b.facts.Func(v.C), orZero(b.RecordByGo(v.Lists)), ""
	if f.Sig != nil {
		problem = b.misfit(v.C, v, f.Sig)
	}
	o, end, next, reader := orZero(b.ObjectByGo(recv)), f.Name == form.End, f.Name == form.NextRecord, f.Lists == spec.RecordLazy
	given := len(v.Params) == 2 && v.Params[0].IsHandle(recv) && v.Params[1].Role == role.Given
	not := func(wrong bool, why string) row {
		return row{wrong, "form", "form " + f.Name + " does not fit: " + why, "remove form:, or correct the verb"}
	}
	b.first(entry{m.Go, m.At},
		not(problem != "", problem),
		not(end && (!b.takesOne(v, recv) || !ends(v) || o.Memory == spec.MemoryDevice), v.C+" does not end one "+recv+aloneWords),
		not((f.Name == form.Attach || f.Name == form.Detach) && (v.Returns != spec.RetErrno || len(v.Params) == 0 || !v.Params[0].IsHandle(recv)),
			v.C+" does not take the object first and return errno"),
		not(f.Name == form.Attach && !b.sameParams(v.C, v.NeedsVerbs[form.PartDetach]),
			v.NeedsVerbs[form.PartDetach]+" takes other parameters than "+v.C),
		not(next && o.FD == "", recv+" has no fd:, the file to wait on"),
		not(next && !given, v.C+" does not take a "+recv+" and a parameter of role given"),
		not(next && v.Returns != spec.RetMinus1, v.C+" returns "+v.Returns+", and the form is for minus1_errno"),
		not(f.Name == form.View && !finds(b.facts, fn),
			v.C+" is not an exported function that takes the object of a stream and returns a struct"),
		row{f.Name == form.View && v.View == nil, "form", "a view needs view:, the stream and the type of its requests", "write view:"},
		row{reader && r.Role != spec.RecordLazy, "form", "a reader needs lists:, a record of role lazy", "name the record under lists:"},
		row{reader && (!calledInObject(fn) || b.facts.TypeOf(fn.Params[0].Type).Tag != r.C), "form",
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
func (b *binder) misfit(name string, v *spec.Verb, want *form.Sig) string {
	fn := b.facts.Func(name)
	switch {
	case fn == nil: // parts and requireCalls report it
		return ""
	case !b.same(fn.Ret, want.Ret):
		return fmt.Sprintf("%s returns %s, and the form is for %s", name, fn.Ret, want.Ret)
	case len(fn.Params) != len(want.Params):
		return fmt.Sprintf("%s has %d parameters, and the form is for %d", name, len(fn.Params), len(want.Params))
	}
	for i, q := range fn.Params {
		w, t, p := want.Params[i], b.facts.TypeOf(q.Type), v.Param(q.Name)
		switch {
		case w.C == "" && (t.Depth() != 1 || t.Tag == ""):
			return fmt.Sprintf("parameter %s is of type %s, and the form is for a pointer to a struct", q.Name, q.Type)
		case w.C != "" && !b.same(q.Type, w.C):
			return fmt.Sprintf("parameter %s is of type %s, and the form is for %s", q.Name, q.Type, w.C)
		case p == nil: // bindParams reports it
		case w.Role != nil && p.Role != w.Role:
			return fmt.Sprintf("parameter %s has the role %s, and the form needs %s", q.Name, p.Role, w.Role)
		case w.Typed && b.ObjectByGo(p.Type) == nil:
			return fmt.Sprintf("parameter %s has no object type", q.Name)
		}
	}
	return ""
}

// same reports whether two C types are the same for Go: the names of integers do not count.
func (b *binder) same(x, y string) bool {
	key := func(ctype string) [7]any {
		t := b.facts.TypeOf(ctype)
		return [...]any{t.Tag, t.Depth(), t.Kind, t.Bits, t.Signed, t.Const(), t.BigEndian()}
	}
	return key(x) == key(y)
}

// checkSpecial compares the C functions that a file was written for, and those that it calls, with the header.
func (b *binder) checkSpecial(v *spec.Verb, m *spec.Method, f *form.Form) {
	changed := func(problem string) {
		b.mismatch(diag.SpecialChanged, m.At("form", ""), m.Go, problem,
			"compare the header with "+f.At+", mend the file where the meaning changed, and its directive")
	}
	for _, x := range form.FileOf(v.C).All() {
		if problem := b.misfit(x.C, orZero(b.VerbByC(x.C)), x.Sig); problem != "" {
			changed(problem)
		}
	}
	for name, want := range form.Written(v.C).Values {
		if is := b.facts.Const(name); is == nil || !is.IsInt64() || is.Int64() != want {
			changed(fmt.Sprintf("%s is %v in the header, and the file is for %d", name, is, want))
		}
	}
}

// inOrder compares a method that takes the parameters in order with the verb.
func (b *binder) inOrder(v *spec.Verb, m *spec.Method, fn *api.Function) {
	recv, ret := receiver(m), b.facts.TypeOf(fn.Ret)
	returnable := isInt(ret) && (ret.Tag == "" || v.Result != "") || ret.Kind == spec.CText && ret.Depth() == 1
	takes := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.IsHandle(recv) })
	handles := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return b.ObjectByGo(p.Type) != nil && !strings.Contains(p.Type, ".") })
	lists := slices.ContainsFunc(v.Params, func(p spec.Param) bool { return b.listsHandles(p) })
	rest, behind, untyped, results := "", "", "", map[role.Result]bool{}
	for _, q := range b.facts.Callable(fn) {
		p := orZero(v.Param(q.Name)) // bindParams reports one that is missing
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
	b.first(entry{m.Go, m.At},
		not(v.Returns == spec.RetValue && !returnable, v.C+" returns "+fn.Ret+", and a method returns numbers in the host's byte order, texts, "+
			"and enums that are named under result:"),
		not(recv == form.RecvLib && handles, v.C+" takes a handle, and a method of Lib has none to be reached by"),
		not(recv == form.RecvLib && lists, v.C+" takes a list of handles, or structs with some, and a method of Lib does not yet"),
		not(recv != form.RecvLib && b.ObjectByGo(recv) != nil && !takes, v.C+" has no parameter of type "+recv),
		not(untyped != "", "parameter "+untyped+" is a handle without type:, and only some forms take one"),
		not(behind != "", "parameter "+behind+" comes after "+rest+", which has rest: and must be the last parameter"),
		not(results[role.ResultNumber] && results[role.ResultRecord],
			v.C+" fills records and numbers, and no form generates such a method yet"))
}

// listsHandles reports whether the record of a parameter has lists of handles, or of structs with handles.
func (b *binder) listsHandles(p spec.Param) bool {
	r := orZero(b.RecordByGo(p.Type))
	return r.Tail != nil || slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.Handles != "" })
}

// sameParams reports whether two C functions take the same parameters. That the second is missing is reported elsewhere.
func (b *binder) sameParams(one, other string) bool {
	x, y := b.facts.Func(one), b.facts.Func(other)
	return x == nil || y == nil ||
		slices.EqualFunc(x.Params, y.Params, func(p, q api.Param) bool { return p.Type == q.Type })
}

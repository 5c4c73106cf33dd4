package bind

import (
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// bindVerbs makes the bound functions, in header order.
func (b *binder) bindVerbs() {
	for i := range b.pkg.Facts.Functions {
		f := &b.pkg.Facts.Functions[i]
		s := b.VerbByC(f.Name)
		if s == nil || !b.want[f.Name] {
			continue
		}
		v := b.bindVerb(f, s)
		b.verbs[v.C] = v
		b.pkg.Verbs = append(b.pkg.Verbs, v)
	}
	for _, v := range b.pkg.Verbs {
		if s := b.VerbByC(v.C); s.EndedBy != "" {
			if v.EndedBy = b.verbs[s.EndedBy]; v.EndedBy != nil {
				b.ended(s, b.VerbByC(s.EndedBy))
				continue
			}
			b.errorf(diag.NameUnknown, s.At("ended_by", s.EndedBy), v.C,
				"ended_by: names "+s.EndedBy+", which no page describes, or which this header does not have", "correct ended_by:")
		}
	}
	b.pinHelper()
	for s := range b.Objects() {
		b.objects[s.Go].Destroy = b.verbs[s.Destroy]
		if b.VerbByC(s.Destroy) == nil {
			b.errorf(diag.NameUnknown, s.Pos, s.Go, "destroy: names "+s.Destroy+", which no page describes", "correct destroy:")
		}
	}
}

// marks lists the properties that a call gives a value, by name.
func marks(by map[string]string) (out []model.Mark) {
	for _, prop := range slices.Sorted(maps.Keys(by)) {
		out = append(out, model.Mark{Prop: prop, Set: by[prop] == "1"})
	}
	return out
}

// markedBy finds the parameters that say whether marks are set.
func (b *binder) markedBy(v *model.Verb, s *spec.Verb) {
	for i, m := range v.Marks {
		value := s.Marks[m.Prop]
		if value == "0" || value == "1" {
			continue
		}
		name, of, inherits := strings.Cut(value, ".")
		p := v.Param(name)
		known := p != nil && (inherits && p.Object != nil && p.Object.State[of] == spec.StateMarks ||
			!inherits && slices.Contains([]*role.Role{role.In, role.Flags, role.Enum}, p.Role))
		b.wrong(entry{v.C, s.At}.on(s.At("marks", m.Prop)), row{!known, "",
			"marks: " + m.Prop + ": " + value + " is no number or flags that the verb takes, nor a mark of a handle that it takes",
			"write 0, 1, a parameter or PARAMETER.MARK"})
		v.Marks[i].From, v.Marks[i].Of = p, of
	}
}

func (b *binder) bindVerb(f *api.Function, s *spec.Verb) *model.Verb {
	v := &model.Verb{C: f.Name, Go: model.Exported(b.facts.Bare(f.Name)), Page: b.page(s.Page), Doc: s.Doc, Since: b.since(f.Name),
		Returns: s.Returns, MayFail: s.Returns != spec.RetVoid && s.Returns != spec.RetValue,
		CRet: f.Ret, Callbacks: s.Callbacks, Updates: s.Updates,
		Marks: marks(s.Marks), Node: s.Node, Pos: api.Pos(s.Pos), Dispatch: f.Dispatch}
	if s.Creates != "" {
		if v.Creates = b.object(s.Creates); v.Creates == nil {
			b.errorf(diag.TypeUnknown, s.Pos, f.Name, "no object "+s.Creates+" in any page", "correct creates:")
		}
	}
	b.verbKeys(s)
	b.returns(s, f)
	b.bindResult(v, s)
	b.bindParams(v, f, s)
	b.markedBy(v, s)
	b.bindMade(v, s)
	b.bindWay(v, f, s)
	v.Reads, v.Empty = b.lazies[s.Lists], s.Empty
	if s.Lists != "" && v.Reads == nil {
		if v.Lists = b.records[s.Lists]; v.Lists == nil || !v.Lists.Entry {
			b.errorf(diag.TypeUnknown, s.At("lists", s.Lists), f.Name, "no record "+s.Lists+" of role entry or lazy in any page", "correct lists:")
		}
	}
	var extent, asks shape // of a verb that makes nothing, the keys are wrong themselves
	if o := v.Creates; o != nil {
		asks = unsigned
		if o.Device || o.Host {
			extent = length
		}
	}
	v.Extent, v.Asks = b.place(v, s, "extent", s.Extent, extent), b.place(v, s, "asks", s.Asks, asks)
	b.bindIOVA(v, s)
	each(s.Methods, func(m *spec.Method) { b.bindMethod(v, f, s, m) })
	b.used(s, f)
	return v
}

// bindResult finds the Go type of a value that cannot fail.
func (b *binder) bindResult(v *model.Verb, s *spec.Verb) {
	switch t := b.facts.TypeOf(v.CRet); {
	case s.Returns != spec.RetValue:
	case s.Result != "":
		if v.Result, v.Enum = s.Result, b.types[s.Result]; v.Enum == nil {
			b.errorf(diag.TypeUnknown, s.At("result", s.Result), v.C, "no flag or enum type "+s.Result+" in any page", "correct result:")
		}
	case t.Kind == spec.CText:
		v.Result = "string"
	case v.CRet == "_Bool":
		v.Result = "bool"
	case !t.Pointer:
		v.Result = intOf(scalar(v.CRet))
	}
}

// anyForm reports whether a method of a verb has a form of which something holds.
func anyForm(v *spec.Verb, holds func(*form.Form) bool) bool {
	return slices.ContainsFunc(v.Methods, func(m spec.Method) bool { f := form.Of(v.C, m.Form); return f != nil && holds(f) })
}

// verbKeys checks the keys of a verb that need others, or exclude them.
func (b *binder) verbKeys(v *spec.Verb) {
	e, o, r := entry{v.C, v.At}, orZero(b.ObjectByGo(v.Creates)), orZero(b.RecordByGo(v.Lists))
	lists := anyForm(v, func(f *form.Form) bool {
		return f.Lists == r.Role || f.Name == form.Special && r.Role == spec.RecordEntry
	})
	extent, other := orZero(v.Param(v.Extent)).Role, strings.Contains(v.Creates, ".")
	number := extent == role.In || extent == role.Len && lent(v)
	b.wrong(e,
		row{(r.Role == spec.RecordEntry || r.Role == spec.RecordLazy) && !lists, "lists",
			"it has lists:, and no method of a form that lists records", "remove lists:"},
		row{v.Extent != "" && o.Memory == "" && (v.Creates == "" || o.Go != ""), "extent", "it has extent:, and makes no memory",
			"remove extent:"},
		row{v.Extent != "" && o.Memory == spec.MemoryHost && !number, "extent",
			"extent: " + v.Extent + " is no number that the method takes", "name the parameter with the length"},
		row{v.Extent == "" && o.Memory != "" && !other && anyForm(v, (*form.Form).InOrder), "creates", "it makes memory, and has no extent:",
			"name the field with the length, as in attr.length"},
		row{v.Asks != "" && v.Creates == "", "asks", "it has asks:, and makes no object", "remove asks:"},
		row{o.Region != nil && len(v.IOVA) == 0 && !other, "creates",
			"it makes a memory region, and iova: does not say where addresses in it begin",
			"name the parameter or field under iova:, or write zero or unknown"},
		row{o.Region == nil && len(v.IOVA) > 0, "iova", "it has iova:, and makes no memory region", "remove iova:"},
		row{o.Go == "" && v.MadeIn+v.EndedBy != "", "", "it has made_in: or ended_by:, and makes no object", "write creates:, or remove them"})
	for _, name := range v.NeedsTypes {
		_, bits := b.enumBits(name)
		b.wrong(e.on(v.At("needs_types", name)),
			row{bits == 0 && b.RecordByGo(name) == nil, "needs_types", "no type " + name + " in any page", ""})
	}
	for _, m := range v.Methods {
		o := orZero(b.ObjectByGo(receiver(&m)))
		b.wrong(e, row{v.Updates && (m.Form != form.Plain && m.Form != form.Special || len(o.Getters) == 0), "updates",
			"it has updates:, and " + m.Go + " is no method of an object with getters: that calls it as it is", "remove updates:"})
	}
}

// receiver is the type that a method is of.
func receiver(m *spec.Method) string {
	recv, _, _ := strings.Cut(m.Go, ".")
	return recv
}

func signed(t spec.CType) bool { return isInt(t) && t.Signed && t.Tag == "" && t.Bits >= 32 }
func code(t spec.CType) bool   { return signed(t) && t.Bits == 32 }
func object(t spec.CType) bool { return t.Pointer && t.Kind != spec.CFunc }

// conventions are the C types of results, by what returns: says of them.
var conventions = map[string]func(spec.CType) bool{
	spec.RetErrno: code, spec.RetEither: code, spec.RetMinus1: code, spec.RetRereg: code,
	spec.RetNumber: signed, spec.RetNegated: signed, spec.RetNullErrno: object, spec.RetArgument: object,
	spec.RetVoid:  func(t spec.CType) bool { return t.C == "void" },
	spec.RetValue: func(t spec.CType) bool { return object(t) || t.Kind == spec.CInt && !t.Array },
}

// returns compares the return convention, and the object that a verb makes, with the result of the C function.
func (b *binder) returns(v *spec.Verb, fn *api.Function) {
	e, ret := entry{v.C, v.At}, b.facts.TypeOf(fn.Ret)
	b.wrong(e, row{fn.Variadic, "", variadic, "skip it with this reason"})
	if b.first(e, row{!conventions[v.Returns](ret) || v.Returns == spec.RetRereg && form.Written(v.C) == nil, "returns",
		"a function that returns " + fn.Ret + " does not return " + v.Returns, ""}) {
		return
	}
	enum, bits := b.enumBits(v.Result)
	o, other := orZero(b.ObjectByGo(v.Creates)), orZero(b.ObjectByC(ret.Tag))
	host := o.Memory == spec.MemoryHost && !lent(v)
	stored := v.MadeIn != "" || slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role == role.Made })
	b.wrong(e,
		row{v.Result != "" && v.Returns != spec.RetValue, "result", "it has result:, and returns no value",
			"remove result:, or write returns: value"},
		row{v.Returns == spec.RetValue && bits > 0 && (!isInt(ret) || ret.Tag != "" && ret.Tag != enum), "result",
			"it returns " + fn.Ret + ", and " + v.Result + " is made of " + enum, ""},
		row{v.Creates == "" && v.Returns == spec.RetNullErrno && other.Go != "" && ret.Depth() == 1, "returns",
			"it returns " + fn.Ret + ", and creates: does not say which object it makes",
			"write creates: " + other.Go + ", or returns: argument"},
		row{v.Returns == spec.RetArgument && (v.Creates != "" || !takes(fn, fn.Ret)), "returns",
			"it returns " + fn.Ret + ", and takes no such argument, or makes an object", ""},
		row{host && (!stored || ret.C != "void *" || v.Returns != spec.RetNullErrno), "creates",
			"it returns " + fn.Ret + ", and a verb that makes " + v.Creates + " returns the address of the memory, or NULL and errno, and " +
				"stores the object", ""},
		row{o.C == spec.ObjectInt && (v.Returns != spec.RetNumber && v.Returns != spec.RetNegated || !code(ret)), "creates",
			"it returns " + fn.Ret + " by the convention " + v.Returns + ", and " + v.Creates + " is an int",
			"write returns: number_minus1 or number_negated"},
		row{o.Go != "" && o.C != spec.ObjectInt && !host && !stored &&
			(ret.Tag != o.C && !slices.Contains(o.Also, ret.Tag) || ret.Depth() != 1), "creates",
			"it returns " + fn.Ret + ", and " + o.Go + " is a struct " + o.C + " *", ""})
}

// lent reports whether a verb takes the memory of the object that it makes.
func lent(v *spec.Verb) bool {
	return slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role == role.Addr })
}

// takes reports whether a function has a parameter of a C type.
func takes(fn *api.Function, ctype string) bool {
	return slices.ContainsFunc(fn.Params, func(p api.Param) bool { return p.Type == ctype })
}

// ended checks the verb that ends a new object in place of that of its page.
func (b *binder) ended(v, end *spec.Verb) {
	o := b.ObjectByGo(v.Creates)
	if o == nil {
		return
	}
	other := strings.Contains(v.Creates, ".") // of another module
	strange := func(p spec.Param) bool {
		return !p.IsHandle(v.Creates) && !slices.ContainsFunc(v.Params, func(q spec.Param) bool {
			return p.Role == role.Handle && q.IsHandle(p.Type) && !q.Null && (q.Parent || v.IsOf(q.Type))
		})
	}
	b.first(entry{v.C, v.At},
		row{!other && (end.C == o.Destroy || o.Memory == spec.MemoryDevice), "ended_by", v.Creates + " is ended by the verb of its page",
			"remove ended_by:"},
		row{!other && !b.takesOne(end, v.Creates), "ended_by", v.EndedBy + " does not take one " + v.Creates + aloneWords, ""},
		row{other && (len(end.Params)*len(v.Methods) == 0 || slices.ContainsFunc(end.Params, strange)), "ended_by",
			v.EndedBy + " does not take the new " + v.Creates + " or what each is made from", ""},
		row{!ends(end), "ended_by", v.EndedBy + " returns " + end.Returns + endsWords, ""})
}

// takesOne reports whether a verb takes a single handle of an object type, and else only what each such object is made from.
func (b *binder) takesOne(v *spec.Verb, object string) bool {
	i := slices.IndexFunc(v.Params, func(p spec.Param) bool { return p.IsHandle(object) })
	return i >= 0 && b.madeFrom(object, slices.Concat(v.Params[:i], v.Params[i+1:]))
}

// madeFrom reports whether parameters are handles that each object of a type is made from: it can give them to the verb that ends it.
func (b *binder) madeFrom(object string, params []spec.Param) bool {
	o := b.ObjectByGo(object)
	return !slices.ContainsFunc(params, func(p spec.Param) bool {
		given := func(v *spec.Verb) bool { // by the call that makes it
			return slices.ContainsFunc(v.Params, func(q spec.Param) bool {
				return q.IsHandle(p.Type) && !q.Null && (q.Parent || v.IsOf(p.Type))
			})
		}
		root := p.Type == b.Module.Root
		made := o != nil && p.IsHandle(p.Type) && p.Field == "" && (root || slices.Contains(o.Parents, p.Type))
		for _, page := range b.Pages {
			made = made && (root || !slices.ContainsFunc(page.Verbs, func(v spec.Verb) bool { return v.Creates == object && !given(&v) }))
		}
		return !made
	})
}

// ends reports whether Close can call a verb.
func ends(v *spec.Verb) bool {
	return v.Returns == spec.RetErrno || v.Returns == spec.RetEither || v.Returns == spec.RetMinus1 || v.Returns == spec.RetVoid
}

const aloneWords = " alone, or with the objects that each is made from"

const endsWords = ", and Close can only call a verb that returns errno, errno_either, minus1_errno or nothing"

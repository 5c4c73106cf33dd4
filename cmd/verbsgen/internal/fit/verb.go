package fit

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// verb compares a verb with its C function. A function that the header lacks is reported elsewhere, or is newer than it.
func (c *checker) verb(v *spec.Verb) {
	fn := c.facts.Func(v.C)
	c.verbKeys(v)
	if fn != nil {
		c.returns(v, fn)
		c.paths(v, fn)
		c.stream(v, fn)
		c.used(v, fn)
	}
	c.ended(v)
	c.params(v, fn)
	c.methods(v, fn)
}

// anyForm reports whether a method of a verb has a form of which something holds.
func anyForm(v *spec.Verb, holds func(*form.Form) bool) bool {
	return slices.ContainsFunc(v.Methods, func(m spec.Method) bool { f := form.Of(v.C, m.Form); return f != nil && holds(f) })
}

// verbKeys checks the keys of a verb that need others, or exclude them.
func (c *checker) verbKeys(v *spec.Verb) {
	e, o, r := entry{v.C, v.At}, orZero(c.ObjectByGo(v.Creates)), orZero(c.RecordByGo(v.Lists))
	lists := anyForm(v, func(f *form.Form) bool {
		return f.Lists == r.Role || f.Name == form.Special && r.Role == spec.RecordEntry
	})
	number, other := orZero(v.Param(v.Extent)).Role == role.In, strings.Contains(v.Creates, ".")
	c.all(e,
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
		_, bits := c.enumType(name)
		c.all(e.on(v.At("needs_types", name)),
			row{bits == 0 && c.RecordByGo(name) == nil, "needs_types", "no type " + name + " in any page", ""})
	}
	for _, m := range v.Methods {
		o := orZero(c.ObjectByGo(receiver(&m)))
		c.all(e, row{v.Updates && (m.Form != form.Plain && m.Form != form.Special || len(o.Getters) == 0), "updates",
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
func (c *checker) returns(v *spec.Verb, fn *api.Function) {
	e, ret := entry{v.C, v.At}, c.facts.TypeOf(fn.Ret)
	c.all(e, row{fn.Variadic, "", "it takes any number of arguments, and a call with a variable number of arguments cannot be generated",
		"skip it with this reason"})
	if c.first(e, row{!conventions[v.Returns](ret) || v.Returns == spec.RetRereg && form.Written(v.C) == nil, "returns",
		"a function that returns " + fn.Ret + " does not return " + v.Returns, ""}) {
		return
	}
	enum, bits := c.enumType(v.Result)
	o, other := orZero(c.ObjectByGo(v.Creates)), orZero(c.ObjectByC(ret.Tag))
	host := o.Memory == spec.MemoryHost
	stored := v.MadeIn != "" || slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role == role.Made })
	c.all(e,
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
		row{o.Go != "" && !host && !stored && (ret.Tag != o.C && !slices.Contains(o.Also, ret.Tag) || ret.Depth() != 1), "creates",
			"it returns " + fn.Ret + ", and " + o.Go + " is a struct " + o.C + " *", ""})
}

// takes reports whether a function has a parameter of a C type.
func takes(fn *api.Function, ctype string) bool {
	return slices.ContainsFunc(fn.Params, func(p api.Param) bool { return p.Type == ctype })
}

// paths compares the types at the ends of paths with what they are for. Paths that lead nowhere are reported elsewhere.
func (c *checker) paths(v *spec.Verb, fn *api.Function) {
	look := func(e entry, key, path string, want shape) {
		if t, _, err := c.facts.TypeOfPath(fn, path); path != "" && err == nil {
			c.fits(e, key, path, path, t, want)
		}
	}
	e, o := entry{v.C, v.At}, orZero(c.ObjectByGo(v.Creates))
	if o.Memory != "" {
		look(e, "extent", v.Extent, length)
	}
	if v.Creates != "" {
		look(e, "asks", v.Asks, unsigned)
		look(e, "made_in", v.MadeIn, c.pointers(v.Creates, 1))
	}
	for i, path := range v.IOVA {
		at := e.on(v.At("iova", path))
		if word := path == spec.IOVAZero || path == spec.IOVAUnknown; word {
			c.all(at, row{len(v.IOVA) > 1, "iova", "iova: " + path + " is beside others", "keep one of them"})
			continue
		}
		look(at, "iova", path, address)
		c.all(at, row{i < len(v.IOVA)-1 && !c.maybeGiven(v, path), "iova",
			"iova: " + path + " is always given, so that what is behind it never counts", "let it be the last"})
	}
}

// maybeGiven reports whether a bit says that a field of a record is given.
func (c *checker) maybeGiven(v *spec.Verb, path string) bool {
	param, field, _ := strings.Cut(path, ".")
	r := orZero(c.RecordByGo(orZero(v.Param(param)).Type))
	return slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.C == field && f.Bit != "" })
}

// ended checks the verb that ends a new object in place of that of its page.
func (c *checker) ended(v *spec.Verb) {
	o, end := c.ObjectByGo(v.Creates), c.VerbByC(v.EndedBy)
	if o == nil || end == nil || c.facts.Func(v.EndedBy) == nil {
		return
	}
	other := strings.Contains(v.Creates, ".") // of another module
	alone := len(end.Params) == 1 && !slices.ContainsFunc(v.Methods, func(m spec.Method) bool { return receiver(&m) != end.Params[0].Type })
	c.first(entry{v.C, v.At},
		row{!other && (end.C == o.Destroy || o.Memory == spec.MemoryDevice), "ended_by", v.Creates + " is ended by the verb of its page",
			"remove ended_by:"},
		row{!other && !takesOne(end, v.Creates), "ended_by", v.EndedBy + " does not take one " + v.Creates + " alone", ""},
		row{other && !(alone && len(v.Methods) > 0), "ended_by", v.EndedBy + " does not take the one object that " + v.C + " is a method of", ""},
		row{!ends(end), "ended_by", v.EndedBy + " returns " + end.Returns + endsWords, ""})
}

// takesOne reports whether a verb takes a single handle of an object type.
func takesOne(v *spec.Verb, object string) bool {
	return len(v.Params) == 1 && v.Params[0].IsHandle(object)
}

// ends reports whether Close can call a verb.
func ends(v *spec.Verb) bool {
	return v.Returns == spec.RetErrno || v.Returns == spec.RetMinus1 || v.Returns == spec.RetVoid
}

const endsWords = ", and Close can only call a verb that returns errno, minus1_errno or nothing"

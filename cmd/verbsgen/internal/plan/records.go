package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// record plans the Go type of a record: one that the caller fills, or one that a verb fills. An entry of a list is planned
// with the list.
func (b *builder) record(r *model.Record) []Decl {
	switch {
	case r.Runtime != "":
		return []Decl{Alias{Doc{Does: "is " + naming.Lower(r.Doc), C: "struct " + r.C, Page: r.Page}, r.Go, r.Runtime}}
	case r.In:
		return b.setters(r)
	case r.Entry:
		return nil
	case r.Event:
		return b.event(r)
	}
	return readers(r)
}

// setters plans a record that the caller fills: the value and its mask bit are set together.
func (b *builder) setters(r *model.Record) []Decl {
	s := &Struct{Doc{Does: "is " + naming.Lower(r.Doc), C: "struct " + r.C, Page: r.Page}, r.Go,
		append([]Var{{Name: "c", Type: r.Mirror.Name}}, extras(r)...)}
	out := []Decl{s, constructor(r)}
	for _, f := range r.Fields {
		if !slices.Contains(r.New, f) {
			out = append(out, setter(r, f))
		}
		if f.Callback == form.CallbackMemory {
			out = append(out, b.memorySetters(r, f)...)
		}
	}
	if r.Tail != nil {
		out = append(out, tailSetter(r))
	}
	if r.Arm != nil && r.Arm.Tag != nil {
		out = append(out, ArmMethods{Record: r, Dev: b.root()})
	}
	out = append(out, pointed(r)...)
	for _, x := range r.Bits {
		m := chained(r, x.Go, Doc{Does: "asks for this: " + x.Doc, C: x.C, Page: r.Page}, nil)
		m.Steps = []Step{SetBits{To: "a.c." + r.Mask, Bits: hex(uint64(x.Value))}, ret(val("a"))}
		out = append(out, m)
	}
	for _, s := range r.Setups {
		out = append(out, b.setup(r, s)...)
	}
	return out
}

// chained is a method of a builder that returns it.
func chained(r *model.Record, name string, doc Doc, params []Var) *Method {
	return &Method{Doc: doc, Recv: Var{Name: "a", Type: "*" + r.Go}, Name: name, Params: params, Results: one("*" + r.Go)}
}

// extras are the fields that keep what C must not hold: handles and Go values.
func extras(r *model.Record) (out []Var) {
	if r.Beside {
		out = append(out, Var{Name: "mask", Type: "uint32", Remark: "which fields are given"})
	}
	if hasInt(r) {
		out = append(out, Var{Name: "err", Type: "error", Remark: "of the first value that does not fit"})
	}
	if r.Tail != nil {
		out = append(out, Var{Name: naming.Unexported(r.Tail.Go), Type: "[]" + r.Tail.Of})
	}
	for _, f := range r.Fields {
		switch {
		case f.Callback == form.CallbackMemory:
			out = append(out, Var{Name: "memory", Type: "mem.Source", Remark: "or none, and an address in c"})
		case f.Bytes && !f.Filled, f.Handles != nil, f.Points != nil:
			out = append(out, Var{Name: naming.Unexported(f.Go), Type: f.GoType})
		case f.Nested != nil:
			for _, x := range nestedBytes(f) {
				out = append(out, Var{Name: besideNested(f, x), Type: x.GoType})
			}
		case f.Object != nil:
			out = append(out, Var{Name: naming.Unexported(f.Go), Type: "*" + f.Object.Go})
		case f.Callback == form.CallbackAllocator:
			out = append(out, Var{Name: "allocator", Type: "Allocator"})
		case f.Callback == form.CallbackContext:
			out = append(out, Var{Name: "userContext", Type: "any"})
		}
	}
	return out
}

// constructor plans the beginning of a builder.
func constructor(r *model.Record) *Method {
	m := &Method{Name: "New" + r.Go, Results: one("*" + r.Go), Steps: []Step{Define{"a", composite("*" + r.Go)}}}
	var docs []string
	if r.Arm != nil && r.Arm.Tag != nil {
		tag := set("a.c."+r.Arm.Tag.Go, hex(uint64(r.Arm.Is.Value)))
		tag.Remark = r.Arm.Is.C
		m.Steps = append(m.Steps, tag, set("a.c."+r.Arm.Size.Go, number(uint64(r.Mirror.Size))))
	}
	for _, f := range r.New {
		p := naming.Unexported(f.Go)
		m.Params = append(m.Params, Var{Name: p, Type: f.GoType})
		m.Steps = append(m.Steps, setField(r, f, p)...)
		docs = append(docs, p+": "+strings.TrimSuffix(f.Doc, ".")+".")
	}
	m.Steps = append(m.Steps, ret(val("a")))
	m.Doc = Doc{Does: "starts an attribute structure " + r.Go + ".", More: []string{listed(docs)}}
	return m
}

// setField sets a field of builder a, and its bit in the mask.
func setField(r *model.Record, f *model.Field, v string) []Step {
	switch {
	case f.Handles != nil, f.Points != nil, f.Filled:
		return setList(r, f, v)
	case f.Bytes:
		keep := []Step{set("a."+naming.Unexported(f.Go), of("slices", "Clone", val(v))), set("a.c."+f.Len.Go, Value{As: Length, Path: v, Type: f.Len.GoType})}
		if most := longest[f.Len.GoType]; most > 0 {
			return append([]Step{FirstLong{v, r.Go + "." + f.Go, most}}, keep...)
		}
		return keep
	case f.Object != nil:
		return []Step{set("a."+naming.Unexported(f.Go), val(v))}
	case f.Callback == form.CallbackAllocator:
		return []Step{set("a.allocator", val(v))}
	case f.Callback == form.CallbackContext:
		return []Step{set("a.userContext", val(v))}
	}
	leaf := "a.c." + f.Leaf.Go
	var out []Step
	if f.GoType == "int" && f.Nested == nil {
		out = append(out, FirstErr{v, r.Go + "." + f.Go})
	}
	if most := narrow(f); most > 0 {
		out = append(out, FirstWide{v, r.Go + "." + f.Go, most})
	}
	if f.Callback == form.CallbackMemory && f.Nested == nil {
		out = append(out, set("a.memory", composite("mem.Source")))
	}
	switch {
	case f.Nested != nil:
		out = append(out, If{as(IsGiven, v), append([]Step{set(leaf, val(v+".c"))}, alongNested(f, v)...)})
	case f.Bool:
		out = append(out, set(leaf, zero), If{val(v), []Step{set(leaf, number(1))}})
	case f.Leaf.Big:
		out = append(out, set(leaf, reversed(f.Leaf, v)))
	default:
		out = append(out, set(leaf, convert(f.Leaf.GoType, f.GoType, val(v))))
	}
	switch {
	case f.Bit == nil:
	case r.Beside:
		out = append(out, maskBits("a.mask", f))
	case r.Mask != "":
		out = append(out, maskBits("a.c."+r.Mask, f))
	}
	return out
}

// tailSetter plans the method that takes the structs behind a struct.
func tailSetter(r *model.Record) *Method {
	list := "a." + naming.Unexported(r.Tail.Go)
	m := chained(r, r.Tail.Go, Doc{Does: "adds " + withArticle(r.Tail.Doc), C: "struct " + r.C, Page: r.Page}, []Var{{Name: "v", Type: "..." + r.Tail.Of}})
	m.Steps = []Step{Set{To: []string{list}, Values: []Value{{As: Appended, Path: list, Text: "v"}}}, ret(val("a"))}
	return m
}

// arms plans the types that stand for any of several records.
func (b *builder) arms() (out []Decl) {
	for _, r := range b.pkg.Records {
		if r.Tail != nil {
			out = append(out, Arms{Tail: r.Tail, Dev: b.root()})
		}
	}
	return append(out, b.pointedArms()...)
}

// reversed turns the bytes of a number around.
func reversed(l *model.Leaf, path string) Value {
	return Value{As: Reversed, Path: path, N: uint64(l.Size * 8)}
}

// setter plans the method that sets a field.
func setter(r *model.Record, f *model.Field) *Method {
	doc := Doc{Does: "sets " + withArticle(f.Doc), C: "struct " + r.C + "." + f.C, Page: r.Page}
	if f.Bit != nil {
		doc.Does = strings.TrimSuffix(doc.Does, ".") + ". It also sets the mask bit."
		doc.C += ", " + f.Bit.C
	}
	if f.Since != "" {
		doc.More = []string{"Since rdma-core " + f.Since + "."}
	}
	typ := f.GoType
	switch f.Callback {
	case form.CallbackAllocator:
		typ = "Allocator"
	case form.CallbackContext:
		typ = "any"
	}
	m := chained(r, f.Go, doc, []Var{{Name: "v", Type: typ}})
	m.Steps = append(setField(r, f, "v"), ret(val("a")))
	return m
}

// withArticle makes "the length in bytes" of "length in bytes".
func withArticle(doc string) string {
	for _, begins := range []string{"whether ", "a ", "an ", "the "} {
		if strings.HasPrefix(doc, begins) {
			return doc
		}
	}
	return "the " + doc
}

// readers plans a record that a verb fills or takes a list of, and how it is read out of the mirror and written into it.
func readers(r *model.Record) []Decl {
	s := &Struct{Name: r.Go, Doc: Doc{Does: "is " + naming.Lower(r.Doc), C: "struct " + r.C, Page: r.Page}}
	layout := func(name, text string) *Method {
		return &Method{Doc: Doc{Text: text}, Recv: Var{Name: "r", Type: "*" + r.Go}, Name: name, Params: []Var{{Name: "c", Type: "*" + r.Mirror.Name}}}
	}
	from, to := layout("from", "from reads the C layout."), layout("to", "to writes the C layout.")
	for _, f := range r.Fields {
		doc := f.Doc
		if f.Since != "" {
			doc += "; 0 where the library is older than rdma-core " + f.Since
		}
		if f.Leaf.Big {
			doc += "; in the host's byte order"
		}
		s.Fields = append(s.Fields, Var{Name: f.Go, Type: f.GoType, Doc: doc, Remark: f.C})
		from.Steps = append(from.Steps, readField(f))
		to.Steps = append(to.Steps, set("c."+f.Leaf.Go, convert(f.Leaf.GoType, f.GoType, val("r."+f.Go))))
	}
	if r.Listed {
		return []Decl{s, from, to}
	}
	return []Decl{s, from}
}

// readField reads field f of r out of the mirror c; a nested record reads itself.
func readField(f *model.Field) Step {
	field, leaf := "r."+f.Go, "c."+f.Leaf.Go
	switch {
	case f.Record != nil:
		return Do{result(field+".from", as(Address, leaf))}
	case f.Bytes:
		return set(field, of("cmem", "Bytes", val(leaf), wide("c."+f.Len.Go)))
	case f.Text:
		return set(field, as(CText, leaf))
	case f.Bool:
		return set(field, as(IsNotZero, leaf))
	case f.Leaf.Big:
		return set(field, reversed(f.Leaf, leaf))
	}
	return set(field, convert(f.GoType, f.Leaf.GoType, val(leaf)))
}

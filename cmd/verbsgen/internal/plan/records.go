package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// Builder is the constructor and the methods of a record with a mask: a method sets the value and its bit.
type Builder struct {
	Record  *model.Record
	New     Doc
	Setters []Setter
}

// Setter is the method that sets a field, or one bit of the mask.
type Setter struct {
	Field *model.Field  // nil for a bit
	Bit   *model.Switch // nil for a field
	Type  string        // of the parameter
	// Keeps is the Go field that keeps the value, of one that C never sees. Memory are the setters beside one that takes an address.
	Keeps  string
	Memory []MemorySetter
	Doc    Doc
}

// MemorySetter is the method that takes memory, which the new object then holds, by a function of package mem.
type MemorySetter struct {
	Name, Param, Type, From string
	Doc                     Doc
}

// Layout is how a struct is written in C's layout, and read from it.
type Layout struct {
	Record   *model.Record
	To, From bool
}

// record plans the Go type of a record: one that the caller fills, or one that a verb fills. An entry of a list is planned
// with the list.
func (b *builder) record(r *model.Record) []Decl {
	switch {
	case r.Runtime != "":
		doc := docOfRecord(r)
		doc.More = []string{Says("alias", Words{"Type": r.Runtime + "." + r.Go, "Package": "runtime/" + r.Runtime, "Name": r.Go})}
		return []Decl{Alias{doc, r.Go, r.Runtime}}
	case r.Plain:
		return b.plain(r)
	case r.In:
		return b.builder(r)
	case r.Entry:
		return nil
	case r.Event:
		return b.event(r)
	}
	return []Decl{structOf(r), Layout{Record: r, From: true, To: r.Listed}}
}

func docOfRecord(r *model.Record) Doc {
	return Doc{Does: "is " + naming.Lower(r.Doc), C: "struct " + r.C, Page: r.Page}
}

// structOf plans a struct with a field for each one of the page.
func structOf(r *model.Record) *Struct {
	s := &Struct{Name: r.Go, Doc: docOfRecord(r)}
	for _, f := range r.Fields {
		doc := f.Doc
		if f.Since != "" && !r.In {
			doc += "; 0 where the library is older than rdma-core " + f.Since
		}
		if f.Leaf.Big {
			doc += "; in the host's byte order"
		}
		s.Fields = append(s.Fields, Var{Name: f.Go, Type: f.GoType, Doc: doc, Remark: f.C})
	}
	for _, x := range r.Bits {
		s.Fields = append(s.Fields, Var{Name: x.Go, Type: "bool", Doc: "whether " + x.Doc, Remark: x.C})
	}
	return s
}

// plain plans a record that the caller fills as a struct.
func (b *builder) plain(r *model.Record) []Decl {
	if slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Callback != "" }) {
		b.errorf("struct "+r.C, "memory and functions of Go are for a record with a mask")
	}
	if packed(r) && KeepsError(r) {
		b.errorf("struct "+r.C, "a value may not fit, and nothing reports that of a struct in a list")
	}
	out := []Decl{structOf(r), Layout{Record: r, To: true, From: b.fills(r)}}
	if packed(r) {
		out = append(out, ArmMethods{Record: r, Dev: b.root()})
	}
	return append(out, pointed(r)...)
}

// packed reports whether a record lies behind another, with a tag that says which it is.
func packed(r *model.Record) bool { return r.Arm != nil && r.Arm.Tag != nil }

// fills reports whether a verb fills a record.
func (b *builder) fills(r *model.Record) bool {
	return slices.ContainsFunc(b.pkg.Verbs, func(v *model.Verb) bool {
		return slices.ContainsFunc(v.Params, func(p *model.Param) bool {
			return p.Record == r && p.Role == role.OutRecord ||
				slices.ContainsFunc(p.Pairs, func(x *model.Pair) bool { return x.Out.Record == r })
		})
	})
}

// builder plans a record that the caller fills by methods.
func (b *builder) builder(r *model.Record) []Decl {
	s := &Struct{docOfRecord(r), r.Go, append([]Var{{Name: "c", Type: r.Mirror.Name}}, extras(r)...)}
	if slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Bit != nil && !slices.Contains(r.New, f) }) {
		s.Doc.More = []string{"A method that sets a field also sets its bit in the mask."}
	}
	x := Builder{Record: r, New: constructor(r)}
	for _, f := range r.Fields {
		if !slices.Contains(r.New, f) {
			x.Setters = append(x.Setters, setter(r, f))
		}
	}
	for _, bit := range r.Bits {
		x.Setters = append(x.Setters, Setter{Bit: bit, Doc: Doc{Does: strings.TrimSuffix(bit.Doc, ".") + ".\nC: " + bit.C + "."}})
	}
	out := append([]Decl{s, x}, pointed(r)...)
	for _, s := range r.Setups {
		out = append(out, b.setup(r, s)...)
	}
	return out
}

// extras are the fields of a builder that keep what C must not hold: handles and Go values.
func extras(r *model.Record) (out []Var) {
	if r.Beside {
		out = append(out, Var{Name: "mask", Type: "uint32", Remark: "which fields are given"})
	}
	if KeepsError(r) {
		out = append(out, Var{Name: "err", Type: "error", Remark: "of the first value that does not fit"})
	}
	if r.Tail != nil {
		out = append(out, Var{Name: naming.Unexported(r.Tail.Go), Type: "[]" + r.Tail.Of})
	}
	for _, f := range r.Fields {
		switch {
		case f.Callback == spec.CallbackMemory:
			out = append(out, Var{Name: "memory", Type: "mem.Source", Remark: "or none, and an address in c"})
		case f.Bytes && !f.Filled, f.Handles != nil, f.Points != nil:
			out = append(out, Var{Name: Kept(r, f), Type: f.GoType})
		case f.Nested != nil:
			for _, x := range NestedBytes(f) {
				out = append(out, Var{Name: KeptIn(r, f, x), Type: x.GoType})
			}
		case f.Object != nil:
			out = append(out, Var{Name: Kept(r, f), Type: f.GoType})
		case f.Callback == spec.CallbackAllocator:
			out = append(out, Var{Name: "allocator", Type: "Allocator"})
		case f.Callback == spec.CallbackContext:
			out = append(out, Var{Name: "userContext", Type: "any"})
		}
	}
	return out
}

// Kept is the Go field with what a record does not have in C's layout: of a struct the field itself, of a builder one beside that layout.
func Kept(r *model.Record, f *model.Field) string {
	if r.Plain {
		return f.Go
	}
	return naming.Unexported(f.Go)
}

// KeptIn is where a record has the bytes x of its nested record f.
func KeptIn(r *model.Record, f, x *model.Field) string {
	if r.Plain {
		return f.Go + "." + x.Go
	}
	return naming.Unexported(f.Go) + x.Go
}

// constructor is the comment of the function that begins a builder.
func constructor(r *model.Record) Doc {
	var docs []string
	for _, f := range r.New {
		docs = append(docs, naming.Unexported(f.Go)+": "+strings.TrimSuffix(f.Doc, ".")+".")
	}
	return Doc{Does: "starts an attribute structure " + r.Go + ".", More: []string{listed(docs)}}
}

// setter plans the method that sets a field.
func setter(r *model.Record, f *model.Field) Setter {
	does, c := "sets "+strings.TrimSuffix(withArticle(f.Doc), ".")+".", f.C
	if f.Since != "" {
		does += " Since rdma-core " + f.Since + "."
	}
	if f.Bit != nil {
		c += ", " + f.Bit.C
	}
	s := Setter{Field: f, Type: f.GoType, Doc: Doc{Does: does + "\nC: " + c + "."}}
	switch f.Callback {
	case spec.CallbackAllocator:
		s.Type, s.Keeps = "Allocator", "allocator"
	case spec.CallbackContext:
		s.Type, s.Keeps = "any", "userContext"
	case spec.CallbackMemory:
		for _, m := range []MemorySetter{{Name: "Memory", Param: "buf", Type: "[]byte", From: "FromBytes"},
			{Name: "Pin", Param: "pin", Type: "*mem.Pin", From: "FromPin"},
			{Name: "Buffer", Param: "buf", Type: "*mem.Buffer", From: "FromBuffer"}} {
			m.Doc = Doc{Does: Says(m.Name, nil), C: "struct " + r.C + "." + f.C, Page: r.Page}
			s.Memory = append(s.Memory, m)
		}
	}
	return s
}

// arms plans the interface types that several records implement.
func (b *builder) arms() (out []Decl) {
	for _, r := range b.pkg.Records {
		if r.Tail != nil {
			out = append(out, Arms{Tail: r.Tail, Dev: b.root()})
		}
	}
	return append(out, b.pointedArms()...)
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

// Narrow is the greatest value of a field that is narrower in C than its Go type; 0 of others.
func Narrow(f *model.Field) uint64 {
	if f.Enum == nil || f.Leaf == nil || f.Enum.Bits <= int(f.Leaf.Size*8) {
		return 0
	}
	return longest[f.Leaf.GoType]
}

// LargestMTU is the greatest value of a field that has an MTU as a code; 0 of others. Above it is a number of bytes, by mistake.
func LargestMTU(f *model.Field) (most uint64) {
	if f.Enum == nil || f.Enum.Code != spec.NumberMTU {
		return 0
	}
	for _, m := range f.Enum.Members {
		most = max(most, uint64(m.Value))
	}
	return most
}

// Longest is the greatest number of bytes that a field counts; 0 where any number fits.
func Longest(f *model.Field) uint64 {
	switch {
	case f.Filled:
		return uint64(f.Leaf.Size)
	case f.Counted != nil:
		return 0
	}
	return longest[f.Len.GoType]
}

// KeepsError reports whether a record takes what may not fit into C's field: a Go int, a value of a wider type, an MTU, bytes, or a
// record with such a field.
func KeepsError(r *model.Record) bool {
	return slices.ContainsFunc(r.Fields, func(f *model.Field) bool {
		return f.GoType == "int" || f.Bytes && f.Counted == nil || Narrow(f) > 0 || LargestMTU(f) > 0 || f.Nested != nil && KeepsError(f.Nested)
	})
}

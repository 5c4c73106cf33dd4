package bind

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
)

// shape is a set of C types, with its name for messages. One without has is not checked, as what it is
// made of is not known.
type shape struct {
	words string
	has   func(spec.CType) bool
}

// The shapes that keys of pages are for.
var (
	integer  = shape{"an integer", isInt}
	unsigned = shape{"an unsigned integer", func(t spec.CType) bool { return isInt(t) && !t.Signed }}
	number   = shape{"an unsigned integer that is no enum", func(t spec.CType) bool { return unsigned.has(t) && t.Tag == "" }}
	length   = shape{"an unsigned integer of 64 bits", func(t spec.CType) bool { return unsigned.has(t) && t.Bits == 64 }}
	address  = shape{"a pointer, or an unsigned integer of 64 bits", func(t spec.CType) bool { return t.Pointer || length.has(t) }}
	word     = shape{"a pointer, or an integer of 64 bits", func(t spec.CType) bool { return t.Pointer || isInt(t) && t.Bits == 64 }}
	state    = shape{"an integer of 32 bits, or a pointer", func(t spec.CType) bool { return t.Pointer || isInt(t) && t.Bits == 32 }}
	truth    = shape{"an integer of at most 32 bits", func(t spec.CType) bool { return isInt(t) && t.Bits <= 32 && t.Tag == "" }}
	function = shape{"a function", func(t spec.CType) bool { return t.Kind == spec.CFunc }}
	pointer  = shape{"a pointer", func(t spec.CType) bool { return t.Pointer }}
	toOne    = shape{"a pointer to one struct", func(t spec.CType) bool { return t.Pointer && t.Depth() == 1 }}
	swapped  = shape{"an integer in network byte order", func(t spec.CType) bool { return t.BigEndian() }}
	ordered  = shape{"an unsigned integer of more than 8 bits", func(t spec.CType) bool { return number.has(t) && t.Bits > 8 }}
	text     = shape{"an array of char", func(t spec.CType) bool {
		return t.Array && (t.Kind == spec.CText || t.Kind == spec.CInt && t.Bits == 8 && !t.Signed)
	}}
	bytes = shape{"a pointer to bytes or to a struct that counts them, or an array of numbers", func(t spec.CType) bool {
		numbers := t.Array && t.Depth() == 0 && (t.Kind == spec.CInt || strings.Contains(t.C, "[")) && !strings.Contains(t.C, "struct ")
		return t.Depth() == 1 && (t.Tag == "" || t.Counted() != nil) || numbers
	}}
)

// isInt reports whether a type is an integer or an enum of the host's byte order, by value.
func isInt(t spec.CType) bool {
	return t.Kind == spec.CInt && !t.Pointer && !t.Array && !t.BigEndian()
}

// inside is the shape of a struct or union by value.
func inside(word, tag string) shape {
	return shape{"a " + word + " " + tag, func(t spec.CType) bool {
		return t.Kind == spec.CStruct && !t.Pointer && !t.Array && t.Tag == tag
	}}
}

// pointers is the shape of a pointer to an object, or of a pointer to several such pointers.
func (b *binder) pointers(object string, depth int) shape {
	o := b.ObjectByGo(object)
	if o == nil {
		return shape{}
	}
	if o.C == spec.ObjectInt {
		return shape{"a handle that is a pointer", func(spec.CType) bool { return false }}
	}
	return shape{"a struct " + o.C + " " + strings.Repeat("*", depth), func(t spec.CType) bool {
		return t.Depth() == depth && t.Tag == o.C && !t.Array
	}}
}

// behind is the shape of a pointer to a record, or to one of several.
func (b *binder) behind(record string) shape {
	r := b.RecordByGo(record)
	if r == nil {
		return toOne
	}
	return shape{"a struct " + r.C + " *", func(t spec.CType) bool { return toOne.has(t) && (t.Tag == r.C || isVoid(t)) }}
}

// isVoid reports whether a type is a void *.
func isVoid(t spec.CType) bool { return t.Kind == spec.CAddr && t.Bits == 0 && t.Depth() == 1 }

// named is the shape of what a Go type under type: is made of.
func (b *binder) named(name string) shape {
	switch r, u := b.RecordByGo(name), b.UnionByGo(name); {
	case u != nil:
		return inside("union", u.C)
	case name == "uintptr":
		return word
	case r != nil:
		return inside("struct", r.C)
	}
	e := b.enumShape(name, "most")
	if e.has == nil {
		return e
	}
	return shape{e.words, func(t spec.CType) bool { return isInt(t) && e.has(t) }}
}

// enumShape is the shape of the integers, of any byte order, that a type of flags or values is made of: of "most" or "least" its bits.
func (b *binder) enumShape(name, end string) shape {
	enum, bits := b.enumBits(name)
	if bits == 0 {
		return shape{}
	}
	words := fmt.Sprintf("an integer of at %s %d bits", end, bits)
	if enum != "" {
		words = "an enum " + enum + " or " + words
	}
	return shape{words, func(t spec.CType) bool {
		wide := t.Bits == bits || (t.Bits > bits) == (end == "least")
		return wide && (t.Tag == "" || enum == "" || b.facts.Enum(t.Tag) == b.facts.Enum(enum))
	}}
}

// isValue reports whether a name is that of a type of flags or values.
func (b *binder) isValue(name string) bool { _, bits := b.enumBits(name); return bits > 0 }

// sameShape is the shape of a number in memory that has the bits of a type of flags or values.
func (b *binder) sameShape(name string) shape {
	_, bits := b.enumBits(name)
	e := b.enumShape(name, "most")
	return shape{fmt.Sprintf("a number of %d bits in the order of the host", bits), func(t spec.CType) bool {
		return t.Bits == bits && !t.BigEndian() && e.has(t)
	}}
}

// fieldType is the type of a field, which may lie inside of others; ok is false if the struct has none of that name.
func (b *binder) fieldType(tag, path string) (t spec.CType, ok bool) {
	return b.pathOf(b.facts.TypeOf("struct "+tag), path)
}

// pathOf is the type at the end of a path through structs, unions, and the first element of lists ("sg_list->addr").
func (b *binder) pathOf(t spec.CType, path string) (_ spec.CType, ok bool) {
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "->", "."), ".") {
		if t.Pointer && t.Tag != "" {
			t = b.facts.TypeOf("struct " + t.Tag)
		}
		if t, ok = b.facts.Member(t, step); !ok {
			return t, false
		}
	}
	return t, path != ""
}

// enumBits is the C enum of a Go type of flags or values, and its width; 0 if there is no such type.
func (b *binder) enumBits(name string) (enum string, bits uint) {
	if f := b.FlagByGo(name); f != nil {
		return f.Enum, uint(f.Bits)
	}
	e := b.EnumByGo(name)
	switch {
	case e == nil || e.Untyped:
		return "", 0
	case len(e.Members)+len(e.Enum) == 0:
		return "", uint(form.FindCode(e.Code).Bits)
	case e.Enum == "": // of one without a tag
		if of := b.facts.EnumOf(e.Members[0]); of != nil && anonymous(of.Tag) {
			return strings.TrimPrefix(of.Tag, "enum "), 32
		}
	}
	return e.Enum, 32
}

package explain

import (
	"slices"

	"github.com/verbsgen/verbsgen/spec"
)

// Kinds of values.
const (
	isInteger = "integer" // enums too
	isStruct  = "struct"  // or a union: of Of, by value or by pointer
	isObject  = "object"  // a pointer to a struct that is used through handles: of Of
	isAddress = "address" // a pointer to numbers or bytes
	isText    = "text"
	isOther   = "other"
)

// Value is the type of a parameter or a field.
type Value struct {
	Is      string `json:"is"`
	C       string `json:"c,omitempty"` // as the header writes it
	Bits    uint   `json:"bits,omitempty"`
	Signed  bool   `json:"signed,omitempty"`
	Of      string `json:"of,omitempty"`      // key of types
	Pointer bool   `json:"pointer,omitempty"` // a struct by pointer: NULL is a value of it
	Array   bool   `json:"array,omitempty"`
	Element *Value `json:"element,omitempty"` // of an address: what it points to
}

// Type is a struct, a union or an object.
type Type struct {
	Object bool              `json:"object"` // its fields are state: one that a call leaves out is unknown, not zero
	Fields map[string]*Value `json:"fields"` // and properties of an object
	// Same are second names of fields.
	Same map[string]string `json:"same,omitempty"`
	// Counts are fields with the length of a list beside them.
	Counts map[string]string `json:"counts,omitempty"`
	// Sums are fields that are the sum of two others.
	Sums map[string][2]string `json:"sums,omitempty"`
	// Base is the field with the object that this one begins with, whose fields a case may give without it.
	Base string `json:"base,omitempty"`
}

var kinds = map[string]string{
	spec.CInt: isInteger, spec.CStruct: isStruct, spec.CObject: isObject, spec.CAddr: isAddress, spec.CText: isText,
}

// value describes a type, and adds those that it is made of to the file.
func (m *maker) value(t spec.CType) *Value {
	v := &Value{Is: kinds[t.Kind], C: t.C, Pointer: t.Pointer, Array: t.Array}
	switch t.Kind {
	case spec.CInt:
		v.Bits, v.Signed = t.Bits, t.Signed
	case spec.CStruct, spec.CObject:
		v.Of = m.typ(t)
	case spec.CAddr, spec.COther:
		if of := m.facts.Element(t); of.C != t.C {
			v.Element = m.value(of)
		}
	}
	if v.Is == "" {
		v.Is = isOther
	}
	return v
}

// typ adds a struct or an object, and returns its key.
func (m *maker) typ(t spec.CType) string {
	key := t.Key()
	if m.file.Types[key] != nil {
		return key
	}
	object := t.Kind == spec.CObject
	out := &Type{Object: object, Fields: map[string]*Value{}}
	m.file.Types[key] = out
	names := m.facts.Members(t)
	for _, name := range names {
		ft, _ := m.facts.Member(t, name)
		out.Fields[name] = m.value(ft)
		if ft.Kind == spec.CStruct && object && m.facts.IsObject(ft.Tag) {
			out.Base = name
		}
		if alias := m.facts.PropAlias(t.Tag, name); alias != "" {
			if out.Same == nil {
				out.Same = map[string]string{}
			}
			out.Same[name] = alias
		}
		if list := counted[name]; list != "" && slices.Contains(names, list) {
			out.Counts = map[string]string{name: list}
		}
	}
	if slices.Contains(names, end) && slices.Contains(names, "addr") {
		out.Sums = map[string][2]string{end: {"addr", "length"}}
	}
	if ft, known := m.facts.Member(t, "context"); known && object {
		out.Fields["context"] = m.value(ft)
	}
	return key
}

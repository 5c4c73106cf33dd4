package api

import (
	"fmt"
	"strings"
)

// Agreed has the properties of a name, as the stored releases give them. It leaves out a property on which two releases
// differ.
type Agreed map[string]string

// Properties of names.
const (
	PropValue     = "value"     // of an enumerator or macro
	PropSigned    = "C type"    // of an enum: int when it has a negative value
	PropSize      = "size"      // of a record or field, in bytes
	PropAlign     = "alignment" // of a record
	PropOffset    = "offset"    // of a field, in bytes
	PropFromEnd   = "from end"  // of a field: from its offset to the end of the record
	PropType      = "type"      // of a field
	PropSignature = "signature" // of a function: the types of its result and parameters
	PropKind      = "kind"      // of a function: inline, or exported by the library
	PropOp        = "op"        // of an inline function that calls an op of the provider
	PropStandsFor = "stands for"
)

// Properties returns the properties of each name of a release.
func Properties(rel *Release) map[string]Agreed {
	out := map[string]Agreed{}
	for _, d := range rel.declared() {
		out[d.owner+d.member] = d.is()
	}
	return out
}

// Positions returns the place of each name of a release that was read from a header.
func Positions(rel *Release) map[string]Pos {
	at := map[string]Pos{}
	for _, d := range rel.declared() {
		at[d.owner+d.member] = d.at
	}
	return at
}

// declared is a name that a release declares: that of a field is behind that of its record, with a dot.
type declared struct {
	owner, member string
	at            Pos
	is            func() Agreed
}

// declared are the names of functions, records, fields, enums, enumerators, macros and aliases.
func (rel *Release) declared() (out []declared) {
	add := func(owner, member string, at Pos, is func() Agreed) {
		out = append(out, declared{owner, member, at, is})
	}
	value := func(v any) func() Agreed { return func() Agreed { return Agreed{PropValue: fmt.Sprint(v)} } }
	for _, f := range rel.Functions {
		add(f.Name, "", f.Pos, func() Agreed { return ofFunction(f) })
	}
	for _, r := range rel.Records {
		add(r.Tag, "", r.Pos, func() Agreed { return ofRecord(r) })
		for _, f := range r.Fields {
			if f.Name != "" {
				add(r.Tag, "."+f.Name, f.Pos, func() Agreed { return ofField(f, r.Size) })
			}
		}
	}
	for _, e := range rel.Enums {
		add(e.Tag, "", e.Pos, func() Agreed { return ofEnum(e) })
		for _, m := range e.Enumerators {
			add(m.Name, "", Pos{File: e.Pos.File, Line: m.Line, Col: 1}, value(m.Value))
		}
	}
	for _, m := range rel.Macros {
		add(m.Name, "", m.Pos, value(m.Value))
	}
	for _, a := range rel.Aliases {
		add(a.Name, "", a.Pos, func() Agreed { return Agreed{PropStandsFor: a.Of} })
	}
	return out
}

func ofFunction(f Function) Agreed {
	p := Agreed{PropSignature: signature(f), PropKind: Exported}
	if f.Kind == Inline {
		p[PropKind] = Inline
	}
	if d := f.Dispatch; d != nil && d.Op != "" && d.Way != WayExport {
		p[PropOp] = d.Op
	}
	return p
}

func ofRecord(r Record) Agreed {
	if r.Incomplete {
		return Agreed{}
	}
	return Agreed{PropSize: fmt.Sprint(r.Size), PropAlign: fmt.Sprint(r.Align)}
}

func ofField(f Field, recordSize int64) Agreed {
	ctype := f.Type
	if f.BitSize != nil {
		ctype = fmt.Sprintf("%s : %d", f.Type, *f.BitSize)
	}
	return Agreed{PropType: ctype, PropSize: fmt.Sprint(f.Size), PropOffset: fmt.Sprint(f.Offset),
		PropFromEnd: fmt.Sprint(recordSize - f.Offset)}
}

func ofEnum(e Enum) Agreed {
	if e.Signed {
		return Agreed{PropSigned: "int"}
	}
	return Agreed{PropSigned: "unsigned int"}
}

// signature writes the types of a function.
func signature(f Function) string {
	types := make([]string, len(f.Params))
	for i, p := range f.Params {
		types[i] = p.Type
	}
	if f.Variadic {
		types = append(types, "...")
	}
	return f.Ret + " (" + strings.Join(types, ", ") + ")"
}

// Agreement returns the property values on which all stored releases that have a name agree, by the names of
// [Properties].
func (k *Known) Agreement() (map[string]Agreed, error) {
	h, err := k.history()
	if err != nil {
		return nil, err
	}
	all, differ := map[string]Agreed{}, map[string]bool{}
	for _, release := range h.different() {
		rel, err := h.shared(release)
		if err != nil {
			return nil, err
		}
		for name, props := range Properties(rel) {
			if all[name] == nil {
				all[name] = Agreed{}
			}
			for p, v := range props {
				was, known := all[name][p]
				if known && was != v {
					delete(all[name], p)
					differ[name+" "+p] = true
				} else if !differ[name+" "+p] {
					all[name][p] = v
				}
			}
		}
	}
	return all, nil
}

// Lifetime says since which release a name exists, and whether it still does.
type Lifetime struct {
	Since string // first release that has it
	Stays bool   // every later one has it too
	last  int    // index of the last one that has it
}

// Lifetimes returns the lifetime of every name of [Index].
func (k *Known) Lifetimes() (map[string]Lifetime, error) { return k.names() }

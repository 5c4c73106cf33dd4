package api

import (
	"encoding/json"
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
	for _, f := range rel.Functions {
		out[f.Name] = ofFunction(f)
	}
	for _, r := range rel.Records {
		out[r.Tag] = ofRecord(r)
		for _, f := range r.Fields {
			if f.Name != "" {
				out[r.Tag+"."+f.Name] = ofField(f, r.Size)
			}
		}
	}
	for _, e := range rel.Enums {
		out[e.Tag] = ofEnum(e)
		for _, m := range e.Enumerators {
			out[m.Name] = ofEnumerator(m)
		}
	}
	for _, m := range rel.Macros {
		out[m.Name] = ofMacro(m)
	}
	for _, a := range rel.Aliases {
		out[a.Name] = ofAlias(a)
	}
	return out
}

// Positions returns the place of each name of a release that was read from a header.
func Positions(rel *Release) map[string]Pos {
	at := map[string]Pos{}
	for _, f := range rel.Functions {
		at[f.Name] = f.Pos
	}
	for _, r := range rel.Records {
		at[r.Tag] = r.Pos
		for _, f := range r.Fields {
			at[r.Tag+"."+f.Name] = f.Pos
		}
	}
	for _, e := range rel.Enums {
		at[e.Tag] = e.Pos
		for _, m := range e.Enumerators {
			at[m.Name] = Pos{File: e.Pos.File, Line: m.Line, Col: 1}
		}
	}
	for _, m := range rel.Macros {
		at[m.Name] = m.Pos
	}
	for _, a := range rel.Aliases {
		at[a.Name] = a.Pos
	}
	return at
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

func ofEnumerator(m Enumerator) Agreed { return Agreed{PropValue: fmt.Sprint(m.Value)} }
func ofMacro(m Macro) Agreed           { return Agreed{PropValue: fmt.Sprint(m.Value)} }
func ofAlias(a Alias) Agreed           { return Agreed{PropStandsFor: a.Of} }

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
	return h.agreement()
}

func (h *history) agreement() (map[string]Agreed, error) {
	a := &agreement{all: map[string]Agreed{}, differ: map[string]map[string]bool{}}
	for _, f := range h.facts { // sizes first: what a field has to its end depends on them
		if f.kind == KindRecord {
			var r Record
			if err := json.Unmarshal([]byte(f.data), &r); err != nil {
				return nil, err
			}
			a.sizes = append(a.sizes, recordSize{r.Tag, f.first, f.last, r.Size})
		}
	}
	for _, f := range h.facts {
		if err := a.fact(f); err != nil {
			return nil, fmt.Errorf("%w in %.80s", err, f.data)
		}
	}
	return a.all, nil
}

// recordSize is the size of a record in some releases.
type recordSize struct {
	tag         string
	first, last int
	size        int64
}

// agreement merges what the facts say.
type agreement struct {
	all    map[string]Agreed
	differ map[string]map[string]bool // name -> properties that two releases see otherwise
	sizes  []recordSize
	owner  string // tag of the record whose fields come
}

func (a *agreement) fact(f fact) error {
	switch f.kind {
	case KindFunction:
		return merge(a, f, func(v Function) (string, Agreed) { return v.Name, ofFunction(v) })
	case KindRecord:
		return merge(a, f, func(v Record) (string, Agreed) { a.owner = v.Tag; return v.Tag, ofRecord(v) })
	case KindField:
		var v Field
		if err := json.Unmarshal([]byte(f.data), &v); err != nil || v.Name == "" {
			return err
		}
		for _, s := range a.sizes {
			if s.tag == a.owner && s.first <= f.last && f.first <= s.last {
				a.put(a.owner+"."+v.Name, ofField(v, s.size))
			}
		}
	case KindEnum:
		return merge(a, f, func(v Enum) (string, Agreed) { return v.Tag, ofEnum(v) })
	case KindEnumerator:
		return merge(a, f, func(v Enumerator) (string, Agreed) { return v.Name, ofEnumerator(v) })
	case KindMacro:
		return merge(a, f, func(v Macro) (string, Agreed) { return v.Name, ofMacro(v) })
	case KindAlias:
		return merge(a, f, func(v Alias) (string, Agreed) { return v.Name, ofAlias(v) })
	}
	return nil
}

func merge[T any](a *agreement, f fact, read func(T) (string, Agreed)) error {
	var v T
	if err := json.Unmarshal([]byte(f.data), &v); err != nil {
		return err
	}
	name, props := read(v)
	a.put(name, props)
	return nil
}

// put keeps what agrees with what was put before.
func (a *agreement) put(name string, props Agreed) {
	old := a.all[name]
	if old == nil {
		a.all[name] = props
		a.differ[name] = map[string]bool{}
		return
	}
	for p, v := range props {
		switch was, known := old[p]; {
		case a.differ[name][p]:
		case !known:
			old[p] = v
		case was != v:
			delete(old, p)
			a.differ[name][p] = true
		}
	}
}

// Lifetime says since which release a name exists, and whether it still does.
type Lifetime struct {
	Since string // first release that has it
	Stays bool   // every later one has it too
}

// Lifetimes returns the lifetime of every name of [Index].
func (k *Known) Lifetimes() (map[string]Lifetime, error) {
	names, err := k.names()
	if err != nil {
		return nil, err
	}
	releases := k.Releases()
	out := make(map[string]Lifetime, len(names))
	for name, n := range names {
		out[name] = Lifetime{releases[n.first], n.stays}
	}
	return out, nil
}

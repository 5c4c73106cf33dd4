// Package apidiff compares the facts of two releases, and says by the pages what the differences mean for the generated Go package.
//
// It owns what counts as added, removed and changed. It knows nothing of headers or files.
package apidiff

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Kinds of declarations.
const (
	Function   = "function"
	Record     = "record"
	Field      = "field"
	Enum       = "enum"
	Enumerator = "enumerator"
	Macro      = "macro"
)

// Change is one difference.
type Change struct {
	Kind string  `json:"kind"`
	Name string  `json:"name"`         // a field is written struct ibv_mr.lkey
	Of   string  `json:"of,omitempty"` // the record or enum that a field or enumerator belongs to
	Old  string  `json:"old,omitempty"`
	New  string  `json:"new,omitempty"`
	Go   string  `json:"go,omitempty"` // what it means for the Go API; filled by FillGo
	Pos  api.Pos `json:"pos"`          // in the new header, or in the old one for what is removed
}

// Diff is all differences, each list in header order.
type Diff struct {
	Added   []Change `json:"added"`
	Removed []Change `json:"removed"`
	Changed []Change `json:"changed"`
}

// Empty reports whether the two releases declare the same.
func (d *Diff) Empty() bool { return len(d.Added)+len(d.Removed)+len(d.Changed) == 0 }

// Summary counts the differences by kind, in one line: "added: 2 functions, 1 field; changed: 1 record".
func (d *Diff) Summary() string {
	var parts []string
	for _, l := range []struct {
		what string
		list []Change
	}{{"added", d.Added}, {"removed", d.Removed}, {"changed", d.Changed}} {
		var counts []string
		for _, kind := range []string{Function, Record, Field, Enum, Enumerator, Macro} {
			n := 0
			for _, c := range l.list {
				if c.Kind == kind {
					n++
				}
			}
			switch {
			case n == 1:
				counts = append(counts, "1 "+kind)
			case n > 1:
				counts = append(counts, fmt.Sprintf("%d %ss", n, kind))
			}
		}
		if len(counts) > 0 {
			parts = append(parts, l.what+": "+strings.Join(counts, ", "))
		}
	}
	if len(parts) == 0 {
		return "no differences"
	}
	return strings.Join(parts, "; ")
}

// shifts returns, by tag, by how much the fields of a record have moved that only grew at its front, as verbs_context does: all by as
// much as the record is longer. That is no change of any of them.
func shifts(old, cur *api.Release) map[string]int64 {
	before := map[string]api.Record{}
	for _, r := range old.Records {
		before[r.Tag] = r
	}
	out := map[string]int64{}
	for _, r := range cur.Records {
		was, by := before[r.Tag], r.Size-before[r.Tag].Size
		same := by > 0 && len(was.Fields) > 0
		for _, f := range was.Fields {
			now := r.Field(f.Name)
			same = same && now != nil && (f.Name == "" || now.Offset == f.Offset+by)
		}
		if same {
			out[r.Tag] = by
		}
	}
	return out
}

// Compare returns the differences between two releases, without fields that only moved because their record grew at its front.
func Compare(old, cur *api.Release) *Diff {
	d := &Diff{Added: []Change{}, Removed: []Change{}, Changed: []Change{}}
	a, b := read(old, shifts(old, cur)), read(cur, nil)
	for _, c := range b.list {
		before, ok := a.at[key(c)]
		switch {
		case !ok && (c.Of == "" || a.at[ofKey(c)].Name != ""): // of a new record the record alone is told
			d.Added = append(d.Added, c)
		case ok && before.New != c.New:
			c.Old = before.New
			d.Changed = append(d.Changed, c)
		}
	}
	for _, c := range a.list {
		if _, ok := b.at[key(c)]; !ok && (c.Of == "" || b.at[ofKey(c)].Name != "") {
			c.Old, c.New = c.New, ""
			d.Removed = append(d.Removed, c)
		}
	}
	return d
}

// key tells declarations apart.
func key(c Change) string { return c.Kind + " " + c.Name }

// ofKey is the key of what a field or enumerator belongs to.
func ofKey(c Change) string {
	if c.Kind == Field {
		return Record + " " + c.Of
	}
	return Enum + " " + c.Of
}

// listing is a release as a flat list; New of each entry describes it in full.
type listing struct {
	list []Change
	at   map[string]Change
}

func (l *listing) add(c Change) {
	if _, twice := l.at[key(c)]; twice {
		return // an unnamed member: its fields are told
	}
	l.list = append(l.list, c)
	l.at[key(c)] = c
}

// read lists a release, with the fields of some records moved.
func read(r *api.Release, moved map[string]int64) *listing {
	l := &listing{at: map[string]Change{}}
	for _, f := range r.Functions {
		l.add(Change{Kind: Function, Name: f.Name, New: Signature(f), Pos: f.Pos})
	}
	for _, rec := range r.Records {
		l.add(Change{Kind: Record, Name: rec.Tag, New: size(rec), Pos: rec.Pos})
		for _, f := range rec.Fields {
			f.Offset += moved[rec.Tag]
			if f.Name != "" {
				l.add(Change{Kind: Field, Name: rec.Tag + "." + f.Name, Of: rec.Tag, New: place(f), Pos: f.Pos})
			}
		}
	}
	for _, e := range r.Enums {
		tag := e.Tag
		if strings.Contains(tag, "<anonymous") && len(e.Enumerators) > 0 {
			tag = "enum of " + e.Enumerators[0].Name // its number may differ between releases
		}
		l.add(Change{Kind: Enum, Name: tag, Pos: e.Pos})
		for _, m := range e.Enumerators {
			pos := e.Pos
			pos.Line, pos.Col = m.Line, 0
			l.add(Change{Kind: Enumerator, Name: m.Name, Of: tag, New: fmt.Sprint(m.Value), Pos: pos})
		}
	}
	for _, m := range r.Macros {
		l.add(Change{Kind: Macro, Name: m.Name, New: fmt.Sprint(m.Value), Pos: m.Pos})
	}
	return l
}

// Signature writes a function as C, behind its kind where that is not a plain export.
func Signature(f api.Function) string {
	params := make([]string, len(f.Params))
	for i, p := range f.Params {
		params[i] = join(p.Type, p.Name)
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	s := join(f.Ret, f.Name) + "(" + strings.Join(params, ", ") + ")"
	if f.Kind != api.Exported {
		s = f.Kind + " " + s
	}
	return s
}

// join puts a C type before a name.
func join(typ, name string) string {
	switch {
	case name == "":
		return typ
	case strings.HasSuffix(typ, "*"):
		return typ + name
	}
	return typ + " " + name
}

func size(r api.Record) string {
	if r.Incomplete {
		return "incomplete"
	}
	return fmt.Sprintf("%d bytes, aligned to %d", r.Size, r.Align)
}

func place(f api.Field) string {
	s := fmt.Sprintf("%s at %d, %d bytes", f.Type, f.Offset, f.Size)
	if f.BitSize != nil && f.BitOffset != nil {
		s += fmt.Sprintf(", bits %d to %d", *f.BitOffset, *f.BitOffset+*f.BitSize-1)
	}
	return s
}

package apidiff

import (
	"reflect"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

func old() *api.Release {
	return &api.Release{
		Functions: []api.Function{
			{Name: "f", Kind: api.Exported, Ret: "int", Params: []api.Param{{Name: "p", Type: "struct s *"}}},
			{Name: "gone", Kind: api.Inline, Ret: "void"},
		},
		Records: []api.Record{
			{Tag: "struct s", Size: 8, Align: 4, Fields: []api.Field{{Name: "a", Type: "int", Size: 4},
				{Name: "b", Type: "int", Offset: 4, Size: 4}}},
			{Tag: "struct gone", Size: 4, Align: 4, Fields: []api.Field{{Name: "x", Type: "int", Size: 4}}},
		},
		Enums:  []api.Enum{{Tag: "enum <anonymous 1>", Enumerators: []api.Enumerator{{Name: "A", Value: 1}, {Name: "B", Value: 2}}}},
		Macros: []api.Macro{{Name: "M", Value: int64(1)}},
	}
}

func TestCompareSame(t *testing.T) {
	if d := Compare(old(), old()); !d.Empty() {
		t.Errorf("a release differs from itself: %+v", d)
	}
}

func TestCompare(t *testing.T) {
	cur := &api.Release{
		Functions: []api.Function{
			{Name: "f", Kind: api.Exported, Ret: "int", Params: []api.Param{{Name: "p", Type: "struct s *"}, {Name: "n", Type: "int"}}},
			{Name: "g", Kind: api.Redirect, Ret: "void *", Pos: api.Pos{File: "h", Line: 3}},
		},
		Records: []api.Record{
			{Tag: "struct s", Size: 16, Align: 8, Fields: []api.Field{{Name: "a", Type: "int", Size: 4},
				{Name: "c", Type: "long", Offset: 8, Size: 8}}},
			{Tag: "struct new", Size: 4, Align: 4, Fields: []api.Field{{Name: "y", Type: "int", Size: 4}}},
		},
		Enums: []api.Enum{
			{Tag: "enum <anonymous 1>", Enumerators: []api.Enumerator{{Name: "Z", Value: 1}}},
			{Tag: "enum <anonymous 2>", Enumerators: []api.Enumerator{{Name: "A", Value: 1}, {Name: "B", Value: 3}, {Name: "C", Value: 4, Line: 9}}},
		},
		Macros: []api.Macro{{Name: "M", Value: int64(2)}},
	}
	got := Compare(old(), cur)
	want := &Diff{
		Added: []Change{
			{Kind: Function, Name: "g", New: "macro void *g(void)", Pos: api.Pos{File: "h", Line: 3}},
			{Kind: Field, Name: "struct s.c", Of: "struct s", New: "long at 8, 8 bytes"},
			{Kind: Record, Name: "struct new", New: "4 bytes, aligned to 4"},
			{Kind: Enum, Name: "enum of Z"},
			{Kind: Enumerator, Name: "C", Of: "enum of A", New: "4", Pos: api.Pos{Line: 9}},
		},
		Removed: []Change{
			{Kind: Function, Name: "gone", Old: "inline void gone(void)"},
			{Kind: Field, Name: "struct s.b", Of: "struct s", Old: "int at 4, 4 bytes"},
			{Kind: Record, Name: "struct gone", Old: "4 bytes, aligned to 4"},
		},
		Changed: []Change{
			{Kind: Function, Name: "f", Old: "int f(struct s *p)", New: "int f(struct s *p, int n)"},
			{Kind: Record, Name: "struct s", Old: "8 bytes, aligned to 4", New: "16 bytes, aligned to 8"},
			{Kind: Enumerator, Name: "B", Of: "enum of A", Old: "2", New: "3"},
			{Kind: Macro, Name: "M", Old: "1", New: "2"},
		},
	}
	check := func(what string, g, w []Change) {
		for i := range max(len(g), len(w)) {
			switch {
			case i >= len(g):
				t.Errorf("%s: missing %+v", what, w[i])
			case i >= len(w):
				t.Errorf("%s: too much %+v", what, g[i])
			case !reflect.DeepEqual(g[i], w[i]):
				t.Errorf("%s %d: got %+v, want %+v", what, i, g[i], w[i])
			}
		}
	}
	check("added", got.Added, want.Added)
	check("removed", got.Removed, want.Removed)
	check("changed", got.Changed, want.Changed)
}

// TestFront puts a field before the others of a record, and then also changes one of them.
func TestFront(t *testing.T) {
	grown := func(b string) *api.Release {
		cur := old()
		cur.Records[0].Size = 12
		cur.Records[0].Fields = []api.Field{{Name: "front", Type: "int", Size: 4}, {Name: "a", Type: "int", Offset: 4, Size: 4},
			{Name: "b", Type: b, Offset: 8, Size: 4}}
		return cur
	}
	if s := Compare(old(), grown("int")).Summary(); s != "added: 1 field; changed: 1 record" {
		t.Error(s)
	}
	if s := Compare(old(), grown("long")).Summary(); s != "added: 1 field; changed: 1 record, 1 field" {
		t.Error(s)
	}
	if s := Compare(old(), old()).Summary(); s != "no differences" {
		t.Error(s)
	}
}

package api

import (
	"slices"
	"strings"
	"testing"
)

// TestOwn keeps what the header itself declares, and of another one what this names: whole where it is held by value, else its tag.
func TestOwn(t *testing.T) {
	mine, other := Pos{File: "mine.h"}, Pos{File: "other.h"}
	rel := &Release{
		Functions: []Function{{Name: "f", Ret: "int",
			Params: []Param{{Name: "x", Type: "const struct pointed *"}, {Name: "e", Type: "enum used"}}, Pos: mine},
			{Name: "g", Pos: other}},
		Records: []Record{
			{Tag: "struct inner", Size: 4, Fields: []Field{{Name: "a", Type: "int"}}, Pos: other},
			{Tag: "struct held", Size: 4, Fields: []Field{{Name: "i", Type: "struct inner"}, {Name: "p", Type: "union far *"}}, Pos: other},
			{Tag: "struct pointed", Size: 8, Fields: []Field{{Name: "s", Type: "struct unnamed"}}, Pos: other},
			{Tag: "struct unnamed", Size: 8, Pos: other},
			{Tag: "union far", Size: 8, Pos: other},
			{Tag: "struct mine", Size: 8, Fields: []Field{{Name: "h", Type: "struct held[2]"}}, Pos: mine},
		},
		Enums:   []Enum{{Tag: "enum used", Pos: other}, {Tag: "enum unused", Pos: other}, {Tag: "enum mine", Pos: mine}},
		Macros:  []Macro{{Name: "MINE", Pos: mine}, {Name: "OTHER", Pos: other}},
		Aliases: []Alias{{Name: "ALIAS", Pos: other}},
	}
	got := Own(rel, func(file string) bool { return file == "mine.h" })
	var names []string
	for _, f := range got.Functions {
		names = append(names, f.Name)
	}
	for _, r := range got.Records {
		name := r.Tag
		if r.Foreign {
			name += " foreign"
		}
		if r.Incomplete {
			name += " incomplete"
		}
		names = append(names, name)
	}
	for _, e := range got.Enums {
		names = append(names, e.Tag)
		if e.Foreign != (e.Tag == "enum used") {
			t.Errorf("%s: foreign %t", e.Tag, e.Foreign)
		}
	}
	for _, m := range got.Macros {
		names = append(names, m.Name)
	}
	want := []string{"f", "struct inner foreign", "struct held foreign", "struct pointed foreign incomplete",
		"union far foreign incomplete", "struct mine", "enum used", "enum mine", "MINE"}
	if !slices.Equal(names, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(names, ", "), strings.Join(want, ", "))
	}
	if len(got.Aliases) != 0 || rel.Records[2].Incomplete {
		t.Error("an alias of the other header is kept, or the facts that were given have changed")
	}
}

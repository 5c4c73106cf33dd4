package apidiff

import (
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// TestFront puts a field before the others of a record, and then also changes one of them.
func TestFront(t *testing.T) {
	record := func(size int64, fields ...api.Field) *api.Release {
		return &api.Release{Records: []api.Record{{Tag: "struct s", Size: size, Align: 4, Fields: fields}}}
	}
	old := record(8, api.Field{Name: "a", Type: "int", Size: 4}, api.Field{Name: "b", Type: "int", Offset: 4, Size: 4})
	for b, want := range map[string]string{"int": "added: 1 field; changed: 1 record", "long": "added: 1 field; changed: 1 record, 1 field"} {
		grown := record(12, api.Field{Name: "front", Type: "int", Size: 4}, api.Field{Name: "a", Type: "int", Offset: 4, Size: 4},
			api.Field{Name: "b", Type: b, Offset: 8, Size: 4})
		if s := Compare(old, grown).Summary(); s != want {
			t.Errorf("%s: %s", b, s)
		}
	}
}

// TestAnonymous numbers an enum without a tag otherwise.
func TestAnonymous(t *testing.T) {
	a := api.Enum{Tag: "enum <anonymous 1>", Enumerators: []api.Enumerator{{Name: "A", Value: 1}}}
	z := api.Enum{Tag: a.Tag, Enumerators: []api.Enumerator{{Name: "Z", Value: 1}}}
	second := a
	second.Tag = "enum <anonymous 2>"
	d := Compare(&api.Release{Enums: []api.Enum{a}}, &api.Release{Enums: []api.Enum{z, second}})
	if len(d.Added) != 1 || d.Added[0].Name != "enum of Z" || len(d.Removed)+len(d.Changed) > 0 {
		t.Errorf("%+v", d)
	}
}

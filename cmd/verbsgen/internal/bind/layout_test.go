package bind

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestGoType gives the Go types of fields, and says why a field has none.
func TestGoType(t *testing.T) {
	facts := spec.NewFacts(&api.Release{
		Enums: []api.Enum{{Tag: "enum e", Signed: true, Enumerators: []api.Enumerator{{Name: "E_A", Value: -1}}},
			{Tag: "enum u", Enumerators: []api.Enumerator{{Name: "U_A", Value: 1}}}},
		Records: []api.Record{{Tag: "struct pair", Size: 16, Align: 8,
			Fields: []api.Field{{Name: "a", Type: "uint64_t", Size: 8}, {Name: "b", Type: "void *", Offset: 8, Size: 8}}},
			{Tag: "struct open", Incomplete: true}, {Tag: "struct odd", Size: 12, Align: 4,
				Fields: []api.Field{{Name: "a", Type: "uint64_t", Size: 8}}}},
	})
	b := &binder{facts: facts, shown: map[string]shownUnion{"union ibv_gid": {Go: "GID", Size: 16, Align: 1}}}
	for _, c := range []struct {
		f       api.Field
		want    string // Go type
		record  string
		problem string
	}{
		{api.Field{Type: "uint16_t", Size: 2}, "uint16", "", ""},
		{api.Field{Type: "char[64]", Size: 64}, "[64]byte", "", ""},
		{api.Field{Type: "const char *", Size: 8}, "uintptr", "", ""},
		{api.Field{Type: "enum u", Size: 4}, "uint32", "", ""},
		{api.Field{Type: "enum e", Size: 4}, "int32", "", ""},
		{api.Field{Type: "struct pair", Size: 16}, "cPair", "pair", ""},
		{api.Field{Type: "union ibv_gid", Size: 16, Offset: 1}, "GID", "", ""},
		{api.Field{Type: "struct open", Size: 8}, "cOpen", "open", "struct open is not defined in this header"},
		{api.Field{Type: "uint32_t", Size: 8}, "uint32", "", "has 8 bytes, and the Go type uint32 has 4"},
		{api.Field{Type: "uint32_t", Size: 4, Offset: 2}, "uint32", "", "its offset 2 is not one at which Go places a uint32"},
		{api.Field{Type: "char[0]"}, "byte", "", "its type has no size"},
		{api.Field{Type: "double", Size: 8}, "", "", `its C type "double" has no Go equivalent`},
	} {
		got, record, err := b.goType(c.f)
		if err == nil {
			err = b.fits(c.f, got)
		}
		if c.problem == "" && (got != c.want || record != c.record || err != nil) || c.problem != "" &&
			(err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s at %d: %q of record %q, %v; want %q of %q, %q", c.f.Type, c.f.Offset, got, record, err, c.want, c.record, c.problem)
		}
	}
	for tag, want := range map[string]string{"struct pair": "", "struct open": "is declared in this header, but not defined",
		"struct none": "is not defined in this header",
		"struct odd":  "its size of 12 bytes is no multiple of the alignment 8 that Go gives it"} {
		if got := b.noMirror(facts.Record(tag)); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

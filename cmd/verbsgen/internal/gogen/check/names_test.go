package check

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// TestMaskMakesBuilder: attributes whose C struct has a mask, in it or in a parameter beside
// it, have a builder; all others, and all results, are plain structs.
func TestMaskMakesBuilder(t *testing.T) {
	p := packageOf(t, spec.DefaultModule)
	plain, builders := 0, 0
	for _, r := range p.model.Records {
		if r.Runtime != "" || r.Entry || p.structs[r.Go] == nil {
			continue
		}
		masked := r.In && (r.Beside || slices.ContainsFunc(r.Mirror.Leaf,
			func(l *model.Leaf) bool { return l.C == "comp_mask" || l.C == "attr_mask" }))
		builder := p.field(r.Go, "c") != ""
		if masked != builder {
			t.Errorf("%s of struct %s: a mask in C: %t, a builder: %t", r.Go, r.C, masked, builder)
		}
		if !builder && slices.ContainsFunc(p.structs[r.Go].Fields.List, func(f *ast.Field) bool { return !f.Names[0].IsExported() }) {
			t.Errorf("%s: a plain struct with fields that a program cannot set", r.Go)
		}
		if builder {
			builders++
		} else if r.In {
			plain++
		}
	}
	if plain < 30 || builders < 20 {
		t.Errorf("only %d plain structs and %d builders", plain, builders)
	}
}

// TestAttrInInfoOut holds the names of what verbs take and return: ...Attr goes in, ...Info comes out. What a verb fills for another one to
// take is called as that takes it, and an element of a list ...Entry.
func TestAttrInInfoOut(t *testing.T) {
	pkg := packageOf(t, spec.DefaultModule).model
	seen, listed := map[string]bool{}, map[*model.Record]bool{}
	for _, v := range pkg.Verbs {
		for _, p := range v.Params {
			listed[p.Record] = listed[p.Record] || p.Role == role.Filled
		}
	}
	for _, v := range pkg.Verbs {
		for _, p := range v.Params {
			r := p.Record
			if r == nil || r.Runtime != "" || len(v.Methods) == 0 || p.Role != role.InRecord && p.Role != role.OutRecord {
				continue
			}
			want := "Info"
			if r.In {
				want = "Attr"
			}
			seen[r.Go] = true
			if !strings.HasSuffix(strings.TrimSuffix(r.Go, "Ex"), want) && !(listed[r] && strings.HasSuffix(r.Go, "Entry")) {
				t.Errorf("%s.%s is a %s, which should end in %s", v.C, p.C, r.Go, want)
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d records", len(seen))
	}
}

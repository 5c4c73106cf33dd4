package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// TestMaskMakesBuilder holds the rule that the package comment states: attributes whose C struct has a mask, in it or in a parameter beside
// it, have a builder; all others, and all results, are plain structs.
func TestMaskMakesBuilder(t *testing.T) {
	pkg, p := realPlan(t)
	structs, builders := map[string]*Struct{}, map[string]bool{}
	for _, d := range p.Records {
		switch d := d.(type) {
		case *Struct:
			structs[d.Name] = d
		case Builder:
			builders[d.Record.Go] = true
		}
	}
	plain := 0
	for _, r := range pkg.Records {
		if r.Runtime != "" || r.Entry {
			continue
		}
		masked := r.In && (r.Beside || slices.ContainsFunc(r.Mirror.Leaf,
			func(l *model.Leaf) bool { return l.C == "comp_mask" || l.C == "attr_mask" }))
		if masked != builders[r.Go] {
			t.Errorf("%s of struct %s: a mask in C: %t, a builder: %t", r.Go, r.C, masked, builders[r.Go])
		}
		exported := !slices.ContainsFunc(structs[r.Go].Fields, func(v Var) bool { return strings.ToUpper(v.Name[:1]) != v.Name[:1] })
		if !masked && !exported {
			t.Errorf("%s: a plain struct with fields that a program cannot set", r.Go)
		}
		if r.In && !masked {
			plain++
		}
	}
	if plain < 30 || len(builders) < 20 {
		t.Errorf("only %d plain structs and %d builders", plain, len(builders))
	}
}

// TestAttrInInfoOut holds the names of what verbs take and return: ...Attr goes in, ...Info comes out. What a verb fills for another one to
// take is called as that takes it, and an element of a list ...Entry.
func TestAttrInInfoOut(t *testing.T) {
	pkg, _ := realPlan(t)
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

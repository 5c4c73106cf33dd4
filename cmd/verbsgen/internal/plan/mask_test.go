package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
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

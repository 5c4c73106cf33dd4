package spec

import (
	"io/fs"
	"strings"
	"testing"
)

// FuzzLoad: any bytes give a spec or errors, never both and never a panic; an error has a place, words and a known
// code; what is loaded is in its indexes.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(goodPage))
	f.Add([]byte(sharedPage))
	f.Add([]byte(notNullPage("source: x}\nsources:\n  x: {file: libibverbs/verbs.c")))
	f.Add([]byte(sharedFile))
	f.Add([]byte(goodPage + takenRules))
	files := must(fs.Glob(pages, "verbs/*.yaml"))(f)
	for _, name := range files {
		data := must(fs.ReadFile(pages, name))(f)
		if len(data) < 1<<12 { // the larger ones make every step slow and reach nothing else
			f.Add(data)
		}
	}
	for _, s := range []string{"", "\t", "a: &a [*a]", "{<<: {page: x}}", "? [x]\n: y", "--- x\n--- y", "!!binary aGk=",
		"page: !!int x", "\xff", "\ufeffpage: x", "rules: [{id: 1}]", "page: x\nsources: x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := loadText("ibv_reg_mr.yaml", string(data))
		if (s == nil) == (err == nil) {
			t.Fatalf("spec %v with error %v", s, err)
		}
		if err != nil {
			errs, ok := err.(Errors)
			if !ok || len(errs) == 0 {
				t.Fatalf("error of type %T", err)
			}
			for _, e := range errs {
				if e.Pos.File != "ibv_reg_mr.yaml" || e.Pos.Line < 1 || e.Pos.Col < 1 || e.Subject == "" || e.Problem == "" ||
					!strings.HasPrefix(e.Code, "spec-") {
					t.Fatalf("%+v: %v", e, e)
				}
			}
			return
		}
		for r := range s.AllRules() {
			if s.RuleByID(r.ID) != r {
				t.Fatalf("rule %s is not in the index", r.ID)
			}
		}
		for v := range s.Verbs() {
			if s.VerbByC(v.C) != v {
				t.Fatalf("verb %s is not in the index", v.C)
			}
		}
	})
}

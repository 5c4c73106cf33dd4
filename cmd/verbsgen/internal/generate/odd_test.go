package generate

import (
	"errors"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/emit"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/templates"
)

// TestOddFacts goes from facts with a hole to a package without the look whether a header is whole: each hole is a
// diagnostic with its place, or the package does without.
func TestOddFacts(t *testing.T) {
	sp, err := spec.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	since, err := api.Since()
	if err != nil {
		t.Fatal(err)
	}
	known := load(t)
	refused := 0
	try := func(what string, rel *api.Release) {
		rel.Release = ""
		in := bind.Input{Release: rel, Known: known, Hash: "0", Since: func(name string) string { return since[name] }, Oldest: api.Releases()[0],
			Version: func(string) string { return "IBVERBS_1.1" }, Spec: sp, Package: "p", Specials: map[string]bind.Special{}}
		for name, s := range templates.Specials {
			in.Specials[name] = bind.Special(s)
		}
		pkg, err := bind.Bind(in)
		if err == nil {
			_, err = emit.Package(pkg)
		}
		if err == nil {
			return
		}
		refused++
		var list diag.List
		if !errors.As(err, &list) {
			t.Errorf("%s: a %T: %v", what, err, err)
		}
		for _, d := range list {
			if d.Code == diag.Internal || d.File == "" || d.Line == 0 && d.Code != diag.HeaderLacks {
				t.Errorf("%s: %s: %v", what, d.Code, d)
			}
		}
	}
	for i, f := range known.Functions {
		rel := load(t)
		rel.Functions = rel.Functions[i : i+1]
		try(f.Name+" alone", rel)
		if i%5 == 0 {
			rel = load(t)
			rel.Functions = slices.Delete(rel.Functions, i, i+1)
			try("without "+f.Name, rel)
		}
	}
	for i, r := range known.Records {
		if i%3 != 0 {
			continue
		}
		rel := load(t)
		rel.Records = slices.Delete(rel.Records, i, i+1)
		try("without "+r.Tag, rel)
		rel = load(t)
		rel.Records[i] = api.Record{Tag: r.Tag, Incomplete: true, Pos: r.Pos}
		try(r.Tag+" incomplete", rel)
		for j := range r.Fields {
			if (i+j)%40 == 0 {
				rel = load(t)
				rel.Records[i].Fields = slices.Delete(rel.Records[i].Fields, j, j+1)
				try("without "+r.Tag+"."+r.Fields[j].Name, rel)
			}
		}
	}
	for i := range known.Enums {
		if i%5 == 0 {
			rel := load(t)
			rel.Enums = slices.Delete(rel.Enums, i, i+1)
			try("without "+known.Enums[i].Tag, rel)
		}
	}
	if refused < 100 {
		t.Errorf("only %d were refused", refused)
	}
}

func load(t *testing.T) *api.Release {
	t.Helper()
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

package generate

import (
	"errors"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestOddFacts goes from facts with a hole to a package without the look whether a header is whole: each hole is a
// diagnostic with its place, or the package does without.
func TestOddFacts(t *testing.T) {
	sp, known := pages(t), newest(t)
	for i := range known.Functions { // stored facts have no lines
		known.Functions[i].Pos.Line = i + 1
	}
	for i := range known.Records {
		known.Records[i].Pos.Line = i + 1
		for j := range known.Records[i].Fields {
			known.Records[i].Fields[j].Pos.Line = i + 1
		}
	}
	refused := 0
	try := func(what string, rel *api.Release) {
		rel.Release = "" // as of a header
		pkg, err := bind.Bind(rel, sp, bind.Options{Package: "p", AllowUndecided: true})
		if err == nil {
			_, err = write(pkg)
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
		if !sampled(i, 18) {
			continue
		}
		rel := *known
		rel.Functions = known.Functions[i : i+1]
		try(f.Name+" alone", &rel)
		if sampled(i, 36) {
			rel.Functions = without(known.Functions, i)
			try("without "+f.Name, &rel)
		}
	}
	for i, r := range known.Records {
		if !sampled(i, 24) {
			continue
		}
		rel := *known
		rel.Records = without(known.Records, i)
		try("without "+r.Tag, &rel)
		rel.Records = slices.Clone(known.Records)
		rel.Records[i] = api.Record{Tag: r.Tag, Incomplete: true, Pos: r.Pos}
		try(r.Tag+" incomplete", &rel)
		for j := range r.Fields {
			if sampled(i+j, 60) {
				rel.Records[i] = r
				rel.Records[i].Fields = without(r.Fields, j)
				try("without "+r.Tag+"."+r.Fields[j].Name, &rel)
			}
		}
	}
	for i, e := range known.Enums {
		if sampled(i, 18) {
			rel := *known
			rel.Enums = without(known.Enums, i)
			try("without "+e.Tag, &rel)
		}
	}
	if refused < 15 {
		t.Errorf("only %d were refused", refused)
	}
}

// without is a copy of a list that lacks one element.
func without[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }

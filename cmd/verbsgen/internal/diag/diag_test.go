package diag

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

func TestErrorForm(t *testing.T) {
	for _, c := range []struct {
		d    Diag
		want string
	}{
		{Diag{File: "a.h", Line: 3, Col: 7, Subject: "struct x", Problem: "is incomplete", Fix: "define it"},
			"a.h:3:7: struct x: is incomplete; define it"},
		{Diag{File: "a.h", Line: 3, Subject: "s", Problem: "p"}, "a.h:3: s: p"},
		{Diag{File: "a.h", Col: 3, Problem: "p"}, "a.h: p"},
		{Diag{Subject: "--only", Problem: "matches nothing", Fix: "see verbsgen coverage"},
			"verbsgen: --only: matches nothing; see verbsgen coverage"},
		{Diag{File: "a.h", Subject: "x\ny", Problem: "has \xff and \x1b[0m"}, `a.h: x\ny: has \xff and \x1b[0m`},
		{Diag{File: "é.h", Problem: `says "no"`}, `é.h: says "no"`},
	} {
		if got := c.d.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestListIsSortedByPosition(t *testing.T) {
	l := List{
		{File: "b", Line: 1, Problem: "4"},
		{File: "a", Line: 10, Problem: "3"},
		{File: "a", Line: 9, Col: 20, Problem: "2"},
		{File: "a", Line: 9, Col: 3, Problem: "1"},
		{File: "a", Line: 9, Col: 3, Problem: "1"},
	}
	want := "a:9:3: 1\na:9:20: 2\na:10: 3\nb:1: 4"
	if got := l.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if l[0].Problem != "4" {
		t.Error("sorting for print changed the list itself")
	}
}

func TestEmptyListIsNoError(t *testing.T) {
	var l List
	if err := l.Err(); err != nil {
		t.Errorf("Err() = %v, want nil", err)
	}
}

func TestFrom(t *testing.T) {
	d := Diag{Code: Usage, Problem: "p"}
	coded := spec.Errors{{Pos: spec.Pos{File: "f.yaml", Line: 2, Col: 4}, Subject: "key", Problem: "is odd", Fix: "drop it",
		Code: spec.CodeTab}}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"nil":     {nil, ""},
		"list":    {List{d, d}, "verbsgen: p"},
		"wrapped": {fmt.Errorf("load: %w", List{d}), "verbsgen: p"},
		"diag":    {d, "verbsgen: p"},
		"single":  {fmt.Errorf("load: %w", coded[0]), "f.yaml:2:4: key: is odd; drop it"},
		"coded":   {coded, "f.yaml:2:4: key: is odd; drop it"},
		"joined":  {errors.Join(coded, List{d}), "verbsgen: p\nf.yaml:2:4: key: is odd; drop it"},
		"other":   {errors.New("boom"), "verbsgen: internal error: boom; report it with the command line and the input"},
	} {
		if got := From(c.err).Error(); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := From(coded)[0].Code; got != spec.CodeTab {
		t.Errorf("code %q was not taken over", got)
	}
}

// TestPrint prints the first of many, and how many more there are.
func TestPrint(t *testing.T) {
	var l List
	for i := range maxShown {
		l.Add(New(Usage, "f", i+1, 1, "s", "p", ""))
	}
	var b strings.Builder
	l.Print(&b, plain)
	if n := strings.Count(b.String(), "\n"); n != maxShown || !strings.HasSuffix(b.String(), "f:50:1: s: p\n") {
		t.Errorf("%d lines of %d: %q", n, len(l), b.String())
	}
	for i := range 299_950 {
		l.Add(New(Usage, "g", i+1, 1, "s", "p", ""))
	}
	b.Reset()
	l.Print(&b, plain)
	if n := strings.Count(b.String(), "\n"); n != maxShown+1 ||
		!strings.HasSuffix(b.String(), "f:50:1: s: p\nverbsgen: ... and 299,950 more\n") {
		t.Errorf("%d lines of %d: %q", n, len(l), b.String())
	}
	for n, want := range map[int]string{1: "1", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

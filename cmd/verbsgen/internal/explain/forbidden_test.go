package explain

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

//go:embed testdata/*.yaml
var callFiles embed.FS

// silent are the forbidden calls that no rule speaks of, each with the reason. A key is a verb, or
// one with the number of its call.
var silent = map[string]string{
	"ibv_create_ah_from_wc 5": "libibverbs does not look at the status, and no binding passes it",
	"ibv_fork_init 1":         "what the process did before is no argument",
	"ibv_post_srq_recv 1":     "providers take an empty list and post nothing",
}

// calls reads a file of testdata.
func calls(t *testing.T, name string) []spec.CallCase {
	t.Helper()
	data, err := callFiles.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := spec.ParseCases(name, data)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range list {
		id, _ := c.ID.(string)
		if seen[id] || len(c.Problems) > 0 || strings.Count(id, ": ") < 2 {
			t.Errorf("%s: %v: %q: not the first of this ID, or not of the form PAGE: VERB N: WORDS; %v", name, c.Pos, id, c.Problems)
		}
		seen[id] = true
	}
	return list
}

// told counts verdicts on forbidden calls.
type told struct{ reject, lint, silent int }

func (n told) String() string {
	return fmt.Sprintf("%3d rejected, %3d warned about, %2d silent", n.reject, n.lint, n.silent)
}

// Of the calls that the pages forbid by an independent reading, all but those of silent are rejected or warned about, and these are at
// most 5 %.
func TestForbiddenCalls(t *testing.T) {
	_, k := newest(t)
	var all told
	pages, order := map[string]*told{}, []string(nil)
	used := map[string]bool{}
	list := calls(t, "forbidden.yaml")
	for _, c := range list {
		id := c.ID.(string)
		page, rest, _ := strings.Cut(id, ": ")
		number, _, _ := strings.Cut(rest, ": ")
		if pages[page] == nil {
			pages[page] = &told{}
			order = append(order, page)
		}
		r := k.Evaluate(Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: c.Caps})
		if r.Problem {
			t.Errorf("%s: cannot be read: %v", id, r.Messages)
		}
		key := number
		if silent[key] == "" {
			key = c.Verb
		}
		for _, n := range []*told{&all, pages[page]} {
			switch r.Verdict {
			case Reject:
				n.reject++
			case Warn:
				n.lint++
			default:
				n.silent++
			}
		}
		if r.Verdict == Reject || r.Verdict == Warn {
			if silent[key] != "" {
				t.Errorf("%s: no longer silent (%s); remove %q from the list", id, r.Verdict, key)
			}
			continue
		}
		if silent[key] == "" {
			t.Errorf("%s: %s; not judged: %v %v", id, r.Verdict, r.NotJudged, r.Messages)
		}
		used[key] = true
	}
	for key := range silent {
		if !used[key] {
			t.Errorf("%q is listed as silent, and no call is", key)
		}
	}
	slices.Sort(order)
	for _, page := range order {
		t.Logf("%-32s %v", page, pages[page])
	}
	t.Logf("%d calls of %d pages: %v", len(list), len(order), all)
	if want := (told{reject: 266, lint: 215, silent: 3}); all != want {
		t.Errorf("%v, want %v: correct the numbers here and in docs/page.keys.yaml, or the rules", all, want)
	}
	if 100*(all.reject+all.lint) < 95*len(list) {
		t.Errorf("%v: more than 5 %% of %d are silent", all, len(list))
	}
}

// Of the calls that the pages of librdmacm forbid each is rejected or warned about, and none that they allow.
func TestForbiddenCallsOfOtherModules(t *testing.T) {
	k := ofModule(t, "rdmacm")
	var all told
	list := calls(t, "forbidden_rdmacm.yaml")
	for _, c := range list {
		r := k.Evaluate(Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: c.Caps})
		switch {
		case r.Problem:
			t.Errorf("%v: cannot be read: %v", c.ID, r.Messages)
		case r.Verdict == Reject:
			all.reject++
		case r.Verdict == Warn:
			all.lint++
		default:
			all.silent++
			t.Errorf("%v: %s; not judged: %v %v", c.ID, r.Verdict, r.NotJudged, r.Messages)
		}
	}
	t.Logf("%d calls: %v", len(list), all)
	if want := (told{reject: 86, lint: 33}); all != want {
		t.Errorf("%v, want %v: correct the numbers here, or the rules", all, want)
	}
	for _, c := range calls(t, "allowed_rdmacm.yaml") {
		if r := k.Evaluate(Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: c.Caps}); r.Verdict != Accept {
			t.Errorf("%v: %s: %v", c.ID, r.Verdict, r.Messages)
		}
	}
}

// ofModule returns the checker of a module's rules with the facts of the newest release.
func ofModule(t testing.TB, name string) *Checker {
	t.Helper()
	s, err := spec.Embedded(name)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := api.KnownOf(s.Module.Facts)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := stored.Load(stored.Newest())
	if err != nil {
		t.Fatal(err)
	}
	return New(s, rel)
}

// A call that the pages allow is never rejected.
func TestAllowedCalls(t *testing.T) {
	_, k := newest(t)
	counts := map[string]int{}
	list := calls(t, "allowed.yaml")
	for _, c := range list {
		r := k.Evaluate(Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: c.Caps})
		counts[r.Verdict]++
		if r.Verdict == Reject || r.Problem || r.Verdict == Unknown && silent[c.Verb] == "" {
			t.Errorf("%v: %s: %v", c.ID, r.Verdict, r.Messages)
		}
	}
	t.Logf("%d calls: %d accepted, %d warned about, %d of verbs that are not bound", len(list), counts[Accept], counts[Warn], counts[Unknown])
}

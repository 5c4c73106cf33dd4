package explain

import (
	"embed"
	"fmt"
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

// TestForbiddenCalls judges the calls that man pages forbid and allow by an independent reading. Of the forbidden ones, all but those of
// silent are rejected or warned about, and silent are at most 5 %. None of the allowed ones is rejected, and those of librdmacm are
// accepted.
func TestForbiddenCalls(t *testing.T) {
	used := map[string]bool{}
	for _, of := range []struct {
		module, suffix string
		want           told
	}{{"", "", told{reject: 266, lint: 215, silent: 3}}, {"rdmacm", "_rdmacm", told{reject: 86, lint: 33}}} {
		k := ofModule(t, of.module)
		pages := map[string]*told{}
		all := &told{}
		list := calls(t, "forbidden"+of.suffix+".yaml")
		for _, c := range list {
			page, rest, _ := strings.Cut(c.ID.(string), ": ")
			key, _, _ := strings.Cut(rest, ": ")
			if silent[key] == "" {
				key = c.Verb
			}
			if pages[page] == nil {
				pages[page] = &told{}
			}
			r := k.Evaluate(Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: c.Caps})
			for _, n := range []*told{all, pages[page]} {
				switch r.Verdict {
				case Reject:
					n.reject++
				case Warn:
					n.lint++
				default:
					n.silent++
				}
			}
			speaks := r.Verdict == Reject || r.Verdict == Warn
			if used[key] = used[key] || !speaks; r.Problem || speaks == (silent[key] != "") {
				t.Errorf("%v: %s; silent: %q; not judged: %v %v", c.ID, r.Verdict, silent[key], r.NotJudged, r.Messages)
			}
		}
		for _, page := range sortedKeys(pages) {
			t.Logf("%-32s %v", page, pages[page])
		}
		if *all != of.want {
			t.Errorf("%v, want %v: correct the numbers here and in docs/page.keys.yaml, or the rules", all, of.want)
		}
		if 100*all.silent > 5*len(list) {
			t.Errorf("%v: more than 5 %% of %d are silent", all, len(list))
		}
		counts := map[string]int{}
		for _, c := range calls(t, "allowed"+of.suffix+".yaml") {
			r := k.Evaluate(Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: c.Caps})
			counts[r.Verdict]++
			if r.Verdict == Reject || r.Problem || r.Verdict == Unknown && silent[c.Verb] == "" || r.Verdict == Warn && of.module != "" {
				t.Errorf("%v: %s: %v", c.ID, r.Verdict, r.Messages)
			}
		}
		t.Logf("%d forbidden calls: %v; allowed calls: %v", len(list), all, counts)
	}
	for key := range silent {
		if !used[key] {
			t.Errorf("%q is listed as silent, and no call is", key)
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

//go:build linux && cgo

package cases

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec"
)

// TestCases holds every case against the pages: the ID is its own, the page and the rules exist, and the rules are not
// withdrawn.
func TestCases(t *testing.T) {
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	pages, rules := map[string]bool{}, map[string]bool{}
	for _, p := range sp.Pages {
		pages[p.Page] = true
	}
	for _, r := range sp.Rules() {
		rules[r.ID] = true
	}
	form := regexp.MustCompile(`^CF-[a-z]+-[0-9]{4}$`)
	seen := map[string]string{}
	families := map[string]int{}
	for _, c := range All() {
		if !form.MatchString(c.ID) || c.Title == "" || c.Family == "" || c.Run == nil {
			t.Errorf("%s: no ID of the form, no title, no family, or nothing to run", c.ID)
		}
		if seen[c.ID] != "" {
			t.Errorf("%s is both %q and %q", c.ID, seen[c.ID], c.Title)
		}
		seen[c.ID] = c.Title
		families[c.Family]++
		if !pages[c.Page] {
			t.Errorf("%s: no page %q", c.ID, c.Page)
		}
		for _, r := range c.Rules {
			if !rules[r] {
				t.Errorf("%s: no rule %s", c.ID, r)
			}
		}
		for _, n := range c.Needs {
			if !slices.Contains(suite.Capabilities(), n) {
				t.Errorf("%s: %q is not a capability", c.ID, n)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d cases", len(seen))
	}
	t.Logf("%d cases: %v", len(seen), families)
	known, err := suite.KnownDefects()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range known {
		if seen[d.Case] == "" {
			t.Errorf("a known defect of %s: no such case", d.Case)
		}
	}
}

// outcomes runs all cases on a software device.
func outcomes(t *testing.T, opts ...softverbs.Option) (out []report.Case) {
	t.Helper()
	target, err := suite.Open(suite.Config{Device: suite.Software, Soft: opts})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range All() {
		r := target.Run(c)
		r.Duration = 0
		out = append(out, r)
	}
	return out
}

// able are the outcomes on a device that can do all, for the tests that compare others with them.
var able []report.Case

func ableOutcomes(t *testing.T) []report.Case {
	t.Helper()
	if able == nil {
		able = outcomes(t)
	}
	return able
}

// TestTwice runs the suite twice: on the same device the second run says the same, word for word, and the device
// answers the same.
func TestTwice(t *testing.T) {
	first, second := ableOutcomes(t), outcomes(t)
	for i := range first {
		a, b := first[i], second[i]
		if a.Status != b.Status || a.Reason != b.Reason && a.Status != report.Fail {
			t.Errorf("%s: first %s %q, then %s %q", a.ID, a.Status, a.Reason, b.Status, b.Reason)
		}
		if !slices.Equal(a.Observed, b.Observed) {
			t.Errorf("%s: first it answered %v, then %v", a.ID, a.Observed, b.Observed)
		}
	}
}

// TestSkips lists what may be skipped on a software device that can do all: what the machine lacks.
func TestSkips(t *testing.T) {
	for _, r := range ableOutcomes(t) {
		if r.Status == report.Skip && len(r.Lacks) > 0 {
			t.Errorf("%s: %s", r.ID, r.Reason)
		}
	}
}

// TestLessAble runs the suite on devices that lack things: what needs them is skipped and names it, and nothing fails for it.
func TestLessAble(t *testing.T) {
	sound := map[string]report.Status{}
	for _, r := range ableOutcomes(t) {
		sound[r.ID] = r.Status
	}
	for _, d := range []struct {
		name  string
		opts  []softverbs.Option
		lacks []string
	}{
		{"like soft-RoCE", []softverbs.Option{softverbs.LikeRXE61()},
			[]string{"dm", "td", "parent-domain", "null-mr", "dmabuf", "odp", "advise", "import", "rereg-access"}},
		{"an old library", []softverbs.Option{softverbs.Release("33.2")}, []string{"mr-ex"}},
		{"no atomics", []softverbs.Option{softverbs.AtomicCap(0)}, []string{"atomics"}},
		{"on-demand paging without implicit regions", []softverbs.Option{softverbs.ODP(1, 0x1f, 0, 0)}, []string{"odp-implicit"}},
	} {
		t.Run(d.name, func(t *testing.T) {
			met := map[string]bool{}
			for _, r := range outcomes(t, d.opts...) {
				if r.Status == report.Fail && sound[r.ID] != report.Fail {
					t.Errorf("%s: %s", r.ID, r.Reason)
				}
				if r.Status != report.Skip {
					continue
				}
				for _, l := range r.Lacks {
					met[l] = true
					if !strings.Contains(r.Reason, "needs "+l) {
						t.Errorf("%s lacks %s, and says %q", r.ID, l, r.Reason)
					}
				}
			}
			for _, l := range d.lacks {
				if !met[l] {
					t.Errorf("no case was skipped for %s", l)
				}
			}
		})
	}
}

// TestNoPeer runs the suite on a device that nobody can reach: what needs a peer is skipped, and nothing else fails for it.
func TestNoPeer(t *testing.T) {
	target, err := suite.Open(suite.Config{Device: suite.Software, GIDIndex: 200})
	if err != nil {
		t.Fatal(err)
	}
	skipped := 0
	for _, c := range All() {
		r := target.Run(c)
		needs := slices.Contains(c.Needs, suite.Peer)
		if r.Status == report.Fail || needs != strings.Contains(r.Reason, "needs peer: no connection can be made") || len(r.Lacks) > 0 {
			t.Errorf("%s: %s %s", c.ID, r.Status, r.Reason)
		}
		if needs {
			skipped++
		}
	}
	if skipped < 50 {
		t.Errorf("only %d cases need a peer", skipped)
	}
}

// Package coverage counts how much of a release the pages decide on, and how much of the rules is tested.
//
// It owns the content of two reports, of declarations and of rules, and their forms (text, JSON, Markdown). It decides
// nothing: decide does, and check judges the cases of rules.
package coverage

import (
	"cmp"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Report is the coverage of one release.
type Report struct {
	Release   *string `json:"release"` // nil for a header given by path
	Functions []Item  `json:"functions"`
	Records   []Item  `json:"records"`
	Enums     []Item  `json:"enums"`
	Macros    []Item  `json:"macros"`
	Rules     Rules   `json:"rules"`
	pages     []row   // by name
	judge     *judge
}

// Item is what is decided of one declaration.
type Item struct {
	Name   string `json:"name"`
	Status string `json:"status"` // bound, skipped, pending; undecided when the pages do not know it
	Reason string `json:"reason"` // of a skipped or pending one
	Page   string `json:"page"`   // of a bound or skipped one
}

// Rules counts the live rules on functions that the release has.
type Rules struct {
	Total    int            `json:"total"`
	ByPage   map[string]int `json:"by_page"`
	Tested   int            `json:"tested"`   // accept and reject were judged, and hold
	Untested []string       `json:"untested"` // IDs of the others
}

// The columns of a page's row.
const (
	bound   = iota // functions
	skipped        // functions
	rules
	tested // of the rules
	errors
	lints
	args // what the rules need
	caps
	state
	notes
	columns
)

// New counts.
func New(rel *api.Release, sp *spec.Spec) *Report {
	d := bind.Decide(rel, sp)
	r := &Report{Functions: items(d.Functions), Records: items(d.Records), Enums: items(d.Enums), Macros: items(d.Macros)}
	if rel.Release != "" {
		r.Release = &rel.Release
	}
	r.judge = newJudge(rel, sp)
	r.Rules = Rules{ByPage: map[string]int{}, Untested: []string{}}
	has := map[string]bool{}
	for _, f := range rel.Functions {
		has[f.Name] = true
	}
	for _, p := range sp.Pages {
		r.page(p, has)
	}
	slices.SortFunc(r.pages, func(a, b row) int { return cmp.Compare(a.name, b.name) })
	slices.Sort(r.Rules.Untested)
	return r
}

// items adds its reason to every declaration.
func items(list []bind.Status) []Item {
	out := make([]Item, 0, len(list))
	for _, s := range list {
		it := Item{s.Name, s.Status, s.Reason, s.Page}
		if it.Reason == "" && s.Status == bind.Pending {
			it.Reason = "listed in pending.yaml: not described yet"
		}
		out = append(out, it)
	}
	return out
}

// page counts one page, as far as it is about functions that the release has. A page without any is left out.
func (r *Report) page(p *spec.Page, has map[string]bool) {
	c := row{p.Page, make([]int, columns)}
	for _, n := range p.Notes {
		if has[n.Verb] {
			c.n[notes]++
		}
	}
	for _, f := range r.Functions {
		if f.Page == p.Page && f.Status == bind.Bound {
			c.n[bound]++
		}
		if f.Page == p.Page && f.Status == bind.Skipped {
			c.n[skipped]++
		}
	}
	for i := range p.Rules {
		if !p.Rules[i].Retired && has[p.Rules[i].Verb] {
			r.rule(c.n, &p.Rules[i])
		}
	}
	if slices.Max(c.n) == 0 {
		return
	}
	r.Rules.ByPage[p.Page] = c.n[rules]
	r.Rules.Total += c.n[rules]
	r.Rules.Tested += c.n[tested]
	r.pages = append(r.pages, c)
}

// rule counts one rule.
func (r *Report) rule(n []int, rule *spec.Rule) {
	n[rules]++
	if len(r.judge.problems(rule)) == 0 {
		n[tested]++
	} else {
		r.Rules.Untested = append(r.Rules.Untested, rule.ID)
	}
	if rule.Severity == spec.SeverityLint {
		n[lints]++
	} else {
		n[errors]++
	}
	switch rule.Needs {
	case spec.NeedsCaps:
		n[caps]++
	case spec.NeedsState:
		n[state]++
	default:
		n[args]++
	}
}

// count returns how many items have each status.
func count(items []Item) map[string]int {
	n := map[string]int{}
	for _, it := range items {
		n[it.Status]++
	}
	return n
}

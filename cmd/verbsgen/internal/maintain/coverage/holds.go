package coverage

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// judge evaluates the two cases of rules.
type judge struct {
	sp     *spec.Spec
	here   *explain.Checker
	newest *explain.Checker // nil when here is the newest, or there are no facts of it
}

func newJudge(rel *api.Release, sp *spec.Spec) *judge {
	j := &judge{sp: sp, here: explain.New(sp, rel)}
	stored, err := api.KnownOf(sp.Module.Facts)
	if err == nil && rel.Release != stored.Newest() {
		if newest, err := stored.Load(stored.Newest()); err == nil {
			j.newest = explain.New(sp, newest)
		}
	}
	return j
}

// problems says what the cases of a rule do not show that they should: accept is a call that no rule refuses and
// that this one does not speak of; reject one that this rule, and no other, refuses or lints. A case that names what
// only a later release has is judged by the newest one.
func (j *judge) problems(r *spec.Rule) []string {
	p := problemsBy(j.here, r)
	if len(p) > 0 && j.newest != nil && len(problemsBy(j.newest, r)) == 0 {
		return []string{}
	}
	return p
}

func problemsBy(k *explain.Checker, r *spec.Rule) []string {
	out := []string{}
	given := func(c spec.Case) bool { return c.Args != nil || c.Caps != nil }
	if !given(r.Accept) || !given(r.Reject) {
		return []string{"it has not both cases, accept and reject"}
	}
	acc := k.Evaluate(explain.Case{Verb: r.Verb, Args: r.Accept.Args, Caps: r.Accept.Caps})
	switch {
	case acc.Verdict == explain.Reject, acc.Verdict == explain.Unknown:
		out = append(out, "its accept has the verdict "+acc.Verdict+": "+strings.Join(acc.Messages, "; also "))
	case slices.Contains(acc.Lints, r.ID):
		out = append(out, "its accept draws the rule's own message")
	case slices.Contains(acc.NotJudged, r.ID):
		out = append(out, "its accept lacks a capability or a property that the rule is about")
	}
	rej := k.Evaluate(explain.Case{Verb: r.Verb, Args: r.Reject.Args, Caps: r.Reject.Caps})
	verdict, rules, lints := explain.Reject, []string{r.ID}, []string(nil)
	if r.Severity == spec.SeverityLint {
		verdict, rules, lints = explain.Warn, nil, rules
	}
	switch {
	case rej.Verdict == explain.Unknown:
		out = append(out, "its reject has the verdict "+rej.Verdict+": "+strings.Join(rej.Messages, "; also "))
	case !slices.Contains(rej.Rules, r.ID) && !slices.Contains(rej.Lints, r.ID):
		out = append(out, "its reject does not break it")
	case rej.Verdict != verdict || !slices.Equal(rej.Rules, rules) || !slices.Equal(rej.Lints, lints):
		others := slices.DeleteFunc(slices.Concat(rej.Rules, rej.Lints), func(id string) bool { return id == r.ID })
		out = append(out, "its reject breaks others too: "+strings.Join(others, ", "))
	}
	return out
}

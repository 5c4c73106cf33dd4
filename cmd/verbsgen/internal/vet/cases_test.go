package vet

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// TestCasesOfRules makes a Go program of the case that keeps each rule and of the one that breaks it. The one must not be reported for
// the rule; the other must be, if it can be written in Go and all that the rule needs is in the call.
func TestCasesOfRules(t *testing.T) {
	all, judged, methods := 0, 0, map[string]int{}
	for _, name := range []string{"verbs", "rdmacm"} {
		m := own(t, name)
		for _, r := range m.model.Rules {
			all++
			why := m.judges(t, r)
			if why == "" {
				judged++
				continue
			}
			if testing.Verbose() && !strings.HasPrefix(why, "kept") && !strings.HasPrefix(why, "needs the device") {
				t.Logf("%s: %s", r.ID, why)
			}
			why, _, _ = strings.Cut(why, ": ")
			methods[why]++
		}
	}
	t.Logf("rules vet can judge: %d of %d", judged, all)
	for _, why := range slices.Sorted(maps.Keys(methods)) {
		t.Logf("%5d %s", methods[why], why)
	}
	if judged < 320 {
		t.Errorf("only %d rules are judged", judged)
	}
}

// judges tries all ways to write the cases of a rule; empty when one is judged as the rule says, and otherwise why not.
func (m *module) judges(t *testing.T, r *model.Rule) string {
	s := m.spec.RuleByID(r.ID)
	switch {
	case s == nil:
		return "not a rule of a page"
	case len(r.RejectCaps) > 0 || s.Needs == spec.NeedsCaps:
		return "needs the device"
	case strings.HasPrefix(r.Why, model.KeptByType), strings.HasPrefix(r.Why, model.KeptByHandles):
		return "kept by the types"
	}
	i := slices.IndexFunc(m.model.Verbs, func(v *model.Verb) bool { return v.C == r.Verb })
	if i < 0 {
		return "the verb has no method"
	}
	v, why := m.model.Verbs[i], "the verb has no method"
	for _, method := range v.Methods {
		for _, left := range []string{"zero", "unknown", "memory"} {
			var at string
			if at = m.judgedBy(t, r, v, method, left); at == "" {
				return ""
			}
			if why == "the verb has no method" || strings.HasPrefix(why, "cannot be written") {
				why = at
			}
		}
	}
	if at := m.judgedAsPosted(t, r, v); at == "" {
		return ""
	} else if len(v.Methods) == 0 || requestParamOf(v) != nil {
		why = at
	}
	if s.Needs == spec.NeedsState {
		return "needs the state of objects"
	}
	return why
}

// judgedBy writes both cases as calls of one method.
func (m *module) judgedBy(t *testing.T, r *model.Rule, v *model.Verb, method *model.Method, left string) string {
	var has [2]bool
	for i, args := range []map[string]any{r.Accept, r.Reject} {
		src, why := m.source(v, method, args, left)
		if why != "" {
			return "cannot be written: " + why
		}
		if has[i], why = m.reports(t, src, r.ID); why != "" {
			return why
		}
	}
	return verdict(has)
}

// judgedAsPosted writes both cases as posts of requests.
func (m *module) judgedAsPosted(t *testing.T, r *model.Rule, v *model.Verb) string {
	var has [2]bool
	for i, args := range []map[string]any{r.Accept, r.Reject} {
		src, why := m.posting(v, args)
		if why != "" {
			return "cannot be written: " + why
		}
		if has[i], why = m.reports(t, src, r.ID); why != "" {
			return why
		}
	}
	return verdict(has)
}

// reports says whether a rule is reported for a program.
func (m *module) reports(t *testing.T, src, id string) (has bool, why string) {
	p, err := compile(src)
	if err != nil {
		return false, "cannot be written: does not compile: " + err.Error()
	}
	for _, d := range p.report(t, m) {
		has = has || d.Category == id
	}
	return has, ""
}

// verdict is empty when only the case that breaks a rule is reported, and otherwise says what is wrong.
func verdict(has [2]bool) string {
	switch {
	case has[0]:
		return "the case that keeps it is reported"
	case !has[1]:
		return "not reported"
	}
	return ""
}

package plan

import (
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// TestAskNothing plans a package in which the query of the capabilities takes an argument, so that no rule can ask by itself: what
// the program asked for is known, and nothing is said of unjudged rules. Without rules on capabilities nothing is planned.
func TestAskNothing(t *testing.T) {
	pkg, _ := realPlan(t)
	root := pkg.Objects[0]
	for _, o := range pkg.Objects {
		if len(o.Parents) == 0 {
			root = o
		}
	}
	names := func() (out string) {
		for _, d := range newBuilder(pkg).capabilities(root) {
			out += d.(*Method).Name + " "
		}
		return out
	}
	if got := names(); got != "capabilities askCapabilities UnjudgedRules gone " {
		t.Errorf("with a query that takes nothing: %s", got)
	}
	var kept []*model.Method
	for _, v := range pkg.Verbs {
		for _, p := range v.Params {
			if p.Record != nil && p.Record.Caps {
				kept = append(kept, v.Methods...)
			}
		}
	}
	for _, m := range kept {
		fixed := m.Fixed
		m.Fixed = nil
		defer func() { m.Fixed = fixed }()
	}
	if got := names(); got != "capabilities " {
		t.Errorf("with a query that takes an argument: %s", got)
	}
	for _, v := range pkg.Verbs {
		rules := v.Rules
		v.Rules = nil
		defer func() { v.Rules = rules }()
	}
	if got := names(); got != "" {
		t.Errorf("without rules: %s", got)
	}
}

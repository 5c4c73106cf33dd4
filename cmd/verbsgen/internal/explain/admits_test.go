package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// TestAdmitted takes the calls that a hint says are accepted, and holds them against all errors of the verb: a call that somebody accepts
// breaks none. The call is that of the hint's reject, with what the party's when: asks for.
func TestAdmitted(t *testing.T) {
	calls := 0
	for _, module := range spec.Modules() {
		k := ofModule(t, module)
		for _, r := range k.spec.Rules() {
			if r.Severity == spec.SeverityError {
				continue // it is accepted below the floor
			}
			for i := range r.AcceptedBy {
				p := &r.AcceptedBy[i]
				for _, c := range admitted(r, p) {
					calls += admit(t, k, r, p, c)
				}
			}
		}
	}
	t.Logf("%d calls", calls)
	if calls < 400 {
		t.Errorf("only %d calls that somebody accepts", calls)
	}
}

// admit judges a call: 1 if it is one that the party accepts.
func admit(t *testing.T, k *Checker, r *spec.Rule, p *spec.Party, c Case) int {
	res := k.Evaluate(c)
	if !slices.ContainsFunc(res.Broken, func(b Broken) bool { return b.Rule == r }) {
		return 0 // the change took the breach away
	}
	for _, b := range res.Broken {
		if b.Rule.Severity == spec.SeverityError {
			t.Errorf("%s: %s accepts %v (%s), and %s refuses it: correct when:, or make the error a hint", p.Pos, p, c.Args, r.ID, b.Rule.ID)
		}
	}
	return 1
}

// admitted are the calls: one for each value of a list. What is relative to a place, or no argument, stays as reject has it.
func admitted(r *spec.Rule, p *spec.Party) []Case {
	cases := []Case{caseOf(r, r.Reject)}
	for _, a := range p.When {
		if strings.ContainsAny(a.Of, "$[") || strings.HasPrefix(a.Of, "..") {
			continue
		}
		var next []Case
		for _, c := range cases {
			switch {
			case a.Eq != "":
				next = append(next, with(c, a.Of, func(any) any { return a.Eq }))
			case len(a.In) > 0:
				for _, v := range a.In {
					next = append(next, with(c, a.Of, func(any) any { return v }))
				}
			case len(a.Has)+len(a.All) > 0:
				for _, flag := range append(slices.Clone(a.Has), strings.Join(a.All, "|")) {
					if flag != "" {
						next = append(next, with(c, a.Of, func(old any) any { return strings.Join(append(flagsOf(old), flag), "|") }))
					}
				}
			case len(a.Lacks) > 0:
				next = append(next, with(c, a.Of, func(old any) any {
					return strings.Join(append([]string{"0"},
						slices.DeleteFunc(flagsOf(old), func(f string) bool { return slices.Contains(a.Lacks, f) })...), "|")
				}))
			default:
				next = append(next, c)
			}
		}
		cases = next
	}
	return cases
}

// flagsOf lists the flags of a value.
func flagsOf(v any) (out []string) {
	switch v := v.(type) {
	case nil:
	case []any:
		for _, x := range v {
			out = append(out, fmt.Sprint(x))
		}
	default:
		out = strings.Split(fmt.Sprint(v), "|")
	}
	return out
}

// with changes an argument, or a capability that the case has.
func with(c Case, path string, to func(old any) any) Case {
	if old, ok := c.Caps[path]; ok {
		c.Caps = maps.Clone(c.Caps)
		c.Caps[path] = to(old)
		return c
	}
	var change func(m map[string]any, names []string) map[string]any
	change = func(m map[string]any, names []string) map[string]any {
		m = maps.Clone(m)
		if m == nil {
			m = map[string]any{}
		}
		if len(names) == 1 {
			m[names[0]] = to(m[names[0]])
			return m
		}
		inner, _ := m[names[0]].(map[string]any)
		m[names[0]] = change(inner, names[1:])
		return m
	}
	c.Args = change(c.Args, strings.Split(path, "."))
	return c
}

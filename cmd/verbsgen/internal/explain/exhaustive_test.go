package explain

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// accessBits are the access flags, as verbs.h numbers them; written down here once more, so that the comparison does
// not stand on the facts.
var accessBits = map[string]uint64{
	"IBV_ACCESS_LOCAL_WRITE": 1 << 0, "IBV_ACCESS_REMOTE_WRITE": 1 << 1, "IBV_ACCESS_REMOTE_READ": 1 << 2, "IBV_ACCESS_REMOTE_ATOMIC": 1 << 3,
	"IBV_ACCESS_MW_BIND": 1 << 4, "IBV_ACCESS_ZERO_BASED": 1 << 5, "IBV_ACCESS_ON_DEMAND": 1 << 6, "IBV_ACCESS_HUGETLB": 1 << 7,
	"IBV_ACCESS_FLUSH_GLOBAL": 1 << 8, "IBV_ACCESS_FLUSH_PERSISTENT": 1 << 9, "IBV_ACCESS_RELAXED_ORDERING": 1 << 20,
	"IBV_ACCESS_OPTIONAL_RANGE": 0x3ff00000,
}

// naive is a call as plain numbers; what is left out is not in it.
type naive map[string]uint64

// or is the union of flags.
func or(t *testing.T, flags []string) uint64 {
	var out uint64
	for _, f := range flags {
		if f == "enum ibv_access_flags" { // all that the enum has
			for _, bit := range accessBits {
				out |= bit
			}
			continue
		}
		bit, ok := accessBits[f]
		if !ok {
			t.Fatalf("the naive reading has no flag %s", f)
		}
		out |= bit
	}
	return out
}

// holds reads one comparison; told is false when the call does not have what it looks at.
func (n naive) holds(t *testing.T, a spec.Atom) (is, told bool) {
	v, ok := n[a.Of]
	if strings.Contains(a.Of, ".") { // a property or a capability, of which these calls tell nothing
		return false, false
	}
	number := func(s string) uint64 {
		switch s {
		case "SIZE_MAX":
			return math.MaxUint64
		case "0":
			return 0
		}
		t.Fatalf("the naive reading has no value %s", s)
		return 0
	}
	switch {
	case len(a.Has) > 0:
		return v&or(t, a.Has) != 0, ok
	case len(a.All) > 0:
		return v&or(t, a.All) == or(t, a.All), ok
	case len(a.Lacks) > 0:
		return v&or(t, a.Lacks) == 0, ok
	case a.Eq != "":
		return v == number(a.Eq), ok
	case a.Ne != "":
		return v != number(a.Ne), ok
	case a.Null != nil:
		return (v == 0) == *a.Null, ok
	case a.Set != nil:
		return (v != 0) == *a.Set, ok
	}
	t.Fatalf("the naive reading has no comparison of %s", a.Of)
	return false, false
}

// breaks reads one rule as its words stand in rule.go.
func (n naive) breaks(t *testing.T, r *spec.Rule) bool {
	for _, a := range r.When {
		if is, told := n.holds(t, a); !is || !told {
			return false
		}
	}
	v, told := n[r.Subject]
	switch r.Kind {
	case spec.KindRequires:
		return told && v&or(t, r.If) != 0 && v&or(t, r.Need) != or(t, r.Need)
	case spec.KindMandatory:
		return told && v&or(t, r.Need) != or(t, r.Need)
	case spec.KindExcludes:
		return told && v&or(t, r.Not) != 0 && (len(r.If) == 0 || v&or(t, r.If) != 0)
	case spec.KindAllowedSet:
		return told && v&^or(t, r.Allow) != 0
	case spec.KindNotNull:
		return told && v == 0
	case spec.KindDependsOn:
		for _, a := range r.Must {
			if is, told := n.holds(t, a); told && !is {
				return true
			}
		}
		return false
	}
	return n.breaksRange(t, r, told, v)
}

func (n naive) breaksRange(t *testing.T, r *spec.Rule, told bool, v uint64) bool {
	if r.Kind != spec.KindRange {
		t.Fatalf("%s: the naive reading has no kind %s", r.ID, r.Kind)
	}
	if len(r.Sum) == 2 && r.Max == "" {
		a, b := n[r.Sum[0]], n[r.Sum[1]]
		return a+b < a
	}
	if strings.Contains(r.Max, ".") { // a property that these calls do not tell
		return false
	}
	if r.Max == "INT64_MAX" && r.Min == "" && len(r.Sum) == 0 {
		return told && v > math.MaxInt64
	}
	if r.Min != "1" || r.Max != "" || len(r.Sum) > 0 {
		t.Fatalf("%s: the naive reading has no such range", r.ID)
	}
	return told && v < 1
}

// All combinations of the eleven access flags, and of some unknown bits, with each form of memory: the answer of the
// checker is that of the naive reading.
func TestEveryAccess(t *testing.T) {
	s, k := newest(t)
	flags := []string{"IBV_ACCESS_LOCAL_WRITE", "IBV_ACCESS_REMOTE_WRITE", "IBV_ACCESS_REMOTE_READ", "IBV_ACCESS_REMOTE_ATOMIC",
		"IBV_ACCESS_MW_BIND", "IBV_ACCESS_ZERO_BASED", "IBV_ACCESS_ON_DEMAND", "IBV_ACCESS_HUGETLB", "IBV_ACCESS_FLUSH_GLOBAL",
		"IBV_ACCESS_FLUSH_PERSISTENT", "IBV_ACCESS_RELAXED_ORDERING"}
	memory := map[string][]naive{
		"ibv_reg_mr": {{}, {"addr": 0x1000, "length": 4096}, {"addr": 0, "length": math.MaxUint64}, {"addr": 0, "length": 4096},
			{"addr": 0x1000, "length": math.MaxUint64},
			{"addr": 0x1000, "length": 1 << 63}},
		"ibv_reg_dm_mr": {{}, {"dm_offset": 64, "length": 64}},
	}
	for verb, forms := range memory {
		counts := map[string]int{}
		for _, form := range forms {
			for set := range 1 << len(flags) {
				for _, extra := range []uint64{0, 1 << 10, 1 << 29} {
					call := naive{"access": extra}
					for i, f := range flags {
						if set&(1<<i) != 0 {
							call["access"] |= accessBits[f]
						}
					}
					for name, v := range form {
						call[name] = v
					}
					counts[compareNaive(t, s, k, verb, call)]++
				}
			}
		}
		if counts[Accept] == 0 || counts[Warn] == 0 || counts[Reject] == 0 {
			t.Errorf("%s: %v: all three verdicts should come", verb, counts)
		}
		t.Logf("%s: %v", verb, counts)
	}
}

// compareNaive judges one call both ways and gives the verdict.
func compareNaive(t *testing.T, s *spec.Spec, k *Checker, verb string, call naive) string {
	var rules, lints []string
	verdict := Accept
	for _, r := range s.RulesOf(verb) {
		if r.Needs != spec.NeedsCaps && call.breaks(t, r) {
			if r.Severity == spec.SeverityLint {
				lints = append(lints, r.ID)
				continue
			}
			rules = append(rules, r.ID)
		}
	}
	switch {
	case len(rules) > 0:
		verdict = Reject
	case len(lints) > 0:
		verdict = Warn
	}
	args := map[string]any{}
	for name, v := range call {
		args[name] = v
	}
	res := k.Evaluate(Case{Verb: verb, Args: args})
	if res.Verdict != verdict || !slices.Equal(res.Rules, rules) || !slices.Equal(res.Lints, lints) {
		t.Fatalf("%s %x: %s %v, lints %v; read naively %s %v, lints %v", verb, call, res.Verdict, res.Rules, res.Lints, verdict, rules, lints)
	}
	return verdict
}

package explain

import (
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// newest returns the embedded spec and a checker for the newest known release.
func newest(t testing.TB) (*spec.Spec, *Checker) {
	t.Helper()
	k := ofModule(t, "")
	return k.spec, k
}

// caseOf is one of the two calls that stand beside a rule.
func caseOf(r *spec.Rule, c spec.Case) Case {
	return Case{Verb: r.Verb, Args: c.Args, Caps: c.Caps}
}

// Every rule of the project: the call of `accept` is accepted and not spoken of by this rule; that of `reject` is
// refused by this rule and no other, or, for a lint, draws exactly this message.
func TestEveryRule(t *testing.T) {
	s, k := newest(t)
	everyRule(t, s, k)
}

// TestEveryRuleOfOtherModules does the same for the other modules of the project.
func TestEveryRuleOfOtherModules(t *testing.T) {
	for _, name := range spec.Modules() {
		if name != spec.DefaultModule {
			k := ofModule(t, name)
			everyRule(t, k.spec, k)
		}
	}
}

// everyRule makes the two calls of each rule.
func everyRule(t *testing.T, s *spec.Spec, k *Checker) {
	t.Helper()
	tested := map[string]bool{}
	for _, r := range s.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			if k.usable[r] == nil {
				t.Errorf("release %s lacks something that the rule speaks of", k.release)
			}
			acc := k.Evaluate(caseOf(r, r.Accept))
			if acc.Verdict != Accept && acc.Verdict != Warn || slices.Contains(acc.Lints, r.ID) || slices.Contains(acc.NotJudged, r.ID) {
				t.Errorf("accept (%v): %s %v", r.Accept.Args, acc.Verdict, acc.Messages)
			}
			rej := k.Evaluate(caseOf(r, r.Reject))
			verdict, rules, lints := Reject, []string{r.ID}, []string(nil)
			if r.Severity == spec.SeverityLint {
				verdict, rules, lints = Warn, nil, []string{r.ID}
			}
			if rej.Verdict != verdict || !slices.Equal(rej.Rules, rules) || !slices.Equal(rej.Lints, lints) || len(rej.Messages) != 1 {
				t.Errorf("reject (%v): %s %v", r.Reject.Args, rej.Verdict, rej.Messages)
			}
		})
		tested[r.ID] = true
	}
	for r := range s.AllRules() {
		if r.Retired == tested[r.ID] {
			t.Errorf("%s: retired %v, tested %v", r.ID, r.Retired, tested[r.ID])
		}
		delete(tested, r.ID)
	}
	for id := range tested {
		t.Errorf("%s is tested but not defined", id)
	}
}

// In no release does a rule refuse what `accept` shows, even where flags of it are missing there.
func TestEveryRelease(t *testing.T) {
	s, _ := newest(t)
	stored, err := api.KnownOf(s.Module.Facts)
	if err != nil {
		t.Fatal(err)
	}
	different, err := stored.Different()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range different {
		rel, err := api.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		k := New(s, rel)
		judged := 0
		for _, r := range s.Rules() {
			res := k.Evaluate(caseOf(r, r.Accept))
			if res.Verdict == Reject || res.Problem {
				t.Errorf("%s: %s: %s %v", name, r.ID, res.Verdict, res.Messages)
			}
			if res.Verdict == Accept || res.Verdict == Warn {
				judged++
			}
		}
		if judged == 0 {
			t.Errorf("%s: no call was judged", name)
		}
	}
}

// A case may call the length of a buffer size, and either tells where the buffer ends.
func TestBufferSize(t *testing.T) {
	_, k := newest(t)
	for _, name := range []string{"length", "size"} {
		for addr, want := range map[uint64][]string{
			0x10000: nil,
			0x10001: {"VR-ibv_reg_mr_ex-length-0092"},
		} {
			attr := map[string]any{"addr": addr, "length": 4096, "comp_mask": "IBV_REG_MR_MASK_ADDR|IBV_REG_MR_MASK_BUF",
				"buf": map[string]any{"addr": 0x10000, name: 4096}}
			res := k.Evaluate(Case{Verb: "ibv_reg_mr_ex", Args: map[string]any{"mr_init_attr": attr}})
			if !slices.Equal(res.Rules, want) {
				t.Errorf("%s 4096, address %#x: %v, not %v: %v", name, addr, res.Rules, want, res.Messages)
			}
		}
	}
}

// A field of the context may be given as a capability; what the case says of the object itself goes before it.
func TestFieldOfContextAsCapability(t *testing.T) {
	_, k := newest(t)
	caps := map[string]any{"context.num_comp_vectors": 4}
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"comp_vector": 3}, Accept},
		{map[string]any{"comp_vector": 4}, Reject},
		{map[string]any{"context": map[string]any{"num_comp_vectors": 5}, "comp_vector": 4}, Accept},
	} {
		if r := k.Evaluate(Case{Verb: "ibv_create_cq", Args: c.args, Caps: caps}); r.Verdict != c.want {
			t.Errorf("%v: %s %v, want %s", c.args, r.Verdict, r.Messages, c.want)
		}
	}
}

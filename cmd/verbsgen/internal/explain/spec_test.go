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

// In no release does a rule refuse what `accept` shows, even where flags of it are missing there. Of `reject` the newest one says one
// thing. Package coverage judges the cases of the newest release.
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
			if rej := k.Evaluate(caseOf(r, r.Reject)); name == different[len(different)-1] && len(rej.Messages) != 1 {
				t.Errorf("%s: reject (%v): %v", r.ID, r.Reject.Args, rej.Messages)
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

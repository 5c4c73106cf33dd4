package explain

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// nameless are rules with numbers of which C names a part only.
var nameless = map[string]string{"VR-ibv_query_qp-attr_mask-2020": "all bits that the kernel reserves for masks, 4 of them without a name"}

// TestNamesOfValues looks for numbers on the pages where C has a name: flags of a rule, and arguments of its cases.
func TestNamesOfValues(t *testing.T) {
	s, k := newest(t)
	for _, r := range s.Rules() {
		if nameless[r.ID] != "" {
			continue
		}
		for n := range k.usable[r].broken.Nodes() {
			for _, sub := range n.Sub {
				for _, text := range sub.Of.Flags {
					if i, ok := spec.ParseInt(text); ok {
						unnamed(t, k, r, n.Sub[0].Of.Text, i)
					}
				}
			}
		}
		for _, c := range []spec.Case{r.Accept, r.Reject} {
			numbers("", c.Args, func(path string, i *big.Int) { unnamed(t, k, r, path, i) })
		}
	}
}

// numbers calls f for each number in the arguments of a case.
func numbers(path string, v any, f func(path string, i *big.Int)) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			numbers(strings.TrimPrefix(path+"."+name, "."), inner, f)
		}
	case []any:
		for _, inner := range v {
			numbers(path, inner, f)
		}
	case string:
		for _, word := range strings.Split(v, "|") {
			if i, ok := spec.ParseInt(strings.TrimSpace(word)); ok {
				f(path, i)
			}
		}
	default:
		if i := toInt(v); i != nil {
			f(path, i)
		}
	}
}

// unnamed reports a number with a bit, or a value, that has a name where it stands.
func unnamed(t *testing.T, k *Checker, r *spec.Rule, path string, i *big.Int) {
	for _, name := range k.Constants(r.Verb, path) {
		c := k.facts.Const(name)
		if c.Sign() > 0 && (c.Cmp(i) == 0 || k.isFlags(r.Verb, path) && new(big.Int).And(c, i).Cmp(c) == 0) {
			t.Errorf("%s: %s: %s has a name: %s", r.ID, path, fmt.Sprintf("0x%x", i), name)
			return
		}
	}
}

// isFlags reports whether values at a path are flags.
func (k *Checker) isFlags(verb, path string) bool {
	fn := k.facts.Func(verb)
	typ, _, err := k.facts.TypeOfPath(fn, path)
	n := newCall(k, fn).namesAt(path, typ)
	return err == nil && n != nil && n.flags
}

// TestManyUnknown judges calls of verbs that nobody has: the names of all verbs are listed once, not for each.
func TestManyUnknown(t *testing.T) {
	_, k := newest(t)
	k.Evaluate(Case{Verb: "ibv_foo"})
	if n := testing.AllocsPerRun(10, func() { k.Evaluate(Case{Verb: "ibv_foo_1"}) }); n > 30 {
		t.Errorf("%.0f allocations for a name", n)
	}
}

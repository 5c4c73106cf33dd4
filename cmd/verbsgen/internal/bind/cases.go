package bind

import (
	"math/big"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// bindCases resolves the constants in the rules' own cases to numbers. A flag of a later release counts for nothing there.
func (b *binder) bindCases() {
	for _, r := range b.pkg.Rules {
		for _, part := range []*map[string]any{&r.Accept, &r.AcceptCaps, &r.Reject, &r.RejectCaps} {
			*part = b.caseValues(*part)
		}
	}
}

func (b *binder) caseValues(m map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range m {
		out[name] = b.caseValue(v)
	}
	return out
}

// caseValue resolves one value: flags and numbers joined by |, or a list of them. An object, which begins with @, stays.
func (b *binder) caseValue(v any) any {
	switch x := v.(type) {
	case map[string]any:
		return b.caseValues(x)
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = b.caseValue(x[i])
		}
		return out
	case string:
		if strings.HasPrefix(x, "@") {
			return x
		}
		sum := new(big.Int)
		for part := range strings.SplitSeq(x, "|") {
			name := strings.TrimSpace(part)
			n, ok := spec.ParseInt(name)
			if !ok {
				n = b.facts.Const(name)
			}
			switch {
			case n != nil:
				sum.Or(sum, n)
			case name == "page": // of the smallest host
				sum.Or(sum, big.NewInt(4096))
			}
		}
		return sum
	}
	return v
}

package spec

import (
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// cases checks the constants that the two calls beside a rule name, where their arguments take numbers.
func (c *checker) cases(r *Rule, fn *api.Function) {
	for _, k := range []struct {
		name string
		call Case
	}{{"accept", r.Accept}, {"reject", r.Reject}} {
		for _, name := range sortedKeys(k.call.Args) {
			if t, _, err := c.f.TypeOfPath(fn, name); err == nil {
				c.caseValue(k.call.Pos, r.ID, t, k.call.Args[name])
			}
		}
		c.caseValue(k.call.Pos, r.ID, CType{Kind: CInt}, k.call.Caps)
	}
}

// caseValue checks one value of a call, and those in it.
func (c *checker) caseValue(at Pos, subject string, t CType, value any) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			c.caseValue(at, subject, t, e)
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			of, known := t, true
			for _, step := range strings.Split(name, ".") {
				if t.record != nil || t.Kind == CObject {
					of, known = c.f.Member(of, step)
				}
			}
			if known {
				c.caseValue(at, subject, of, v[name])
			}
		}
	case string:
		if t.Kind != CInt && t.Kind != CAddr || t.Array {
			return
		}
		for _, name := range strings.Split(v, "|") {
			name = strings.TrimSpace(name)
			if !strings.HasPrefix(name, "@") && !isNumber(name) && name != "page" {
				c.constant(at, subject, name)
			}
		}
	}
}

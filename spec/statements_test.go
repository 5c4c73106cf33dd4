package spec

import "testing"

// A message shows a statement beside the path of its subject: two rules of one verb about different fields have different statements.
func TestStatementsNameTheirField(t *testing.T) {
	s := must(Embedded(""))(t)
	type said struct{ verb, statement string }
	first := map[said]*Rule{}
	for _, r := range s.Rules() {
		key := said{r.Verb, r.Statement}
		switch other := first[key]; {
		case other == nil:
			first[key] = r
		case other.Subject != r.Subject:
			t.Errorf("%s and %s both say %q; name the field by $", other.ID, r.ID, r.Statement)
		}
	}
}

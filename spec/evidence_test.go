package spec

import "testing"

// TestEvidence wants of each rule that refuses a call, of every module, who else refuses it, or which function the program
// crashes in.
func TestEvidence(t *testing.T) {
	for _, name := range Modules() {
		s, err := EmbeddedModule(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Rules() {
			if r.Severity == SeverityError && len(r.RefusedBy) == 0 {
				t.Errorf("%s: the rule does not say who refuses a breach; add refused_by, or read_by for a pointer", r.ID)
			}
		}
	}
}

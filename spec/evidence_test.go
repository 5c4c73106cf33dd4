package spec

import (
	"testing"
)

// TestEvidence wants of each rule that refuses a call who else would refuse it, or why no device can. A NULL pointer needs
// neither.
func TestEvidence(t *testing.T) {
	s, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Rules() {
		if r.Severity != SeverityError || r.Kind == KindNotNull {
			continue
		}
		if len(r.RefusedBy) == 0 && r.Note == "" {
			t.Errorf("%s: the rule says neither who refuses a breach nor why no device can; add refused_by or note", r.ID)
		}
	}
}

package validate

import "testing"

func TestFact(t *testing.T) {
	for want, got := range map[string]string{
		"state INIT":     Fact("state", Of(1), "INIT"),
		"max_send_sge 0": Fact("max_send_sge", Of(0), ""),
		"":               Fact("state", Known{V: 1}, "INIT"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

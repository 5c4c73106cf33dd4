package gogen

import "testing"

// TestInWords joins names as a text has them: a type of a kind of object that goes through two states alone has one.
func TestInWords(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"INIT"}, "INIT"},
		{[]string{"INIT", "RTR"}, "INIT and RTR"},
		{[]string{"INIT", "RTR", "RTS"}, "INIT, RTR and RTS"},
	} {
		if got := inWords(c.names, "and"); got != c.want {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}

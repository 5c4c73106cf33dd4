package fail

import "testing"

type state uint32

func (s state) String() string { return map[state]string{1: "INIT"}[s] }

func TestFact(t *testing.T) {
	for i, c := range []struct{ got, want string }{
		{Named[state]("state", Sure(1)), "state INIT"},
		{Fact("max_send_sge", Sure(0)), "max_send_sge 0"},
		{Named[state]("state", Known{V: 1}), ""},
		{Fact("max_send_sge", Known{V: 1}), ""},
	} {
		if c.got != c.want {
			t.Errorf("%d: %q, want %q", i, c.got, c.want)
		}
	}
}

package verr

import (
	"slices"
	"testing"
)

func TestLint(t *testing.T) {
	rule := &Rule{ID: "VR-x-1", Verb: "ibv_x", Subject: "y", Statement: "y is small", Fix: "make it small",
		AcceptedBy: []string{"siw", "rxe"}, RefusedBy: []string{"mlx5"}}
	bare := &Rule{ID: "VR-x-2", Verb: "ibv_x", Subject: "z", Statement: "z is set", Fix: "set it"}
	broken := []Violation{{Rule: rule, Value: "7"}, {Rule: bare}}
	var l Lints
	l.Report(broken) // to nobody
	if l.Wanted() {
		t.Error("wanted by nobody")
	}
	var got []string
	l.On(func(lint *Lint) { got = append(got, lint.String()) })
	if !l.Wanted() {
		t.Error("not wanted")
	}
	l.Report(broken)
	want := []string{"ibv_x: y 7: y is small; make it small [VR-x-1]; accepted by siw, rxe; refused by mlx5",
		"ibv_x: z: z is set; set it [VR-x-2]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	l.On(nil)
	l.Report(broken)
	if l.Wanted() || len(got) != 2 {
		t.Errorf("after the end: %v, %q", l.Wanted(), got)
	}
	if Texts(nil) != nil || !slices.Equal(Texts(broken), []string{"y 7: y is small; make it small [VR-x-1]", "z: z is set; set it [VR-x-2]"}) {
		t.Errorf("texts %q", Texts(broken))
	}
}

package fail

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

func TestLint(t *testing.T) {
	rule := &verr.Rule{ID: "VR-x-1", Verb: "ibv_x", Subject: "y", Statement: "y is small", Fix: "make it small",
		AcceptedBy: []string{"siw", "rxe"}, RefusedBy: []string{"mlx5"}}
	bare := &verr.Rule{ID: "VR-x-2", Verb: "ibv_x", Subject: "z", Statement: "z is set", Fix: "set it"}
	broken := []verr.Violation{{Rule: rule, Value: "7"}, {Rule: bare}}
	var l Lints
	l.Report(broken) // to nobody
	if l.Wanted() {
		t.Error("wanted by nobody")
	}
	var got []string
	l.On(func(lint *verr.Lint) {
		if lint.File == "" || lint.Line == 0 {
			t.Errorf("no place: %v", lint)
		}
		lint.File = "" // of the caller of this test
		got = append(got, fmt.Sprintf("%+v", lint))
	}, false)
	if !l.Wanted() {
		t.Error("not wanted")
	}
	l.Report(broken)
	want := []string{"ibv_x: y 7: y is small; make it small [VR-x-1]; accepted by siw, rxe; refused by mlx5",
		"ibv_x: z: z is set; set it [VR-x-2]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	l.On(nil, false)
	l.Report(broken)
	if l.Wanted() || len(got) != 2 {
		t.Errorf("after the end: %v, %q", l.Wanted(), got)
	}
	want = []string{"y 7: y is small; make it small [VR-x-1]", "z: z is set; set it [VR-x-2]"}
	if got := Texts(syscall.EINVAL, broken); Texts(syscall.EINVAL, nil) != nil || Texts(syscall.EPERM,
		broken) != nil || !slices.Equal(got, want) {
		t.Errorf("texts %q", got)
	}
}

// TestLintOnce reports a lint once for each line, unless every call is asked for.
func TestLintOnce(t *testing.T) {
	broken := []verr.Violation{{Rule: &verr.Rule{ID: "VR-x-1", Verb: "ibv_x", AcceptedBy: []string{"rxe"}}},
		{Rule: &verr.Rule{ID: "VR-x-2", Verb: "ibv_x"}}}
	for every, want := range map[bool]int{false: 2, true: 8} {
		var l Lints
		var got []string
		l.On(func(lint *verr.Lint) { got = append(got, lint.String()) }, every)
		for range 2 {
			l.Report(broken)
			l.Report(broken)
		}
		if len(got) != want || strings.Contains(strings.Join(got, ""), "rxe") {
			t.Errorf("every %t: %q", every, got)
		}
	}
}

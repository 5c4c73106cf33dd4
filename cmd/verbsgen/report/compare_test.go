package report

import (
	"slices"
	"testing"
)

// TestCompare compares two devices that differ in every way there is.
func TestCompare(t *testing.T) {
	seen := func(pairs ...string) []Observation {
		var out []Observation
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, Observation{pairs[i], pairs[i+1]})
		}
		return out
	}
	a := &Report{Cases: []Case{
		{ID: "same", Status: Pass, Observed: seen("x", "EINVAL")},
		{ID: "verdict", Status: Known, Observed: seen("x", "EINVAL")},
		{ID: "answer", Status: Pass, Observed: seen("x", "ok", "y", "EINVAL", "z", "ok")},
		{ID: "longer", Status: Pass, Observed: seen("x", "ok", "y", "ok")},
		{ID: "shorter", Status: Pass, Observed: seen("x", "ok")},
		{ID: "other", Status: Pass, Observed: seen("x", "ok", "y", "ok", "z", "ok")},
		{ID: "lacks", Status: Skip, Lacks: []string{"td", "dm"}},
		{ID: "lacks less", Status: Skip, Lacks: []string{"td"}},
		{ID: "machine", Status: Skip},
		{ID: "machine there", Status: Fail},
		{ID: "overlay", Status: Pass, Mode: ModeOverlay},
		{ID: "overlay fails", Status: Fail, Mode: ModeOverlay},
		{ID: "overlay answers", Status: Pass, Mode: ModeOverlay, Observed: seen("x", "ok")},
		{ID: "unsupported", Status: Pass, Observed: seen("x", "EOPNOTSUPP", "y", "EOPNOTSUPP", "z", "ok")},
		{ID: "gone", Status: Pass},
	}}
	b := &Report{Cases: []Case{
		{ID: "new", Status: Fail},
		{ID: "same", Status: Pass, Observed: seen("x", "EINVAL")},
		{ID: "verdict", Status: Pass, Observed: seen("x", "ok")},
		{ID: "answer", Status: Pass, Observed: seen("x", "ok", "y", "EIO", "z", "ok")},
		{ID: "longer", Status: Pass, Observed: seen("x", "ok")},
		{ID: "shorter", Status: Pass, Observed: seen("x", "ok", "y", "EIO")},
		{ID: "other", Status: Pass, Observed: seen("x", "ok", "w", "ok", "z", "EIO")},
		{ID: "lacks", Status: Skip, Lacks: []string{"dm", "td"}},
		{ID: "lacks less", Status: Pass},
		{ID: "machine", Status: Fail},
		{ID: "machine there", Status: Skip},
		{ID: "overlay", Status: Skip, Lacks: []string{"dm"}},
		{ID: "overlay fails", Status: Pass},
		{ID: "overlay answers", Status: Pass, Observed: seen("x", "EIO")},
		{ID: "unsupported", Status: Pass, Observed: seen("x", "EINVAL", "z", "ok")},
	}}
	common := []Difference{{"verdict", "verdict", "known", "pass"}, {"answer", "y", "EINVAL", "EIO"},
		{"longer", "y", "ok", "nothing, to the end"},
		{"shorter", "the end", "nothing", "EIO, to y"}, {"other", "y", "ok", "ok, to w"}}
	gone := Difference{"gone", "verdict", "pass", "no such case"}
	want := append(slices.Clone(common), Difference{"lacks less", "verdict", "skip, lacks td", "pass"},
		Difference{"unsupported", "x", "EOPNOTSUPP", "EINVAL"},
		Difference{"unsupported", "y", "EOPNOTSUPP", "ok, to z"}, gone)
	if got := Compare(a, b, false); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	want = append(slices.Clone(common), Difference{"overlay", "verdict", "pass", "skip, lacks dm"},
		Difference{"overlay fails", "verdict", "fail", "pass"}, gone)
	if got := Compare(a, b, true); !slices.Equal(got, want) {
		t.Errorf("with a device that can do more: got %v", got)
	}
	if got := want[0].String(); got != "verdict: verdict: known there, pass here" {
		t.Errorf("%q", got)
	}
}

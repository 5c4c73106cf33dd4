package fail

import "testing"

// TestMark follows a property through calls that succeed and fail.
func TestMark(t *testing.T) {
	var m Mark
	want := func(when string, k Known) {
		t.Helper()
		if m.Known() != k {
			t.Errorf("%s: %+v, want %+v", when, m.Known(), k)
		}
	}
	want("zero", Known{})
	m.Begin()
	want("zero, begun", Known{})
	m.Set(false)
	want("clear", Sure(0))
	m.Begin()
	want("clear, begun", Known{})
	m.Set(true)
	want("set", Sure(1))
	m.Begin()
	want("set, begun again", Sure(1))
	var unknown, clear Mark
	clear.Set(false)
	for i, want := range []Known{{}, Sure(1), Sure(0)} {
		list := []*Mark{&unknown, &m, &clear}[:i+1]
		if got := Least(list, func(m *Mark) *Mark { return m }); got != want {
			t.Errorf("the least of %d: %+v, want %+v", i+1, got, want)
		}
	}
}

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
}

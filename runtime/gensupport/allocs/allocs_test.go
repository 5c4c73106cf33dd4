package allocs

import "testing"

// recorder is a test that is told of a failure.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(string, ...any) { r.failures++ }

var kept []byte

// TestNone asks that only a call that allocates fails, and that none fails under the address sanitizer.
func TestNone(t *testing.T) {
	var r recorder
	None(&r, "nothing", func() { kept = nil })
	if r.failures != 0 {
		t.Error("a call without an allocation failed")
	}
	None(&r, "a list", func() { kept = make([]byte, 10) })
	if failed := r.failures == 1; failed == sanitized {
		t.Errorf("a call with an allocation failed: %v; the address sanitizer: %v", failed, sanitized)
	}
}

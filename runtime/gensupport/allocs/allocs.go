// Package allocs asserts that calls do not allocate, for the tests of all modules of this repository.
package allocs

import (
	"runtime/debug"
	"slices"
	"testing"
)

// None fails t if f allocates once a call or more, on average of many calls. Under the address sanitizer it only calls f: there, the
// heap keeps what is on the stack otherwise.
func None(t testing.TB, what string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(1000, f); n != 0 && !sanitized {
		t.Errorf("%s: %v allocations", what, n)
	}
}

var sanitized = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-asan", Value: "true"})
}()

// Package callback knows whether code of the program runs inside a call of the library, such as the function of OnLint.
//
// It must not know what is called.
package callback

import (
	"reflect"
	"runtime"
)

// Run calls f, which calls code of the program.
//
//go:noinline
func Run(f func()) { f() }

// Inside reports whether Run is among the callers of its caller, on this goroutine. It looks at the stack, which costs nothing until
// somebody asks.
func Inside() bool {
	pcs := make([]uintptr, 64)
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Function == run {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// run is the name of Run in a stack.
var run = runtime.FuncForPC(reflect.ValueOf(Run).Pointer()).Name()

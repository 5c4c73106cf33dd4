package fail

import (
	"reflect"
	"runtime"
)

// Callback calls f, which calls code of the program.
//
//go:noinline
func Callback(f func()) { f() }

// InCallback reports whether Callback is among the callers of its caller, on this goroutine. It looks at the stack, which costs nothing
// until somebody asks.
func InCallback() bool {
	pcs := make([]uintptr, 64)
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Function == callback {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// callback is the name of Callback in a stack.
var callback = runtime.FuncForPC(reflect.ValueOf(Callback).Pointer()).Name()

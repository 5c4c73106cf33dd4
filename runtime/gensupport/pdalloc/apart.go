//go:build linux && cgo

package pdalloc

import (
	"runtime/debug"

	"github.com/verbsgen/verbsgen/runtime/gensupport/callback"
)

// apart runs f in a goroutine of its own and waits: whatever f does to its goroutine, the one below which frames of C
// lie returns to them. It gives nil when f returned.
func apart(f func()) error {
	done := make(chan error)
	go func() {
		var err error = &PanicError{}
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{Value: v, Stack: debug.Stack()}
			}
			done <- err
		}()
		callback.Run(f)
		err = nil
	}()
	return <-done
}

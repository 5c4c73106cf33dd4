package diag

import (
	"fmt"
	"runtime/debug"
)

// Panic is the error of a phase that panicked beside its caller.
type Panic struct {
	Doing string
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%s: %v", p.Doing, p.Value) }

// Beside runs a phase while the caller goes on, and sends its error. A panic of the phase is a Panic, which says what it was doing: the
// caller's recover does not see a panic of another goroutine.
func Beside(doing string, phase func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = &Panic{doing, r, debug.Stack()}
			}
			done <- err
		}()
		err = phase()
	}()
	return done
}

package diag

import "fmt"

// Beside runs a phase while the caller goes on, and sends its error. A panic of the phase is an error that begins with what it was doing:
// the caller's recover does not see a panic of another goroutine.
func Beside(doing string, phase func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%s: %v", doing, r)
			}
			done <- err
		}()
		err = phase()
	}()
	return done
}

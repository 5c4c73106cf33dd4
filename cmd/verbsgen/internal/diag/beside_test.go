package diag

import (
	"errors"
	"testing"
)

// TestBeside gets the error of a phase, and that of a panic.
func TestBeside(t *testing.T) {
	bad := errors.New("bad")
	if err := <-Beside("reading", func() error { return bad }); err != bad {
		t.Errorf("got %v", err)
	}
	if err := <-Beside("reading", func() error { panic("no page") }); err == nil || err.Error() != "reading: no page" {
		t.Errorf("of a panic: %v", err)
	}
}

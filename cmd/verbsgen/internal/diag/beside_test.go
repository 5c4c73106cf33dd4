package diag

import (
	"errors"
	"strings"
	"testing"
)

// TestBeside gets the error of a phase, and that of a panic.
func TestBeside(t *testing.T) {
	bad := errors.New("bad")
	if err := <-Beside("reading", func() error { return bad }); err != bad {
		t.Errorf("got %v", err)
	}
	var p *Panic
	if err := <-Beside("reading", func() error { panic("no page") }); !errors.As(err, &p) || err.Error() != "reading: no page" ||
		!strings.Contains(string(p.Stack), "TestBeside") {
		t.Errorf("of a panic: %v", err)
	}
}

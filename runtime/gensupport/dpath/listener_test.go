package dpath

import (
	"errors"
	"testing"
)

// opened counts what is open.
type opened struct{ count *int }

func (o opened) Close() error { *o.count--; return nil }

// TestListener begins once, ends, begins again, and does not keep what failed.
func TestListener(t *testing.T) {
	var l Listener[opened]
	count, calls := 0, 0
	open := func() (opened, error) { calls++; count++; return opened{&count}, nil }
	l.Stop() // nothing was begun
	fail := errors.New("no file")
	if _, err := l.Listen(func() (opened, error) { return opened{}, fail }); !errors.Is(err, fail) {
		t.Errorf("Listen: %v", err)
	}
	for range 2 {
		if got, err := l.Listen(open); err != nil || got.count != &count {
			t.Errorf("Listen: %v, %v", got, err)
		}
	}
	if calls != 1 || count != 1 {
		t.Errorf("opened %d times, %d open; want 1 and 1", calls, count)
	}
	l.Stop()
	l.Stop()
	if count != 0 {
		t.Errorf("after Stop %d are open", count)
	}
	if _, err := l.Listen(open); err != nil || calls != 2 {
		t.Errorf("Listen after Stop: %v, opened %d times", err, calls)
	}
}

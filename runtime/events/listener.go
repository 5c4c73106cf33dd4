package events

import (
	"io"
	"sync"
)

// Listener keeps what waits for the events of one C object. Its zero value waits for nothing.
type Listener[T io.Closer] struct {
	mu      sync.Mutex
	waiting T
	begun   bool
}

// Listen gives what waits, and begins with it by open at the first call.
func (l *Listener[T]) Listen(open func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun {
		return l.waiting, nil
	}
	waiting, err := open()
	if err == nil {
		l.waiting, l.begun = waiting, true
	}
	return waiting, err
}

// Stop ends all waiting. It is called before the C object is destroyed; when that fails, Listen begins anew.
func (l *Listener[T]) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		return
	}
	_ = l.waiting.Close() // what ends here was begun above
	var none T
	l.waiting, l.begun = none, false
}

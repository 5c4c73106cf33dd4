package dpath

import (
	"io"
	"sync"
)

// Listener keeps the one waiter for the events of a C object. The zero value has none.
type Listener[T io.Closer] struct {
	mu      sync.Mutex
	waiting T
	begun   bool
}

// Listen returns the waiter. The first call makes it with open, whose error it returns.
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

// Stop closes the waiter. Call it before the C object is destroyed; if that fails, the next Listen makes a new waiter.
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

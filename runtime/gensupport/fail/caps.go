package fail

import (
	"sync"
	"sync/atomic"
)

// Caps are the capabilities of a device, in C's record T, as rules look at them. They are read at the first need, and once.
type Caps[T any] struct {
	known atomic.Pointer[T]
	first sync.Once
	err   error // of the first reading; first guards it
}

// Keep keeps capabilities for later rules.
func (c *Caps[T]) Keep(x *T) { c.known.Store(x) }

// Known returns the capabilities, nil when they are not known or were not read yet.
func (c *Caps[T]) Known() *T { return c.known.Load() }

// Read asks for the capabilities, unless that was done before, and returns them. When they cannot be read they stay unknown,
// until Keep.
func (c *Caps[T]) Read(ask func() (*T, error)) *T {
	c.first.Do(func() {
		x, err := ask()
		if c.err = err; err == nil {
			c.known.CompareAndSwap(nil, x) // what was kept meanwhile is as new
		}
	})
	return c.known.Load()
}

// Why returns why the capabilities are not known after Read; nil when they are.
func (c *Caps[T]) Why(ask func() (*T, error)) error {
	if c.Read(ask) != nil {
		return nil
	}
	return c.err
}

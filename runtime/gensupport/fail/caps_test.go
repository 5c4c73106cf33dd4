package fail

import (
	"io"
	"sync"
	"sync/atomic"
	"testing"
)

// TestCapsOnce reads capabilities from many goroutines: they are asked for once, and all get them.
func TestCapsOnce(t *testing.T) {
	var c Caps[int]
	var asked atomic.Int32
	var all sync.WaitGroup
	ask := func() (*int, error) { asked.Add(1); return new(int), nil }
	for range 16 {
		all.Go(func() {
			if got := c.Read(ask); got == nil {
				t.Error("nothing is known after Read")
			}
		})
	}
	all.Wait()
	if asked.Load() != 1 || c.Known() == nil || c.Why(ask) != nil {
		t.Errorf("asked %d times; known %v, why not %v", asked.Load(), c.Known(), c.Why(ask))
	}
}

// TestCapsUnknown asks a device that cannot tell, once; what is kept later is known.
func TestCapsUnknown(t *testing.T) {
	var c Caps[int]
	asked := 0
	ask := func() (*int, error) { asked++; return nil, io.EOF }
	for range 2 {
		if got, why := c.Read(ask), c.Why(ask); got != nil || why != io.EOF {
			t.Errorf("known %v, why not %v", got, why)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	x := 3
	c.Keep(&x)
	if c.Known() != &x || c.Why(ask) != nil {
		t.Errorf("known %v, why not %v", c.Known(), c.Why(ask))
	}
}

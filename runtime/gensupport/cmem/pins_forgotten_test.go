package cmem

import (
	"runtime"
	"testing"
	"time"
)

// TestForgottenPins forgets pins of each kind: the collector does not stop the program, and pins that are ended leave nothing behind.
func TestForgottenPins(t *testing.T) {
	kinds := []func() (unpin func()){
		func() func() { p := new(Pins); PinValue(p, new(int)); return p.Unpin },
		func() func() { p := new(Pins); PinList(p, make([]int, 3)); PinValue(p, new(int)); return p.Unpin },
		func() func() { var at uintptr; return PinData(&at, make([]byte, 8)) },
	}
	for range 100 {
		for _, kind := range kinds {
			kind()
		}
	}
	collected := make(chan struct{})
	runtime.SetFinalizer(&struct{ p *int }{new(int)}, func(any) { close(collected) })
	for range 3 {
		runtime.GC()
	}
	select {
	case <-collected: // finalizers run in one goroutine: those of pinners have had their turn, or have it now
	case <-time.After(time.Minute):
	}
	runtime.GC()
	held := func() int {
		kept.Lock()
		defer kept.Unlock()
		return len(kept.pinners)
	}
	before := held()
	for range 100 {
		for _, kind := range kinds {
			kind()()
		}
	}
	if after := held(); before == 0 || after != before {
		t.Errorf("%d pins are held, after %d that were forgotten", after, before)
	}
}

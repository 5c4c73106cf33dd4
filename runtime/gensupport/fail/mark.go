package fail

import "sync/atomic"

// Mark is a property of a handle that calls set once they succeed, for rules on later calls. The zero Mark is unknown. It can be used by
// several goroutines.
type Mark struct{ state atomic.Int32 }

// The states of a Mark. What is set stays set.
const (
	markUnknown = iota
	markClear
	markSet
)

// Set says that the property holds, or that it does not.
func (m *Mark) Set(holds bool) {
	if holds {
		m.state.Store(markSet)
	} else {
		m.state.Store(markClear)
	}
}

// Begin makes a property that does not hold unknown: something begins that may set it.
func (m *Mark) Begin() { m.state.CompareAndSwap(markClear, markUnknown) }

// Copy gives the property the state of another one.
func (m *Mark) Copy(from *Mark) { m.state.Store(from.state.Load()) }

// Least returns what is known of a property of a list of handles, which mark finds: 0 if one lacks it, 1 if the others that are known
// have it.
func Least[H any](list []H, mark func(H) *Mark) (least Known) {
	for _, h := range list {
		if k := mark(h).Known(); k.OK && (!least.OK || k.V < least.V) {
			least = k
		}
	}
	return least
}

// Known returns 1 if the property holds and 0 if it does not.
func (m *Mark) Known() Known {
	switch m.state.Load() {
	case markSet:
		return Sure(1)
	case markClear:
		return Sure(0)
	}
	return Known{}
}

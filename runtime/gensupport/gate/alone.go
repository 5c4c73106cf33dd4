package gate

import "sync/atomic"

// Alone is what one call at a time may use: objects that their library does not lock, since the program promised to use them from one
// thread.
type Alone struct{ busy atomic.Uint32 }

// Shared is the kind of calls that must Hold the object first, among those of Lacks.
const Shared = 1 << 31

// Direct is the kind of all calls on an object that Go uses in place of the library.
const Direct = 1 << 30

// Share has calls hold all of these while they use the object. It is called before the first call.
func (g *Gate) Share(with []*Alone) {
	g.alone = with
	g.Lack(Shared)
}

// Hold begins a call on an object. It is false if another call uses something that the object shares; otherwise Let ends the call.
func (g *Gate) Hold() bool {
	for i, a := range g.alone {
		if !a.busy.CompareAndSwap(0, 1) {
			let(g.alone[:i])
			return false
		}
	}
	return true
}

// Let ends a call that Hold began.
func (g *Gate) Let() { let(g.alone) }

func let(all []*Alone) {
	for _, a := range all {
		a.busy.Store(0)
	}
}

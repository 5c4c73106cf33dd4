// Package gate lets calls use a C object without a lock, and lets Close wait for them before it destroys the object.
//
// A Gate is one word in a handle: the C object, 0 once it is closed. Each thread has a slot, in which a call notes the gate that it
// is about to look at: a plain store before, a plain store after. Close sets the word to 0, makes every thread's stores
// visible by membarrier(2), and waits until no slot names the gate. So a call costs about a nanosecond, and a Close less
// than a microsecond when nobody is inside.
//
// It must not know verbs or handles. The calls are C functions of other packages, which include gate.h; the assembly of
// devmem does without (see there).
//
// # Rules for a call
//
// Between verbsgen_gate_enter and verbsgen_gate_leave a call must not come back to Go (nocallback), must not enter
// a second time, and must not wait for another thread: a Close waits for it. A call that may run long looks at its gates again
// now and then.
//
// # Where membarrier is missing
//
// When the kernel refuses membarrier(2) as the program starts (it is older than Linux 4.14, or a sandbox forbids it), every
// call has a full fence after its store: correct everywhere, some nanoseconds slower, and still without a word that
// threads share. When it is refused later, Close fails and leaves the object open.
//
// # Threads, forks, signals
//
// The slot of a thread that ended is taken by the next new one. A child of fork(2) has one thread, so the other slots are
// emptied there. Signal handlers of Go never make such calls; a handler in C must not.
package gate

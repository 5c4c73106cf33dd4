package gate

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Gate holds one C object that calls use without a lock. The zero value is closed. It is a field of a handle, and must not
// be copied after Open: a copy is closed.
type Gate struct {
	object atomic.Uintptr       // 0 when closed
	at     atomic.Pointer[Gate] // the gate itself while it is open, so that one look also sees a copy; nil before, ended afterwards
	failed atomic.Uintptr       // of Fail
	lacks  atomic.Uint32        // of Lack
	alone  []*Alone             // of Share

	// Native is what is called in place of C, for those who say so by Lack afterwards. It is set once.
	Native unsafe.Pointer
}

// ended is where gates are that were closed.
var ended Gate

// Fail marks the object as one that has failed, and can still be used: Failure returns errno from now on.
func (g *Gate) Fail(errno syscall.Errno) { g.failed.Store(uintptr(errno)) }

// Failure returns the result of a call that finds nothing to do: 0 unless the object has failed.
func (g *Gate) Failure() syscall.Errno { return syscall.Errno(g.failed.Load()) }

// Lack says that the object has nothing that calls of some kinds would use. The bits of kinds are those of the caller.
func (g *Gate) Lack(kinds uint32) { g.lacks.Or(kinds) }

// Gain takes back a Lack of some kinds.
func (g *Gate) Gain(kinds uint32) { g.lacks.And(^kinds) }

// Lacks returns the kinds of all calls of Lack.
func (g *Gate) Lacks() uint32 { return g.lacks.Load() }

// Open lets calls use the C object.
func (g *Gate) Open(c unsafe.Pointer) {
	g.object.Store(uintptr(c))
	g.at.Store(g)
}

// IsOpen reports whether calls may use the object; not those through a nil gate. It keeps nothing alive: a
// caller that uses the object enters in C.
func (g *Gate) IsOpen() bool { return g != nil && g.at.Load() == g }

// Refusal returns the result of a call through a gate that is not open: fail.ErrnoCopied for a copy, fail.ErrnoNeverOpened for nil
// and a zero value, otherwise fail.ErrnoClosed.
func (g *Gate) Refusal() syscall.Errno {
	if g == nil {
		return fail.ErrnoNeverOpened
	}
	switch g.at.Load() {
	case nil:
		return fail.ErrnoNeverOpened
	case g, &ended:
		return fail.ErrnoClosed
	}
	return fail.ErrnoCopied
}

// Object returns the C object for a caller that only needs its address, nil once the gate is closed.
func (g *Gate) Object() unsafe.Pointer {
	c := g.object.Load()
	return *(*unsafe.Pointer)(unsafe.Pointer(&c))
}

// Word returns the address of the word that calls in C look at: the gate, as gate.h has it.
func (g *Gate) Word() unsafe.Pointer { return unsafe.Pointer(&g.object) }

// End closes the gate, waits until no call uses the object, and runs destroy. When destroy fails, the gate is open again.
//
// While it waits, and ever after, calls answer that the object is closed. A call that does not return in the time most makes
// End fail with syscall.EBUSY, without running destroy. kind names the object in errors. A closed gate is os.ErrClosed.
func (g *Gate) End(verb, kind string, most time.Duration, destroy func() error) error {
	if g == nil || g.at.Load() == nil {
		return fail.NeverOpened(verb, kind)
	}
	c := g.object.Swap(0)
	if c == 0 {
		return fail.Closed(verb, kind)
	}
	g.at.Store(&ended)
	done := false
	defer func() { // also when destroy panics
		if !done {
			g.object.Store(c)
			g.at.Store(g)
		}
	}()
	if err := g.drain(verb, kind, most); err != nil {
		return err
	}
	if err := destroy(); err != nil {
		return err
	}
	done = true
	return nil
}

// drain waits until no thread is inside a call with the gate, which is closed. No call of the data path waits for anything, so only
// a thread that the system does not let run makes it fail.
func (g *Gate) drain(verb, kind string, most time.Duration) error {
	return wait(verb, kind, most, g.inside)
}

// Pass waits for the calls that began before and use objects beside those of their gates, for which g stands as a whole (see
// verbsgen_gate_beside in gate.h). The caller has forbidden the use of its object. The errors are those of End, and leave the
// object in use.
func (g *Gate) Pass(verb, kind string, most time.Duration) error {
	var at unsafe.Pointer
	return wait(verb, kind, most, func() bool {
		at = g.pass(at)
		return at != nil
	})
}

// wait makes the caller's stores visible to all threads, and waits until no call is inside.
func wait(verb, kind string, most time.Duration, inside func() bool) error {
	if err := barrier(); err != nil {
		errno, _ := err.(syscall.Errno)
		return &verr.Error{Verb: verb, Errno: errno,
			Msg: "membarrier(2) is refused since the program started, so nobody knows which calls use the " + kind +
				"; it stays open; allow membarrier for the life of the program"}
	}
	const longest = time.Millisecond
	for pause, begin := time.Microsecond, time.Now(); inside(); pause = min(2*pause, longest) {
		if time.Since(begin) > most {
			return fail.Busy(verb, kind, []string{"a call that did not return in time"})
		}
		time.Sleep(pause)
	}
	return nil
}

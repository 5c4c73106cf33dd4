package dpath

// Why unsafe: a request names the entry of its address handle by a number, which C follows. What keeps it sound: entries are never
// freed, and Go does not move them. A pointer in memory that Go and C share would replace it.

import (
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Address lets requests name an address handle (struct ibv_ah *), and lets its Close wait for posts that use it. A request keeps the
// address of the C object for as long as it is posted again and again, which may be longer than the object exists: so it also
// keeps a number, which no two handles share, and each post on a UD queue pair compares it with the number in the entry of the handle.
// The zero value is closed.
type Address struct {
	Owner any // the generated handle, set before Open

	gate   gate.Gate
	entry  *entry
	serial uint64
}

// entry is what a post knows of an address handle: its number, 0 once it is closed, and its C object. It outlives the handle, and goes
// to another one then.
type entry struct {
	serial atomic.Uint64
	object atomic.Uintptr
	of     atomic.Pointer[Address] // for Go
}

// rawAddress is in a request in place of the entry, if its address handle has none. The number is the address of the handle then.
const rawAddress = 1

var entries struct {
	sync.Mutex
	chunks [][]entry // keeps them reachable
	free   []*entry
	last   uint64 // number
}

// Open lets requests name the C object.
func (a *Address) Open(c unsafe.Pointer) {
	const chunk = 256
	entries.Lock()
	defer entries.Unlock()
	if len(entries.free) == 0 {
		more := make([]entry, chunk)
		entries.chunks = append(entries.chunks, more)
		for i := range more {
			entries.free = append(entries.free, &more[i])
		}
	}
	last := len(entries.free) - 1
	a.entry, entries.free = entries.free[last], entries.free[:last]
	entries.last++
	a.serial = entries.last
	a.entry.object.Store(uintptr(c))
	a.entry.of.Store(a)
	a.entry.serial.Store(a.serial)
	a.gate.Open(c)
}

// IsOpen reports whether requests may name the object.
func (a *Address) IsOpen() bool { return a.gate.IsOpen() }

// Refusal returns the result of naming an object that is not open, as gate.Gate.Refusal does.
func (a *Address) Refusal() syscall.Errno { return a.gate.Refusal() }

// To sets the destination of a SEND as SendWR.To does. Once the object is closed, a post of the request is refused
// (fail.ErrnoAddressClosed). It panics for a zero value of SendWR.
func (a *Address) To(w SendWR, qpn, qkey uint32) {
	w.to(uint64(uintptr(a.gate.Object())), uintptr(unsafe.Pointer(a.entry)), a.serial, qpn, qkey)
}

// End closes the object as gate.Gate.End does: it waits until no post uses it, and runs destroy.
func (a *Address) End(verb, kind string, most time.Duration, destroy func() error) error {
	return a.gate.End(verb, kind, most, func() error {
		done := false
		a.entry.serial.Store(0)
		defer func() {
			if !done {
				a.entry.serial.Store(a.serial)
			}
		}()
		if err := addresses().Pass(verb, kind, most); err != nil {
			return err
		}
		if err := destroy(); err != nil {
			return err
		}
		done = true
		a.entry.of.Store(nil)
		entries.Lock()
		defer entries.Unlock()
		entries.free = append(entries.free, a.entry)
		return nil
	})
}

package object

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Handle is what every handle of a generated package has: its Node, its C object, and how the two end. A generated type has one as a
// field, and a method that returns it, for a nil receiver too:
//
//	func (o *MR) base() *object.Handle {
//		if o == nil {
//			return object.Nil("MR", "ibv_dereg_mr")
//		}
//		return o.h.Or("MR", "ibv_dereg_mr")
//	}
//
// Its life: Make names it, the fields are filled in, Adopt opens it, Enter and Exit enclose each use, Close or CloseBy ends it.
//
// A Handle must not be copied. In a copy every method fails, and leaves the original and its C object as they are.
type Handle struct {
	Node
	Origin
	C       unsafe.Pointer // the C object
	End     func() error   // ends the C object
	Other   func() error   // ends a C object that another library made, in place of End and of what CloseBy is given; or nil
	Guard   Guard          // keeps the C object from ending during calls that use it and do not enter the handle; or nil
	Index   *Index         // finds the handle by the address of the C object, from Adopt on; or nil
	Before  func()         // called before the C object ends, which it does not if there are children afterwards; or nil
	Failing func()         // called by Fail; or nil
	Gone    func()         // called when the C object is gone; or nil
	Kept    func()         // gives back what the C object was made of, when it is gone; or nil

	owner     io.Closer
	verb      string     // C name of what ends it
	attaching sync.Mutex // keeps what the kernel has attached and what is below the handle the same
}

// Origin is what a C object belongs to. Objects of two origins must not meet in one call.
type Origin struct {
	Root *Handle // the object that all others of the library are made from, for one of a device the device; nil where there is none
	Lib  any     // the *Lib of the generated package
}

// Guard waits for calls that use a C object without entering its handle, and keeps new ones out: a gate.Gate, for one.
type Guard interface {
	// End waits for as long as most, then calls destroy. If that fails, calls may use the object again.
	End(verb, kind string, most time.Duration, destroy func() error) error
}

// Nil returns what a nil handle of a kind has: Enter and Close fail with fail.NilHandle.
//
//go:noinline
func Nil(kind, verb string) *Handle {
	return &Handle{Node: Node{status: missing, kind: kind}, verb: verb}
}

// Or returns h, or for a handle that was never made one of a kind whose methods fail and say so.
func (h *Handle) Or(kind, verb string) *Handle {
	if h.owner != nil {
		return h
	}
	return never(kind, verb)
}

//go:noinline
func never(kind, verb string) *Handle { return &Handle{Node: Node{kind: kind}, verb: verb} }

// OrZero returns p, or a zero value in place of nil.
func OrZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// Make begins the handle of the C object at c: an object of a kind ("MR"), which end ends by the C function verb. owner is the
// generated handle that contains h.
func (h *Handle) Make(owner io.Closer, kind string, of Origin, c unsafe.Pointer, verb string, end func() error) {
	h.owner, h.kind, h.Origin, h.C, h.verb, h.End = owner, kind, of, c, verb, end
	if of.Root != nil {
		h.under = &of.Root.Node
	}
}

// Kind returns the kind of the object, also for a nil handle.
func (h *Handle) Kind() string { return h.kind }

// String returns the name of the object in messages, as Node.String does, and says if it is not open. fmt would print the fields instead,
// which calls of other goroutines change at the same time.
func (h *Handle) String() string {
	switch h.is() {
	case missing:
		return "nil " + h.kind
	case copied: // of a lock too
		return "copied " + h.kind
	case unborn:
		if h.owner == nil { // others are being made
			return "unopened " + h.kind
		}
	case closed:
		return "closed " + h.Node.String()
	}
	return h.Node.String()
}

// LogValue returns what String returns, for package slog.
func (h *Handle) LogValue() slog.Value { return slog.StringValue(h.String()) }

// Owner returns the generated handle that contains h; nil for a nil handle.
func (h *Handle) Owner() io.Closer { return h.owner }

// EnterBeside is Enter for a handle that is given to a call on self, in the place with the C name what. The two must be of one origin.
func (h *Handle) EnterBeside(self *Handle, verb, what string) error {
	if err := h.Enter(verb); err != nil {
		return err
	}
	err := h.Beside(self, verb, what)
	if err == nil && (h.Lib != self.Lib || (h.Root == nil) != (self.Root == nil)) {
		err = OtherLibrary(verb, what, &h.Node)
	}
	if err != nil {
		h.Exit()
	}
	return err
}

// Beside refuses h beside self, of the same library, where the two are known to be of two devices.
func (h *Handle) Beside(self *Handle, verb, what string) error {
	if h.under == self.under || h.under == nil || self.under == nil {
		return nil
	}
	return OtherDevice(verb, what, &h.Node, h.under, &self.Node, self.under)
}

// Adopt opens the handle under its parents, as Node.Init does. When that fails, the C object is ended. If it cannot be ended while the
// parents are open or being closed, the handle stays below them, so that their CloseAll tries again.
func (h *Handle) Adopt(parents ...*Node) error {
	if h.Index != nil { // before anybody else can close the handle
		h.Index.Add(uintptr(h.C), h.owner)
	}
	for _, p := range parents {
		if h.under == nil && p != nil {
			h.under = p.under
		}
	}
	h.share(parents)
	err := h.Init(h.owner, h.kind, h.label, parents...)
	if err == nil {
		return nil
	}
	if failed := h.destroy(h.verb, h.End, false); failed != nil {
		_ = h.init(h.owner, h.kind, h.label, true, parents) // where it fails, a parent is closed, and nothing can be in its way
		return errors.Join(err, failed)
	}
	return err
}

// Optional returns the node of the handle, and nil for that of a nil handle: for a parent that an object may lack.
func (h *Handle) Optional() *Node {
	if h.is() == missing {
		return nil
	}
	return &h.Node
}

// Close ends the C object and closes the handle, as Node.Close does.
func (h *Handle) Close() error { return h.CloseBy(h.verb, h.End, false) }

// CloseBy is Close by another function than End, of the C function verb. If the object lives on elsewhere, what it was made of is kept
// for as long as the process runs: a device may still use it.
func (h *Handle) CloseBy(verb string, end func() error, lives bool) error {
	return h.Node.Close(verb, func() error { return h.destroy(verb, end, lives) })
}

// CloseAll is CloseTree of the handle. For a nil handle and for a copy it is an error.
func (h *Handle) CloseAll() error {
	if s := h.is(); s == missing || s == copied {
		return h.gone(h.verb)
	}
	return CloseTree(&h.Node)
}

// CPtr returns the address of the C object, nil unless the handle is open.
func (h *Handle) CPtr() unsafe.Pointer {
	if !h.IsOpen() {
		return nil
	}
	return h.C
}

// CInt is CPtr for an int, which lies at C: it returns the int, -1 unless the handle is open. Packages whose objects are ints use it.
func (h *Handle) CInt() int {
	if c := (*int32)(h.CPtr()); c != nil {
		return int(*c)
	}
	return -1
}

// destroy ends the C object behind its guard.
func (h *Handle) destroy(verb string, end func() error, lives bool) error {
	if h.Before != nil {
		h.Before()
		left := func() error { return h.keptOpen(verb, h.openNames()) } // by what was made meanwhile, and refused, and not ended
		if err := inTree(left); err != nil {
			return err
		}
	}
	if h.Guard == nil {
		return h.finish(end, lives)
	}
	begin, waited := time.Now(), time.Duration(-1)
	err := h.Guard.End(verb, h.kind, h.mayWait(), func() error {
		waited = time.Since(begin)
		return h.finish(end, lives)
	})
	if waited < 0 {
		waited = time.Since(begin)
	}
	h.waited(waited)
	return err
}

// Fail has calls of the data path that find nothing to do return errno from now on, where the guard of the object knows such calls.
func (h *Handle) Fail(errno syscall.Errno) {
	if g, ok := h.Guard.(interface{ Fail(errno syscall.Errno) }); ok {
		g.Fail(errno)
	}
	if h.Failing != nil {
		h.Failing()
	}
}

// finish ends the C object, and then what depended on it.
func (h *Handle) finish(end func() error, lives bool) error {
	if h.Other != nil {
		end = h.Other
	}
	if err := end(); err != nil {
		return err
	}
	if h.Index != nil {
		h.Index.Remove(uintptr(h.C), h.owner)
	}
	if h.Gone != nil {
		h.Gone()
	}
	switch {
	case h.Kept == nil:
	case lives:
		keepForever(h.Kept)
	default:
		h.Kept()
	}
	return nil
}

var forever struct {
	sync.Mutex
	kept []func()
}

// keepForever keeps what a function would give back until the process ends: memory that a device may still write to, because nobody
// here can say when it stops.
func keepForever(kept func()) {
	forever.Lock()
	defer forever.Unlock()
	forever.kept = append(forever.kept, kept)
}

package bridge

import (
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Uses are the handles of one package that a call of Verb uses. They must be of the library Lib, a *Lib, and of the root that the first
// one has. The uses end together, by Exit.
type Uses struct {
	Verb string
	Lib  any

	in      object.Uses
	handles []*object.Handle
	leave   []func()
}

// enter begins the use of a handle in the place with the C name what.
func (u *Uses) enter(what string, h *object.Handle) error {
	if err := h.Enter(u.Verb); err != nil {
		return err
	}
	u.in.Add(&h.Node)
	if h.Lib != u.Lib {
		return object.OtherLibrary(u.Verb, what, &h.Node)
	}
	for _, x := range u.handles {
		if err := h.Beside(x, u.Verb, what); err != nil {
			return err
		}
	}
	u.handles = append(u.handles, h)
	return nil
}

// Removed returns err, the error of the call, with verr.ErrDeviceRemoved in it if the device of a handle was removed.
func (u *Uses) Removed(err error) error {
	for _, h := range u.handles {
		err = h.Removed(err)
	}
	return err
}

// Exit ends all uses. It closes the handles that only Under has borrowed, unless an object belongs to them now, and unpins bytes.
func (u *Uses) Exit() {
	u.in.Exit()
	for _, leave := range u.leave {
		leave()
	}
}

// Enter begins the use of a handle in the place with the C name what.
func Enter[T any](u *Uses, what string, h *T) (*object.Handle, error) {
	s, err := shelfOf[T](u.Verb)
	if err != nil {
		return nil, err
	}
	held := s.base(h)
	return held, u.enter(what, held)
}

// EnterOptional is Enter for a handle that may be nil; then it returns that of a nil handle, whose C is nil.
func EnterOptional[T any](u *Uses, what string, h *T) (*object.Handle, error) {
	if h == nil {
		return object.Nil("", ""), nil
	}
	return Enter(u, what, h)
}

// C returns the C object of a handle, also while that waits to be closed: for a call that ends an object made from it. That of a nil
// handle is nil.
func C[T any](h *T) unsafe.Pointer {
	s, err := shelfOf[T]("")
	if err != nil {
		return nil
	}
	return s.base(h).C
}

// OwnsQueues refuses a queue pair in the place with the C name what that has no queues of its own, for a call that reads them.
func OwnsQueues(verb, what string, h *object.Handle) error {
	if g, ok := h.Guard.(*gate.Gate); !ok || g.Lacks()&dpath.LacksOwn == 0 {
		return nil
	}
	return fail.Invalid(verb, what+": this "+h.Kind()+
		" has no queues of its own, as it was made with a table of work queues, or as a DCT; pass the work queues or the shared receive queue")
}

// Under returns held, the handle to which the new object of a call belongs. If that is of a nil handle, it begins the use of the handle
// that lend borrows, in the place with the C name what, and returns that.
func Under[T any](u *Uses, what string, held *object.Handle, lend func() (*T, error)) (*object.Handle, error) {
	if held.Optional() != nil {
		return held, nil
	}
	s, err := shelfOf[T](u.Verb)
	if err != nil {
		return nil, err
	}
	h, err := lend()
	if err != nil {
		return nil, err
	}
	u.leave = append(u.leave, s.call(h))
	return Enter(u, what, h)
}

// Root returns the handle of type R that the handles in use belong to, for a new object below it.
func Root[R any](u *Uses, kind string) (*R, error) {
	if root := rootOf[R](u.Lib, u.handles); root != nil {
		return root, nil
	}
	return nil, rootless(u.Verb, kind)
}

// rootless is the error of an object that was to be made from nothing.
func rootless(verb, kind string) error {
	return fail.Invalid(verb, "nothing says what the new "+kind+" belongs to")
}

// rootOf finds what a new handle belongs to: the library, a handle that it is made from, or the root of one.
func rootOf[R any](lib any, handles []*object.Handle) *R {
	if l, ok := lib.(*R); ok {
		return l
	}
	for _, h := range handles {
		if r, ok := any(h.Owner()).(*R); ok && h.Root == nil {
			return r
		}
		if h.Root != nil {
			if r, ok := any(h.Root.Owner()).(*R); ok {
				return r
			}
		}
	}
	return nil
}

// Lent is a copy of the C struct of a builder, with the handles in it in use.
type Lent struct {
	C     unsafe.Pointer // memory of Go
	Nodes []*object.Node // of the handles
	Judge func() error   // checks the struct by the rules of the verb of its own package that takes it; or nil
	uses  *Uses
	made  []func(handle any)
}

// Pin stores the address of bytes in the struct, where they stay until the uses end.
func (l *Lent) Pin(to *uintptr, b []byte) { l.uses.leave = append(l.uses.leave, cmem.PinData(to, b)) }

// OnMake has f called with the handle of type T that is made of an object which the other library made with the struct.
func OnMake[T any](l *Lent, f func(*T)) {
	l.made = append(l.made, func(handle any) {
		if h, ok := handle.(*T); ok {
			f(h)
		}
	})
}

// OnRoot calls f with the handle of type R that the handles in use belong to, if there is one.
func OnRoot[R any](l *Lent, f func(*R)) {
	if root := rootOf[R](l.uses.Lib, l.uses.handles); root != nil {
		f(root)
	}
}

// Enter begins the use of a handle in the struct. What is the C name of its field.
func (l *Lent) Enter(what string, h *object.Handle) error {
	l.Nodes = append(l.Nodes, &h.Node)
	return l.uses.enter(what, h)
}

// Lend begins the use of a builder of another package, with its handles. It refuses one that breaks a rule of that package.
func Lend[T any](u *Uses, a *T) (Lent, error) {
	lent, err := LendUnjudged(u, a)
	if err != nil || lent.Judge == nil {
		return lent, err
	}
	err = lent.Judge()
	if e, ok := err.(*verr.Error); ok {
		e.Verb = u.Verb
	}
	return lent, err
}

// LendUnjudged is Lend for a call that takes what the rules of the other package refuse.
func LendUnjudged[T any](u *Uses, a *T) (lent Lent, err error) {
	x, ok := attrs.find((*T)(nil))
	if !ok {
		return lent, notOffered(u.Verb, (*T)(nil))
	}
	of := x.(*attr[T])
	if a == nil {
		return lent, fail.NilValue(u.Verb, of.kind, "make one with New"+of.kind)
	}
	lent.uses = u
	return lent, of.lend(a, &lent)
}

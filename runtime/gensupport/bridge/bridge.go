package bridge

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Handle is what a package offers of the handles of a type.
type Handle[T any] struct {
	Kind string                    // in messages: "PD"
	Of   func(*T) Held             // what a handle stands for
	Make func(m *Made) (*T, error) // a handle for an object that another library made
}

// Attr is what a package offers of the builders of a type.
type Attr[T any] struct {
	Kind string
	// Lend begins the use of what the builder was given, of a library and of a root, which may be nil, and returns a copy of its C struct.
	Lend func(a *T, verb string, lib any, root *object.Node) (Lent, error)
}

var (
	handles offers // type of T -> *shelf[T]
	attrs   offers // type of T -> Attr[T]
	libs    offers // type of L -> func(*L) dl.Source
)

// offers are values by a type T, of which a nil *T is the key. Its methods stay out of line: what they call would be compiled once
// for each type that is offered.
type offers struct {
	mu sync.RWMutex
	of map[any]any
}

//go:noinline
func (o *offers) add(key any, x any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[any]any{}
	}
	o.of[key] = x
}

//go:noinline
func (o *offers) find(key any) (x any, ok bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	x, ok = o.of[key]
	return x, ok
}

// shelf has what is offered of a type, and the handles that Borrow made, by C object.
type shelf[T any] struct {
	Handle[T]
	mu   sync.Mutex
	made map[unsafe.Pointer]*T
}

// OfferHandle offers the handles of a type. A package calls it once for each of its types, when it is initialised.
func OfferHandle[T any](h Handle[T]) {
	handles.add((*T)(nil), &shelf[T]{Handle: h, made: map[unsafe.Pointer]*T{}})
}

// OfferLib offers the source of the functions of a loaded library.
func OfferLib[L any](source func(*L) dl.Source) { libs.add((*L)(nil), source) }

// Source returns where a library of another package has its functions from.
func Source[L any](lib *L) (dl.Source, error) {
	if lib == nil {
		return nil, verr.NilValue("", nameOf(lib), "load the library that this one works with first")
	}
	source, ok := libs.find((*L)(nil))
	if !ok {
		return nil, notOffered("", (*L)(nil))
	}
	return source.(func(*L) dl.Source)(lib), nil
}

// OfferAttr offers the builders of a type.
func OfferAttr[T any](a Attr[T]) { attrs.add((*T)(nil), a) }

// shelfOf finds what is offered of a type.
func shelfOf[T any](verb string) (*shelf[T], error) {
	if s, ok := handles.find((*T)(nil)); ok {
		return s.(*shelf[T]), nil
	}
	return nil, notOffered(verb, (*T)(nil))
}

func notOffered(verb string, key any) error {
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true,
		Msg: nameOf(key) + " is of a package that does not offer it; generate it again"}
}

// nameOf is the name of the type that a nil pointer is the key of.
func nameOf(key any) string { return strings.TrimPrefix(fmt.Sprintf("%T", key), "*") }

// Held is a handle that a call of another package uses.
type Held struct {
	C    unsafe.Pointer // nil for a handle that was not given
	Node *object.Node
	Root *object.Node // of the object that all others of the library are made from; nil where there is none
	Lib  any          // the *Lib of the package
}

// Exit ends the use.
func (h Held) Exit() {
	if h.Node != nil {
		h.Node.Exit()
	}
}

// Enter begins the use of a handle by verb, in the place with the C name what. The handle must be of the library lib, a *Lib. The
// use ends with Exit.
func Enter[T any](verb, what string, lib any, h *T) (Held, error) {
	s, err := shelfOf[T](verb)
	if err != nil {
		return Held{}, err
	}
	if h == nil {
		return Held{}, verr.NilHandle(verb, s.Kind)
	}
	held := s.Of(h)
	if err := held.Node.Enter(verb); err != nil {
		return Held{}, err
	}
	if held.Lib != lib {
		defer held.Exit()
		return Held{}, OtherLibrary(verb, what, held.Node)
	}
	return held, nil
}

// EnterOptional is Enter for a handle that may be nil.
func EnterOptional[T any](verb, what string, lib any, h *T) (Held, error) {
	if h == nil {
		return Held{}, nil
	}
	return Enter(verb, what, lib, h)
}

// OtherLibrary is the error of a handle of another library than that of the call; what is the C name of its place.
func OtherLibrary(verb, what string, node *object.Node) error {
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true,
		Msg: what + ": " + node.String() + " belongs to another loaded library than the call; use objects of one"}
}

// Lent is a copy of the C struct of a builder, with the handles in it in use.
type Lent struct {
	C     unsafe.Pointer // memory of Go
	Nodes []*object.Node // of the handles in it
	exit  []func()
}

// Enter begins the use of a handle in the struct. What is the C name of its field; the handle must be of the library and, if root is
// not nil, of that root.
func (l *Lent) Enter(verb, what string, node *object.Node, itsLib, lib any, itsRoot, root *object.Node) error {
	if err := node.Enter(verb); err != nil {
		return err
	}
	l.exit = append(l.exit, node.Exit)
	if itsLib != lib {
		return OtherLibrary(verb, what, node)
	}
	if root != nil && itsRoot != root {
		return object.OtherDevice(verb, what, node, itsRoot, root, root)
	}
	l.Nodes = append(l.Nodes, node)
	return nil
}

// Exit ends all uses.
func (l *Lent) Exit() {
	for _, exit := range l.exit {
		exit()
	}
	l.exit = nil
}

// Lend begins the use of a builder of another package: see Attr.Lend. The use ends with Exit of what it returns, also after an error.
func Lend[T any](verb string, a *T, lib any, root *object.Node) (Lent, error) {
	x, ok := attrs.find((*T)(nil))
	if !ok {
		return Lent{}, notOffered(verb, (*T)(nil))
	}
	attr := x.(Attr[T])
	if a == nil {
		return Lent{}, verr.NilValue(verb, attr.Kind, "make one with New"+attr.Kind)
	}
	return attr.Lend(a, verb, lib, root)
}

// Made is an object of one library that another library made.
type Made struct {
	Verb    string
	C       unsafe.Pointer
	Lib     any            // the *Lib of the package whose type the handle has
	Handles []any          // handles of that package that it was made from
	Parents []*object.Node // that cannot be closed before it
	End     func() error   // ends the C object; nil where the library of its type does it
}

// Among finds a handle of a type among those that an object was made from; nil without one.
func Among[T any](m *Made) *T {
	for _, h := range m.Handles {
		if t, ok := h.(*T); ok && t != nil {
			return t
		}
	}
	return nil
}

// LibOf is the library of the new handle; nil when it is of another package.
func LibOf[T any](m *Made) *T {
	l, _ := m.Lib.(*T)
	return l
}

// Rootless is the error of an object that was made from nothing that leads to the root of its library.
func (m *Made) Rootless(kind string) error {
	return &verr.Error{Verb: m.Verb, Errno: syscall.EINVAL, Refused: true, Msg: "nothing says what the new " + kind + " belongs to"}
}

// Make makes a handle for an object that the library of another package made. When that fails the object is ended.
func Make[T any](m Made) (*T, error) {
	s, err := shelfOf[T](m.Verb)
	if err != nil {
		return nil, errors.Join(err, m.end())
	}
	return s.make(m)
}

func (m *Made) end() error {
	if m.End == nil {
		return nil
	}
	return m.End()
}

// make makes a handle; what it does not take over it ends.
func (s *shelf[T]) make(m Made) (h *T, err error) {
	err = m.take(func(taken *Made) (err error) {
		h, err = s.Make(taken)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// take has make take an object over. When that fails, and make has not ended the object, it is ended.
func (m *Made) take(make func(*Made) error) error {
	taken := *m
	ended := false
	if m.End != nil {
		taken.End = func() error {
			ended = true
			return m.End()
		}
	}
	err := make(&taken)
	if err != nil && !ended {
		err = errors.Join(err, m.end())
	}
	return err
}

// Borrow returns the handle for an object that another library owns and keeps while the handle is open. keep has the library keep
// it, and returns what lets go of it. There is one open handle for an object; its Close does not end the object.
func Borrow[T any](verb string, c unsafe.Pointer, lib any, keep func() (release func() error, err error)) (*T, error) {
	s, err := shelfOf[T](verb)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.made[c]; h != nil {
		if held := s.Of(h); held.Node.IsOpen() && held.Lib == lib {
			return h, nil
		}
	}
	release, err := keep()
	if err != nil {
		return nil, err
	}
	h, err := s.make(Made{Verb: verb, C: c, Lib: lib, End: release})
	if err != nil {
		return nil, err
	}
	s.made[c] = h
	return h, nil
}

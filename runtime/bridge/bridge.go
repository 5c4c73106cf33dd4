package bridge

import (
	"errors"
	"reflect"
	"sync"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/dl"
	"github.com/verbsgen/verbsgen/runtime/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Handle is what a package offers of the handles of a type.
type Handle[T any] struct {
	Kind string // in messages: "PD"
	Node func(*T) *object.Node
	C    func(*T) unsafe.Pointer
	Lib  func(*T) any              // the *Lib of the package
	Root func(*T) *object.Node     // node of the object that all others of the library are made from; nil where there is none
	Make func(m *Made) (*T, error) // a handle for an object that another library made
}

// Attr is what a package offers of the builders of a type.
type Attr[T any] struct {
	Kind string
	// Lend begins the use of what the builder was given, of a library and of a root, which may be nil, and returns a copy of its C struct.
	Lend func(a *T, verb string, lib any, root *object.Node) (Lent, error)
}

var (
	handles sync.Map // type of T -> *shelf[T]
	attrs   sync.Map // type of T -> Attr[T]
	libs    sync.Map // type of L -> func(*L) dl.Source
)

// shelf has what is offered of a type, and the handles that Borrow made, by C object.
type shelf[T any] struct {
	Handle[T]
	mu   sync.Mutex
	made map[unsafe.Pointer]*T
}

// OfferHandle offers the handles of a type. A package calls it once for each of its types, when it is initialised.
func OfferHandle[T any](h Handle[T]) {
	handles.Store(reflect.TypeFor[T](), &shelf[T]{Handle: h, made: map[unsafe.Pointer]*T{}})
}

// OfferLib offers the source of the functions of a loaded library.
func OfferLib[L any](source func(*L) dl.Source) { libs.Store(reflect.TypeFor[L](), source) }

// Source returns where a library of another package has its functions from.
func Source[L any](lib *L) (dl.Source, error) {
	name := reflect.TypeFor[L]().String()
	if lib == nil {
		return nil, verr.NilValue("", name, "load the library that this one works with first")
	}
	source, ok := libs.Load(reflect.TypeFor[L]())
	if !ok {
		return nil, notOffered[L]("")
	}
	return source.(func(*L) dl.Source)(lib), nil
}

// OfferAttr offers the builders of a type.
func OfferAttr[T any](a Attr[T]) { attrs.Store(reflect.TypeFor[T](), a) }

// shelfOf finds what is offered of a type.
func shelfOf[T any](verb string) (*shelf[T], error) {
	if s, ok := handles.Load(reflect.TypeFor[T]()); ok {
		return s.(*shelf[T]), nil
	}
	return nil, notOffered[T](verb)
}

func notOffered[T any](verb string) error {
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: reflect.TypeFor[T]().String() + " is of a package that does not offer it; generate it again"}
}

// Held is a handle that a call of another package uses.
type Held struct {
	C    unsafe.Pointer // nil for a handle that was not given
	Node *object.Node
	Root *object.Node
}

// Exit ends the use.
func (h Held) Exit() {
	if h.Node != nil {
		h.Node.Exit()
	}
}

// Enter begins the use of a handle by verb, in the place with the C name what. The handle must be of the library lib, a *Lib. The use ends with Exit.
func Enter[T any](verb, what string, lib any, h *T) (Held, error) {
	s, err := shelfOf[T](verb)
	if err != nil {
		return Held{}, err
	}
	if h == nil {
		return Held{}, verr.NilHandle(verb, s.Kind)
	}
	node := s.Node(h)
	if err := node.Enter(verb); err != nil {
		return Held{}, err
	}
	if s.Lib(h) != lib {
		defer node.Exit()
		return Held{}, OtherLibrary(verb, what, node)
	}
	held := Held{C: s.C(h), Node: node}
	if s.Root != nil {
		held.Root = s.Root(h)
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
	x, ok := attrs.Load(reflect.TypeFor[T]())
	if !ok {
		return Lent{}, notOffered[T](verb)
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
func (s *shelf[T]) make(m Made) (*T, error) {
	taken := m
	ended := false
	if m.End != nil {
		taken.End = func() error {
			ended = true
			return m.End()
		}
	}
	h, err := s.Make(&taken)
	if err != nil && !ended {
		err = errors.Join(err, m.end())
	}
	if err != nil {
		return nil, err
	}
	return h, nil
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
	if h := s.made[c]; h != nil && s.Node(h).IsOpen() && s.Lib(h) == lib {
		return h, nil
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

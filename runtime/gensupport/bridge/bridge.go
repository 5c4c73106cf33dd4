package bridge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// What is offered, by a type T, of which a nil *T is the key.
var (
	handles offers // *shelf[T]
	attrs   offers // *attr[T]
	fills   offers // func(verb string, to *T) (Filled, error)
	libs    offers // func(*T) dl.Source
	streams offers // func(*T) Stream
)

// offers keeps its methods out of line: what they call would be compiled once for each type that is offered.
type offers struct{ of sync.Map }

//go:noinline
func (o *offers) add(key, x any) { o.of.Store(key, x) }

//go:noinline
func (o *offers) find(key any) (x any, ok bool) { return o.of.Load(key) }

// shelf has what is offered of a type, and the handles that Borrow made, by C object.
type shelf[T any] struct {
	base func(*T) *object.Handle
	of   func(m *Made) *T // nil where nothing leads to what the new handle belongs to
	mu   sync.Mutex
	made map[unsafe.Pointer]*borrowed[T]
}

// borrowed is a handle that Borrow made.
type borrowed[T any] struct {
	h     *T
	asked int // callers of Borrow that may still have it, apart from those of Under
	calls int // that have it from Under
}

// OfferHandle offers the handles of a type. A package calls it once for each of its types, when it is initialised. base is the method of
// that name. create makes a handle, which belongs to a root of type R, or to the library if that is R. fill gives it the handles that
// it has beside the root; it may be nil.
func OfferHandle[T, R any](base func(*T) *object.Handle, create func(*R, unsafe.Pointer) *T, fill func(*T, *Made)) {
	handles.add((*T)(nil), &shelf[T]{base: base, made: map[unsafe.Pointer]*borrowed[T]{}, of: func(m *Made) *T {
		root := rootOf[R](m.lib, m.handles)
		if root == nil {
			return nil
		}
		h := create(root, m.C)
		if fill != nil {
			fill(h, m)
		}
		return h
	}})
}

// OfferLib offers the source of the functions of a loaded library.
func OfferLib[L any](source func(*L) dl.Source) { libs.add((*L)(nil), source) }

// Source returns where a library of another package has its functions from.
func Source[L any](lib *L) (dl.Source, error) {
	if lib == nil {
		return nil, fail.NilValue("", nameOf(lib), "load the library that this one works with first")
	}
	source, ok := libs.find((*L)(nil))
	if !ok {
		return nil, notOffered("", (*L)(nil))
	}
	return source.(func(*L) dl.Source)(lib), nil
}

// attr is what is offered of builders.
type attr[T any] struct {
	kind string
	lend func(*T, *Lent) error
}

// OfferAttr offers the builders of a type: lend gives a Lent a copy of the C struct, and has it use the handles in it.
func OfferAttr[T any](kind string, lend func(*T, *Lent) error) {
	attrs.add((*T)(nil), &attr[T]{kind, lend})
}

// OfferChanged offers the builders of a type to verbs that fill them. memory returns where a builder has its C struct and its mask, and the
// error that it keeps.
func OfferChanged[T any](kind string, memory func(*T) (c, mask unsafe.Pointer, err error)) {
	fills.add((*T)(nil), func(verb string, a *T) (f Filled, err error) {
		if a == nil {
			return f, fail.NilValue(verb, kind, "make one with New"+kind)
		}
		f.C, f.Mask, err = memory(a)
		return f, err
	})
}

// OfferFilled offers the records of a type that verbs fill. from reads one from its C struct.
func OfferFilled[T, C any](from func(*T, *C)) {
	fills.add((*T)(nil), func(_ string, r *T) (Filled, error) {
		c := new(C)
		return Filled{C: unsafe.Pointer(c), done: func() { from(r, c) }}, nil
	})
}

// shelfOf finds what is offered of a type.
func shelfOf[T any](verb string) (*shelf[T], error) {
	if s, ok := handles.find((*T)(nil)); ok {
		return s.(*shelf[T]), nil
	}
	return nil, notOffered(verb, (*T)(nil))
}

func notOffered(verb string, key any) error {
	return fail.Invalid(verb, nameOf(key)+" is of a package that does not offer it; generate it again")
}

// nameOf is the name of the type that a nil pointer is the key of.
func nameOf(key any) string { return strings.TrimPrefix(fmt.Sprintf("%T", key), "*") }

// call makes the last Borrow of a handle one for a call. Afterwards leave closes the handle, if nobody else has asked for it.
func (s *shelf[T]) call(h *T) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.made[s.base(h).C]
	if b == nil || b.h != h {
		return func() {}
	}
	b.asked--
	b.calls++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		b.calls--
		if b.calls == 0 && b.asked == 0 {
			_ = s.base(h).Close() // fails, and leaves it open, if an object belongs to it
		}
	}
}

// Filled is memory of Go for a verb of another library to fill.
type Filled struct {
	C, Mask unsafe.Pointer // Mask is nil for a record without a mask beside it
	done    func()         // or nil
}

// Done has the record take what is in the memory, after a call that succeeded.
func (f *Filled) Done() {
	if f.done != nil {
		f.done()
	}
}

// Fill returns the memory of a record of another package, for verb to fill.
func Fill[T any](verb string, to *T) (Filled, error) {
	of, ok := fills.find((*T)(nil))
	if !ok {
		return Filled{}, notOffered(verb, (*T)(nil))
	}
	return of.(func(string, *T) (Filled, error))(verb, to)
}

// Made is an object of one library that another library made.
type Made struct {
	C       unsafe.Pointer
	Parents []*object.Node // that cannot be closed before it, beside those in From
	From    *Lent          // the builder that it was made with; may be nil
	End     func() error   // ends the C object; nil where the library of its type does it

	Queueless bool // it has no queues of its own

	verb    string
	lib     any              // the *Lib of the package whose type the handle has
	handles []*object.Handle // handles of that package that it was made from
}

// Among finds a handle of a type among those that an object was made from; nil without one.
func Among[T any](m *Made) *T {
	for _, h := range m.handles {
		if t, ok := any(h.Owner()).(*T); ok {
			return t
		}
	}
	return nil
}

// Make makes a handle for an object that the library of another package made in a call with such uses. When that fails the object is
// ended.
func Make[T any](u *Uses, m Made) (*T, error) {
	m.verb, m.lib, m.handles = u.Verb, u.Lib, u.handles
	s, err := shelfOf[T](m.verb)
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
	h := s.of(&m)
	if h == nil {
		return nil, errors.Join(rootless(m.verb, s.base(nil).Kind()), m.end())
	}
	if g, ok := s.base(h).Guard.(*gate.Gate); ok && m.Queueless {
		g.Lack(dpath.LacksQueues)
	}
	if m.From != nil {
		for _, made := range m.From.made {
			made(h)
		}
	}
	if err := m.adopt(s.base(h)); err != nil {
		return nil, err
	}
	return h, nil
}

// adopt opens a handle, which is ended by End. When that fails, and the handle has not ended the object, it is ended.
func (m *Made) adopt(h *object.Handle) error {
	ended := false
	if m.End != nil {
		h.Other = func() error {
			ended = true
			return m.End()
		}
	}
	parents := m.Parents
	if m.From != nil {
		parents = slices.Concat(parents, m.From.Nodes)
	}
	err := h.Adopt(parents...)
	if err != nil && !ended && !h.IsOpen() {
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
	if b := s.made[c]; b != nil {
		if held := s.base(b.h); held.IsOpen() && held.Lib == lib {
			b.asked++
			return b.h, nil
		}
	}
	release, err := keep()
	if err != nil {
		return nil, err
	}
	h, err := s.make(Made{verb: verb, C: c, lib: lib, End: release})
	if err != nil {
		return nil, err
	}
	s.made[c] = &borrowed[T]{h: h, asked: 1}
	return h, nil
}

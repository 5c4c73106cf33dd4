package bridge

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// lib and thing stand for what a generated package has.
type lib struct{ _ int }

type thing struct {
	h    object.Handle
	with *thing
	ends int
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (x *thing) base() *object.Handle {
	if x == nil {
		return object.Nil("Thing", "thing_close")
	}
	return &x.h
}

func (x *thing) Close() error { return x.base().Close() }

type builder struct {
	of     *thing
	judged error
}

// foreign is of a package that offers nothing.
type foreign struct{}

// makeThing makes a handle that is not open yet.
func makeThing(l *lib, c unsafe.Pointer) *thing {
	x := &thing{}
	x.h.Make(x, "Thing", object.Origin{Lib: l}, c, "thing_close", func() error { x.ends++; return nil })
	return x
}

func newThing(t *testing.T, l *lib) *thing {
	t.Helper()
	x := makeThing(l, unsafe.Pointer(new(int)))
	check(t, x.h.Adopt())
	return x
}

var errMake = errors.New("refused by the maker")

func offer() {
	OfferHandle((*thing).base, makeThing, func(x *thing, m *Made) { x.with = Among[thing](m) })
	OfferAttr("Attr", func(a *builder, to *Lent) error {
		to.Judge = func() error { return a.judged }
		return to.Enter("of", &a.of.h)
	})
}

func wants(t *testing.T, err error, is error, text string) {
	t.Helper()
	if !errors.Is(err, is) || err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %v with %q", err, is, text)
	}
}

// TestEnter holds a handle for a call, and refuses one that is nil, closed, of another library or of a package that offers nothing.
func TestEnter(t *testing.T) {
	offer()
	l := new(lib)
	x := newThing(t, l)
	u := Uses{Verb: "verb", Lib: l}
	h, err := Enter(&u, "x", x)
	if err != nil || h != &x.h {
		t.Fatalf("%+v, %v", h, err)
	}
	closed := make(chan error)
	go func() { closed <- x.Close() }()
	for x.h.IsOpen() { // until the Close waits
		runtime.Gosched()
	}
	select {
	case err := <-closed:
		t.Errorf("Close returned %v while a call uses the handle", err)
	default:
	}
	u.Exit()
	check(t, <-closed)
	u = Uses{Verb: "verb", Lib: l}
	_, err = Enter(&u, "x", x)
	wants(t, err, os.ErrClosed, "verb: Thing is closed")
	_, err = Enter[thing](&u, "x", nil)
	wants(t, err, syscall.EINVAL, "Thing is nil")
	if h, err := EnterOptional[thing](&u, "x", nil); err != nil || h.C != nil {
		t.Errorf("%+v, %v", h, err)
	}
	other := newThing(t, nil)
	_, err = Enter(&u, "x", other)
	wants(t, err, syscall.EINVAL, "x: Thing belongs to another loaded library")
	u.Exit()
	if err := other.Close(); err != nil { // its use has ended
		t.Error(err)
	}
	_, err = Enter(&u, "x", new(foreign))
	wants(t, err, syscall.EINVAL, "bridge.foreign is of a package that does not offer it")
}

// TestUses refuses a handle of another device than the first one, in a builder too, and finds the device for a new object.
func TestUses(t *testing.T) {
	offer()
	l, dev := new(lib), newThing(t, nil)
	one, two, far := newThing(t, l), newThing(t, l), newThing(t, l)
	for x, root := range map[*thing]*thing{one: dev, two: dev, far: newThing(t, l)} {
		x.h.Make(x, "Thing", object.Origin{Root: &root.h, Lib: l}, x.h.C, "thing_close", x.h.End)
	}
	u := Uses{Verb: "verb", Lib: l}
	if _, err := Root[thing](&u, "Thing"); err == nil {
		t.Error("a root of nothing")
	}
	for _, x := range []*thing{one, two} {
		if _, err := Enter(&u, "x", x); err != nil {
			t.Error(err)
		}
	}
	if root, err := Root[thing](&u, "Thing"); root != dev || err != nil {
		t.Errorf("root %p, %v", root, err)
	}
	_, err := Enter(&u, "far", far)
	wants(t, err, syscall.EINVAL, "far: Thing belongs to ")
	_, err = Lend(&u, &builder{of: far})
	wants(t, err, syscall.EINVAL, "use objects of one device")
	u.Exit()
	for _, x := range []*thing{one, two, far} { // no use is left
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLend holds the handles in a builder, of one library.
func TestLend(t *testing.T) {
	offer()
	l := new(lib)
	x := newThing(t, l)
	u := Uses{Verb: "verb", Lib: l}
	lent, err := Lend(&u, &builder{of: x})
	if err != nil || !slices.Equal(lent.Nodes, []*object.Node{&x.h.Node}) {
		t.Errorf("%+v, %v", lent.Nodes, err)
	}
	broken := &builder{x, &verr.Error{Verb: "its own", Errno: syscall.EINVAL, Msg: "a rule is broken"}}
	_, err = Lend(&u, broken)
	wants(t, err, syscall.EINVAL, "verb: a rule is broken")
	if _, err := LendUnjudged(&u, broken); err != nil {
		t.Error(err)
	}
	wants(t, func() error { _, err := Lend[builder](&u, nil); return err }(), syscall.EINVAL, "Attr is nil; make one with NewAttr")
	_, err = Lend(&u, new(foreign))
	wants(t, err, syscall.EINVAL, "does not offer it")
	other := Uses{Verb: "verb", Lib: new(lib)}
	_, err = Lend(&other, &builder{of: x})
	wants(t, err, syscall.EINVAL, "another loaded library")
	u.Exit()
	other.Exit()
	if err := x.Close(); err != nil { // no use is left
		t.Error(err)
	}
}

// TestMake makes a handle below its parents, which is ended by the library that made it; what cannot have a handle is ended at once.
func TestMake(t *testing.T) {
	offer()
	l, parent := new(lib), newThing(t, nil)
	ended := 0
	end := func() error { ended++; return nil }
	parents := []*object.Node{&parent.h.Node}
	u := &Uses{Verb: "verb", Lib: l, handles: []*object.Handle{&parent.h}}
	x, err := Make[thing](u, Made{Parents: parents, End: end})
	if err != nil || x.with != parent {
		t.Fatal(err)
	}
	wants(t, parent.Close(), syscall.EBUSY, "Thing")
	if err := x.Close(); err != nil || ended != 1 || x.ends != 0 {
		t.Errorf("%v, ended %d times", err, ended)
	}
	u.handles = nil
	if x, err = Make[thing](u, Made{}); err != nil || x.Close() != nil || x.ends != 1 {
		t.Errorf("%v, not ended by its own library", err)
	}
	check(t, parent.Close())
	_, err = Make[thing](&Uses{Verb: "verb", Lib: "none"}, Made{End: end})
	wants(t, err, syscall.EINVAL, "nothing says what the new Thing belongs to")
	_, err = Make[thing](u, Made{Parents: parents, End: end})
	wants(t, err, os.ErrClosed, "")
	_, err = Make[foreign](u, Made{End: end})
	wants(t, err, syscall.EINVAL, "does not offer it")
	if ended != 4 {
		t.Errorf("ended %d times, want 4", ended)
	}
	x.h.Root = &parent.h
	m := &Made{handles: []*object.Handle{&x.h}}
	if Among[thing](m) != x || Among[foreign](m) != nil {
		t.Error("Among does not find a handle by its type")
	}
	if rootOf[thing](l, m.handles) != parent || rootOf[lib](l, m.handles) != l || rootOf[foreign](l, m.handles) != nil {
		t.Error("rootOf does not find a handle by its type")
	}
}

// record is what a verb fills, and changes is a builder with a mask.
type (
	record  struct{ N, seen int }
	changes struct {
		c, mask uint32
		err     error
	}
)

// TestFill gives a verb the memory of a record, which reads it when the verb has succeeded, and that of a builder and its mask.
func TestFill(t *testing.T) {
	OfferFilled(func(r *record, c *uint64) { r.N = int(*c); r.seen++ })
	OfferChanged("Changes", func(a *changes) (c, mask unsafe.Pointer, err error) {
		return unsafe.Pointer(&a.c), unsafe.Pointer(&a.mask), a.err
	})
	r := new(record)
	f, err := Fill("verb", r)
	if err != nil || f.Mask != nil {
		t.Fatalf("%+v, %v", f, err)
	}
	*(*uint64)(f.C) = 7
	if f.Done(); *r != (record{7, 1}) {
		t.Errorf("%+v", r)
	}
	a := &changes{c: 5}
	f, err = Fill("verb", a)
	if err != nil || *(*uint32)(f.C) != 5 {
		t.Fatalf("%+v, %v", f, err)
	}
	*(*uint32)(f.C), *(*uint32)(f.Mask) = 6, 2
	if f.Done(); *a != (changes{6, 2, nil}) {
		t.Errorf("%+v", a)
	}
	_, err = Fill("verb", &changes{err: errMake})
	wants(t, err, errMake, "")
	_, err = Fill[changes]("verb", nil)
	wants(t, err, syscall.EINVAL, "verb: Changes is nil; make one with NewChanges")
	_, err = Fill("verb", new(foreign))
	wants(t, err, syscall.EINVAL, "bridge.foreign is of a package that does not offer it")
}

// TestUnder closes the handle that it borrows once no call has it, unless a caller of Borrow has it or an object belongs to it.
func TestUnder(t *testing.T) {
	offer()
	l, c := new(lib), unsafe.Pointer(new(int))
	kept := 0
	keep := func() (func() error, error) { kept++; return func() error { kept--; return nil }, nil }
	lend := func() (*thing, error) { return Borrow[thing]("verb", c, l, keep) }
	under := func() (*Uses, *object.Handle) {
		t.Helper()
		u := &Uses{Verb: "verb", Lib: l}
		own, err := Under(u, "x", object.Nil("", ""), lend)
		check(t, err)
		return u, own
	}
	one, first := under()
	two, second := under()
	if first != second || kept != 1 {
		t.Fatalf("%p and %p, kept %d times", first, second, kept)
	}
	one.Exit()
	if kept != 1 {
		t.Error("closed while another call has it")
	}
	two.Exit()
	if kept != 0 {
		t.Error("nobody has it, and it is open")
	}
	other := &Uses{Verb: "verb", Lib: new(lib)}
	if _, err := Under(other, "x", object.Nil("", ""), lend); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("%v, want an error about another library", err)
	}
	if other.Exit(); kept != 0 {
		t.Errorf("kept %d times", kept)
	}
	u, own := under()
	child := makeThing(l, unsafe.Pointer(new(int)))
	check(t, child.h.Adopt(&own.Node))
	u.Exit()
	if kept != 1 {
		t.Error("closed while an object belongs to it")
	}
	x, err := lend()
	if err != nil || x.base() != own || child.Close() != nil {
		t.Fatalf("%p, %v", x, err)
	}
	u, _ = under()
	u.Exit()
	if kept != 1 {
		t.Error("closed while the program has it")
	}
	u = &Uses{Verb: "verb", Lib: l}
	held, err := Enter(u, "x", x)
	check(t, err)
	if given, err := Under(u, "x", held, lend); err != nil || given != x.base() {
		t.Errorf("%p, %v", given, err)
	}
	u.Exit()
	if err := x.Close(); err != nil || kept != 0 {
		t.Errorf("%v, kept %d times", err, kept)
	}
}

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
)

// lib and thing stand for what a generated package has.
type lib struct{}

type thing struct {
	node object.Node
	lib  *lib
	root *object.Node
	c    unsafe.Pointer
	end  func() error
}

func (x *thing) Close() error {
	return x.node.Close("thing_close", func() error {
		if x.end != nil {
			return x.end()
		}
		return nil
	})
}

type attr struct{ of *thing }

// foreign is of a package that offers nothing.
type foreign struct{}

func newThing(t *testing.T, l *lib, parents ...*object.Node) *thing {
	t.Helper()
	x := &thing{lib: l, c: unsafe.Pointer(new(int))}
	if err := x.node.Init(x, "Thing", "", parents...); err != nil {
		t.Fatal(err)
	}
	return x
}

var errMake = errors.New("refused by the maker")

func offer() {
	OfferHandle(Handle[thing]{Kind: "Thing", Of: func(x *thing) Held { return Held{C: x.c, Node: &x.node, Root: x.root, Lib: x.lib} },
		Make: func(m *Made) (*thing, error) {
			l := LibOf[lib](m)
			if l == nil {
				return nil, errMake
			}
			x := &thing{lib: l, c: m.C, end: m.End}
			if err := x.node.Init(x, "Thing", "made", m.Parents...); err != nil {
				return nil, errors.Join(err, m.End())
			}
			return x, nil
		}})
	OfferAttr(Attr[attr]{Kind: "Attr", Lend: func(a *attr, verb string, l any, root *object.Node) (lent Lent, err error) {
		err = lent.Enter(verb, "of", &a.of.node, a.of.lib, l, a.of.root, root)
		return lent, err
	}})
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
	h, err := Enter("verb", "x", l, x)
	if err != nil || h.C != x.c || h.Node != &x.node {
		t.Fatalf("%+v, %v", h, err)
	}
	closed := make(chan error)
	go func() { closed <- x.Close() }()
	for x.node.IsOpen() { // until the Close waits
		runtime.Gosched()
	}
	select {
	case err := <-closed:
		t.Errorf("Close returned %v while a call uses the handle", err)
	default:
	}
	h.Exit()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	_, err = Enter("verb", "x", l, x)
	wants(t, err, os.ErrClosed, "verb: Thing is closed")
	_, err = Enter[thing]("verb", "x", l, nil)
	wants(t, err, syscall.EINVAL, "Thing is nil")
	if h, err := EnterOptional[thing]("verb", "x", l, nil); err != nil || h.C != nil {
		t.Errorf("%+v, %v", h, err)
	} else {
		h.Exit()
	}
	other := newThing(t, new(lib))
	other.lib = nil
	_, err = Enter("verb", "x", l, other)
	wants(t, err, syscall.EINVAL, "x: Thing belongs to another loaded library")
	if err := other.Close(); err != nil { // its use has ended
		t.Error(err)
	}
	_, err = Enter("verb", "x", l, new(foreign))
	wants(t, err, syscall.EINVAL, "bridge.foreign is of a package that does not offer it")
}

// TestLend holds the handles in a builder, of one library and one root.
func TestLend(t *testing.T) {
	offer()
	l, root := new(lib), newThing(t, nil)
	x := newThing(t, l)
	x.root = &root.node
	lent, err := Lend("verb", &attr{x}, l, &root.node)
	if err != nil || !slices.Equal(lent.Nodes, []*object.Node{&x.node}) {
		t.Errorf("%+v, %v", lent, err)
	}
	lent.Exit()
	_, err = Lend[attr]("verb", nil, l, nil)
	wants(t, err, syscall.EINVAL, "Attr is nil; make one with NewAttr")
	for _, tt := range []struct {
		lib  *lib
		root *object.Node
		want string
	}{{nil, nil, "another loaded library"}, {l, &newThing(t, nil).node, "use objects of one device"}} {
		lent, err := Lend("verb", &attr{x}, tt.lib, tt.root)
		wants(t, err, syscall.EINVAL, tt.want)
		lent.Exit()
	}
	_, err = Lend("verb", new(foreign), l, nil)
	wants(t, err, syscall.EINVAL, "does not offer it")
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
	x, err := Make[thing](Made{Verb: "verb", Lib: l, Parents: []*object.Node{&parent.node}, End: end})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, parent.Close(), syscall.EBUSY, "Thing (made)")
	if err := x.Close(); err != nil || ended != 1 {
		t.Errorf("%v, ended %d times", err, ended)
	}
	if err := parent.Close(); err != nil {
		t.Error(err)
	}
	_, err = Make[thing](Made{Verb: "verb", Lib: "none", End: end})
	wants(t, err, errMake, "")
	_, err = Make[thing](Made{Verb: "verb", Lib: l, Parents: []*object.Node{&parent.node}, End: end})
	wants(t, err, os.ErrClosed, "")
	_, err = Make[foreign](Made{Verb: "verb", End: end})
	wants(t, err, syscall.EINVAL, "does not offer it")
	if ended != 4 {
		t.Errorf("ended %d times, want 4", ended)
	}
	m := &Made{Verb: "verb", Handles: []any{(*thing)(nil), x, 7}}
	if Among[thing](m) != x || Among[foreign](m) != nil {
		t.Error("Among does not find a handle by its type")
	}
	wants(t, m.Rootless("Thing"), syscall.EINVAL, "nothing says what the new Thing belongs to")
}

// TestBorrow gives one open handle for an object, and lets go of the object when it is closed.
func TestBorrow(t *testing.T) {
	offer()
	l, c := new(lib), unsafe.Pointer(new(int))
	kept := 0
	keep := func() (func() error, error) { kept++; return func() error { kept--; return nil }, nil }
	a, err := Borrow[thing]("verb", c, l, keep)
	b, err2 := Borrow[thing]("verb", c, l, keep)
	if err != nil || err2 != nil || a != b || kept != 1 {
		t.Fatalf("%p and %p, %v, %v, kept %d times", a, b, err, err2, kept)
	}
	if err := a.Close(); err != nil || kept != 0 {
		t.Errorf("%v, kept %d times", err, kept)
	}
	again, err := Borrow[thing]("verb", c, l, keep)
	if err != nil || again == a || kept != 1 {
		t.Errorf("%p, %v, kept %d times", again, err, kept)
	}
	_, err = Borrow[thing]("verb", unsafe.Pointer(new(int)), l, func() (func() error, error) { return nil, errMake })
	wants(t, err, errMake, "")
}

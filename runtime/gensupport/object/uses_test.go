package object

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// of makes an open thing of an origin.
func of(t *testing.T, from Origin) *thing {
	t.Helper()
	x := &thing{}
	x.h.Make(x, "Thing", from, unsafe.Pointer(x), "thing_close", x.ends("end"))
	check(t, x.h.Adopt())
	return x
}

// idle asks that no use of a thing is left.
func idle(t *testing.T, things ...*thing) {
	t.Helper()
	for _, x := range things {
		if len(x.h.uses()) > 0 {
			t.Errorf("in use: %q", x.h.uses())
		}
	}
}

// TestUnder refuses handles of a library without a root whose parents are of two devices. Handles without parents go with any.
func TestUnder(t *testing.T) {
	lib := new(int)
	one, two := of(t, Origin{Lib: lib}), of(t, Origin{Lib: lib})
	child := func(parents ...*Node) *thing {
		x := &thing{}
		x.h.Make(x, "Child", Origin{Lib: t}, unsafe.Pointer(x), "child_close", x.ends("end"))
		check(t, x.h.Adopt(parents...))
		return x
	}
	dev1, dev2 := of(t, Origin{&one.h, lib}), of(t, Origin{&two.h, lib})
	a, b, free := child(nil, &dev1.h.Node), child(&dev2.h.Node), child()
	below := child(&a.h.Node)
	for _, x := range []*thing{a, free} {
		if err := x.h.EnterBeside(&below.h, "verb", "x"); err != nil {
			t.Errorf("%v is refused: %v", &x.h.Node, err)
		} else {
			x.h.Exit()
		}
	}
	err := b.h.EnterBeside(&below.h, "verb", "x")
	const want = "x: Child belongs to one opening of device (imported), and Child to another"
	if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), want) {
		t.Errorf("of another device: %v", err)
	}
	idle(t, a, b, free)
}

// TestEnterBeside refuses a handle of another device or another library than that of the call, and leaves no use behind.
func TestEnterBeside(t *testing.T) {
	lib := new(int)
	root, other := of(t, Origin{Lib: lib}), of(t, Origin{Lib: lib})
	self, same := of(t, Origin{&root.h, lib}), of(t, Origin{&root.h, lib})
	if err := same.h.EnterBeside(&self.h, "verb", "x"); err != nil || len(same.h.uses()) != 1 {
		t.Errorf("of one device: %v, %q", err, same.h.uses())
	}
	same.h.Exit()
	elsewhere, foreign := of(t, Origin{&other.h, lib}), of(t, Origin{Lib: new(int)})
	closed := of(t, Origin{&root.h, lib})
	_ = closed.Close()
	for i, c := range []struct {
		of, self *Handle
		is       error
		want     string
	}{
		{&elsewhere.h, &self.h, syscall.EINVAL, "x: Thing belongs to one opening of device (imported), and Thing to another"},
		{&foreign.h, &root.h, syscall.EINVAL, "x: Thing belongs to another loaded library than the call"},
		{&closed.h, &self.h, os.ErrClosed, "verb: Thing is closed"},
		{(*thing)(nil).base(), &self.h, syscall.EINVAL, "verb: Thing is nil"},
	} {
		if err := c.of.EnterBeside(c.self, "verb", "x"); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: %v; want %s", i, err, c.want)
		}
	}
	idle(t, same, elsewhere, foreign)
}

// TestUses uses the handles of lists and of structs: each node is there once, and all uses end.
func TestUses(t *testing.T) {
	self, a, b, other := of(t, Origin{}), of(t, Origin{}), of(t, Origin{}), of(t, Origin{Lib: 1})
	var uses Uses
	got, err := UseList(&uses, &self.h, "verb", "x", []*thing{a, b, a}, (*thing).base)
	if err != nil || !slices.Equal(got, []uintptr{uintptr(a.h.C), uintptr(b.h.C), uintptr(a.h.C)}) {
		t.Errorf("%v, %v", got, err)
	}
	in := func(x *thing) []Used { return []Used{{x.base(), "y"}} }
	if err := UseArms(&uses, &self.h, "verb", "Arm", []*thing{b}, in); err != nil || len(b.h.uses()) != 1 {
		t.Errorf("%v, %q", err, b.h.uses())
	}
	if want := []*Node{&a.h.Node, &b.h.Node}; !slices.Equal(uses.Nodes, want) {
		t.Errorf("nodes %v, want %v", uses.Nodes, want)
	}
	_, err = UseList(&uses, &self.h, "verb", "x", []*thing{a, other}, (*thing).base)
	if err == nil || !strings.Contains(err.Error(), "x: Thing belongs to another") {
		t.Error(err)
	}
	err = UseArms(&uses, &self.h, "verb", "Arm", []*thing{a, other}, in)
	if err == nil || !strings.Contains(err.Error(), "y: Thing belongs to another") {
		t.Error(err)
	}
	err = UseArms(&uses, &self.h, "verb", "Arm", []*thing{nil}, in)
	if err == nil || !strings.Contains(err.Error(), "Arm is nil; make one") {
		t.Error(err)
	}
	uses.Exit()
	idle(t, a, b, other)
}

package object

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// thing is a handle as a generated package has it, with a log of what happens at its end.
type thing struct {
	h   Handle
	log []string
	end error
}

func (x *thing) base() *Handle {
	if x == nil {
		return Nil("Thing", "thing_close")
	}
	return &x.h
}

func (x *thing) Close() error { return x.base().Close() }

func (x *thing) note(what string) func() { return func() { x.log = append(x.log, what) } }

// End makes a thing the guard of itself.
func (x *thing) End(verb, kind string, _ time.Duration, destroy func() error) error {
	x.note("guard " + verb + " " + kind)()
	return destroy()
}

func newThing() *thing {
	x := &thing{}
	x.h.Make(x, "Thing", Origin{}, unsafe.Pointer(x), "thing_close", x.ends("end"))
	x.h.Before, x.h.Guard, x.h.Gone, x.h.Kept = x.note("before"), x, x.note("gone"), x.note("kept")
	return x
}

func (x *thing) ends(by string) func() error {
	return func() error { x.note(by)(); return x.end }
}

func (x *thing) wantLog(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(x.log, want) {
		t.Errorf("happened: %q, want %q", x.log, want)
	}
	x.log = nil
}

// TestHandle closes a handle, in vain and for good: what follows the end of the C object happens after it, and not after a failure.
func TestHandle(t *testing.T) {
	var index Index
	x := newThing()
	x.h.Index = &index
	if x.h.CPtr() != nil {
		t.Error("a handle that nobody adopted is open")
	}
	if err := x.h.Adopt(); err != nil || x.h.CPtr() != unsafe.Pointer(x) || index.Find(uintptr(unsafe.Pointer(x))) != any(x) {
		t.Fatalf("Adopt: %v; at %v, in the index %v", err, x.h.CPtr(), index.Find(uintptr(unsafe.Pointer(x))))
	}
	x.end = syscall.EIO
	if err := x.Close(); err != syscall.EIO || x.h.CPtr() == nil || index.Find(uintptr(unsafe.Pointer(x))) == nil {
		t.Errorf("a Close that fails: %v", err)
	}
	x.wantLog(t, "before", "guard thing_close Thing", "end")
	x.end = nil
	if err := x.h.CloseAll(); err != nil || x.h.CPtr() != nil || index.Find(uintptr(unsafe.Pointer(x))) != nil {
		t.Errorf("CloseAll: %v", err)
	}
	x.wantLog(t, "before", "guard thing_close Thing", "end", "gone", "kept")
	wantErr(t, x.Close(), os.ErrClosed, "thing_close: Thing is closed")
}

// TestCloseBy ends objects by other functions: of the program's choice, of another library, and so that the object lives on.
func TestCloseBy(t *testing.T) {
	x, lives, other := newThing(), newThing(), newThing()
	other.h.Other = other.ends("other")
	for _, x := range []*thing{x, lives, other} {
		check(t, x.h.Adopt())
	}
	kept := len(forever.kept)
	if err := errors.Join(x.h.CloseBy("thing_free", x.ends("free"), false), lives.h.CloseBy("thing_let", lives.ends("let"), true),
		other.h.CloseBy("thing_free", other.ends("free"), false)); err != nil {
		t.Fatal(err)
	}
	x.wantLog(t, "before", "guard thing_free Thing", "free", "gone", "kept")
	lives.wantLog(t, "before", "guard thing_let Thing", "let", "gone")
	other.wantLog(t, "before", "guard thing_free Thing", "other", "gone", "kept")
	if len(forever.kept) != kept+1 {
		t.Errorf("%d are kept for good, want 1", len(forever.kept)-kept)
	}
}

// TestAdoptFails makes a handle below a closed one: its C object is ended.
func TestAdoptFails(t *testing.T) {
	parent, x := newThing(), newThing()
	wantErr(t, x.h.Adopt(&parent.h.Node), os.ErrClosed, "Thing was never opened")
	x.wantLog(t, "before", "guard thing_close Thing", "end", "gone", "kept")
}

// TestAdoptStays makes a handle while all that is below its parent is closed, and its C object does not end: it stays below the parent.
func TestAdoptStays(t *testing.T) {
	parent, first, late := newThing(), newThing(), newThing()
	check(t, errors.Join(parent.h.Adopt(), first.h.Adopt(&parent.h.Node)))
	late.end = syscall.EIO
	first.h.Gone = func() {
		wantErr(t, late.h.Adopt(&parent.h.Node), syscall.EIO, "Thing is being closed, with all that was made from it\ninput/output error")
	}
	if err := parent.h.CloseAll(); !errors.Is(err, syscall.EIO) || !parent.h.IsOpen() || !late.h.IsOpen() {
		t.Errorf("CloseAll: %v; open: parent %t, late %t", err, parent.h.IsOpen(), late.h.IsOpen())
	}
	late.end = nil
	if err := parent.h.CloseAll(); err != nil || late.h.IsOpen() || parent.h.IsOpen() {
		t.Errorf("CloseAll: %v; open: parent %t, late %t", err, parent.h.IsOpen(), late.h.IsOpen())
	}
}

// TestAdoptStaysBelowClosing does the same while the parent itself is closed, in what it does before its C object ends: that does not
// end then.
func TestAdoptStaysBelowClosing(t *testing.T) {
	parent, late := newThing(), newThing()
	check(t, parent.h.Adopt())
	late.end = syscall.EIO
	parent.h.Before = func() {
		parent.h.Before = nil
		wantErr(t, late.h.Adopt(&parent.h.Node), syscall.EIO, "Thing is closed\ninput/output error")
	}
	wantErr(t, parent.Close(), syscall.EBUSY,
		"thing_close: Thing still has Thing open; close what is open first: device or resource busy (EBUSY)")
	parent.wantLog(t)
	if !parent.h.IsOpen() || !late.h.IsOpen() {
		t.Errorf("open: parent %t, late %t", parent.h.IsOpen(), late.h.IsOpen())
	}
	late.end = nil
	if err := parent.h.CloseAll(); err != nil || late.h.IsOpen() || parent.h.IsOpen() {
		t.Errorf("CloseAll: %v; open: parent %t, late %t", err, parent.h.IsOpen(), late.h.IsOpen())
	}
}

// TestCopy uses a copy of a handle, made while a goroutine looked at the original: every method fails, and the original and what is
// below it stay open.
func TestCopy(t *testing.T) {
	things := make([]thing, 2)
	x, c := &things[0], &things[1]
	x.h.Make(x, "Thing", Origin{}, unsafe.Pointer(x), "thing_close", x.ends("end"))
	child := newThing()
	check(t, errors.Join(x.h.Adopt(), child.h.Adopt(&x.h.Node)))
	x.h.mu.Lock()
	copy(things[1:], things[:1])
	x.h.mu.Unlock()
	const want = "Thing is a copied handle; use the pointer to the original"
	wantErr(t, c.Close(), syscall.EINVAL, "thing_close: "+want)
	wantErr(t, c.h.CloseAll(), syscall.EINVAL, "thing_close: "+want)
	wantErr(t, CloseTree(&c.h.Node), syscall.EINVAL, want)
	wantErr(t, c.h.Enter("thing_use"), syscall.EINVAL, "thing_use: "+want)
	wantErr(t, c.h.Hold("thing_use", "an event"), syscall.EINVAL, "thing_use: "+want)
	wantErr(t, newThing().h.Adopt(&c.h.Node), syscall.EINVAL, want)
	_, err := BeginMove("", &child.h.Node, nil, &c.h.Node)
	wantErr(t, err, syscall.EINVAL, want)
	_, err = BeginMove("", &c.h.Node, nil, &child.h.Node)
	wantErr(t, err, syscall.EINVAL, want)
	if c.h.CPtr() != nil || c.h.IsOpen() || !x.h.IsOpen() || !child.h.IsOpen() || len(x.log) > 0 {
		t.Errorf("copy open: %t; original open: %t; child open: %t; happened: %q", c.h.IsOpen(), x.h.IsOpen(), child.h.IsOpen(), x.log)
	}
	check(t, x.h.CloseAll())
}

// TestHandleString names a handle in each part of its life, also while another goroutine uses and closes it.
func TestHandleString(t *testing.T) {
	var none *thing
	x := newThing()
	wants := func(h *Handle, want string) {
		t.Helper()
		if got := fmt.Sprintf("%v", h); got != want || h.LogValue().String() != want {
			t.Errorf("%q, and %q in a log, want %q", got, h.LogValue(), want)
		}
	}
	wants(none.base(), "nil Thing")
	wants((&thing{}).h.Or("Thing", "thing_close"), "unopened Thing")
	x.h.SetLabel("number 7")
	wants(&x.h, "Thing (number 7)") // memory has it by this name from before Adopt on
	check(t, x.h.Adopt())
	wants(&x.h, "Thing (number 7)")
	copied := reflect.New(reflect.TypeFor[thing]())
	copied.Elem().Set(reflect.ValueOf(x).Elem())
	wants(copied.Interface().(*thing).base(), "copied Thing")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			if err := x.h.Enter("thing_use"); err != nil {
				t.Error(err)
				return
			}
			x.h.SetLabel("number 8")
			x.h.Exit()
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	for open := true; open; {
		_ = x.h.String()
		select {
		case <-done:
			open = false
		default:
		}
	}
	wants(&x.h, "closed Thing (number 8)")
}

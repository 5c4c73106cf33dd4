package object

import (
	"errors"
	"sync"
	"syscall"
	"testing"
)

// TestAttach attaches to a kernel that knows what is attached: it refuses the end of an object, and to detach twice.
func TestAttach(t *testing.T) {
	x := newThing()
	in, fails := map[string]bool{}, error(nil)
	join := func(to string) func() error { return func() error { in[to] = true; return nil } }
	leave := func(from string) func() error {
		return func() error {
			if !in[from] {
				return syscall.EINVAL
			}
			if fails == nil {
				delete(in, from)
			}
			return fails
		}
	}
	x.h.End = func() error {
		if len(in) > 0 {
			return syscall.EBUSY
		}
		return nil
	}
	attach := func(to string) error { return x.h.Attach(to, "leave", join(to), leave(to)) }
	detach := func(from string) error { return x.h.Detach(from, leave(from)) }
	check(t, x.h.Adopt())
	wantIs(t, x.h.Attach("0", "leave", func() error { return syscall.ENOMEM }, nil), syscall.ENOMEM)
	check(t, errors.Join(attach("1"), attach("1"), attach("2"), detach("2"), attach("3"), attach("4")))
	wantIs(t, detach("2"), syscall.EINVAL)
	wantErr(t, x.Close(), syscall.EBUSY, "thing_close: Thing still has attachment (1), attachment (3), attachment (4) open; "+
		"close what is open first: device or resource busy (EBUSY)")
	fails = syscall.EIO
	if err := detach("1"); !errors.Is(err, syscall.EIO) || len(x.h.Children()) != 3 {
		t.Errorf("the device fails to detach: %v, and %q are attached", err, x.h.Children())
	}
	if err := x.h.CloseAll(); !errors.Is(err, syscall.EIO) || !x.h.IsOpen() {
		t.Errorf("CloseAll while the device fails: %v", err)
	}
	fails = nil
	delete(in, "1") // by C code
	delete(in, "3")
	if err := detach("1"); !errors.Is(err, syscall.EINVAL) || len(x.h.Children()) != 2 {
		t.Errorf("detached after C code did: %v, and %q are attached", err, x.h.Children())
	}
	if err := x.h.CloseAll(); err != nil || len(in) > 0 {
		t.Errorf("CloseAll: %v, and %v are attached", err, in)
	}
}

// TestAttachMeanwhile attaches and detaches on several goroutines, and then closes all: nothing stays attached.
func TestAttachMeanwhile(t *testing.T) {
	for range 200 {
		x := newThing()
		in := 0
		x.h.End = func() error {
			if in > 0 {
				return syscall.EBUSY
			}
			return nil
		}
		leave := func() error {
			if in == 0 {
				return syscall.EINVAL
			}
			in = 0
			return nil
		}
		check(t, x.h.Adopt())
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for x.h.Enter("v") == nil {
					if g%2 == 0 {
						_ = x.h.Attach("group", "leave", func() error { in = 1; return nil }, leave)
					} else {
						_ = x.h.Detach("group", leave)
					}
					x.h.Exit()
				}
			})
		}
		if err := x.h.CloseAll(); err != nil {
			if err = x.h.CloseAll(); err != nil { // the first may meet a call that has just attached
				t.Errorf("CloseAll: %v", err)
			}
		}
		wg.Wait()
		_ = x.h.CloseAll()
		if in > 0 || x.h.IsOpen() {
			t.Errorf("still attached: %d, open: %t", in, x.h.IsOpen())
		}
	}
}

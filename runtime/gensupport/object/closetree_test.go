package object

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestCloseTree(t *testing.T) {
	dev, log := logged(t)
	pd := make1(t, "PD", "", dev)
	td := make1(t, "TD", "", dev)
	pp := make1(t, "PD", "parent domain", pd, td)
	dm := make1(t, "DM", "", dev)
	mr := make1(t, "MR", "", pp, dm)
	mr.fails = syscall.EIO
	wantErr(t, CloseTree(&dev.node), syscall.EIO, strings.Join([]string{
		"input/output error",
		"DM still has MR open; close what is open first: device or resource busy (EBUSY)",
		"PD (parent domain) still has MR open; close what is open first: device or resource busy (EBUSY)",
		"TD still has PD (parent domain) open; close what is open first: device or resource busy (EBUSY)",
		"PD still has PD (parent domain) open; close what is open first: device or resource busy (EBUSY)",
		"Device (rxe0) still has PD, TD, DM open; close what is open first: device or resource busy (EBUSY)",
	}, "\n"))
	make1(t, "CQ", "", dev)
	mr.fails = nil
	*log = nil
	check(t, CloseTree(&dev.node))
	if want := []string{"CQ", "MR", "DM", "PD (parent domain)", "TD", "PD", "Device (rxe0)"}; !slices.Equal(*log, want) {
		t.Errorf("closed %q, want %q", *log, want)
	}
	if err := errors.Join(CloseTree(&dev.node), CloseTree(nil), CloseTree(&Node{})); err != nil {
		t.Errorf("nothing left to close, yet %v", err)
	}
}

// hooked is a handle whose Close does something else first, and last.
type hooked struct {
	handle
	first func()
	last  func()
	tries int
}

func (h *hooked) Close() error {
	h.tries++
	if h.first != nil {
		h.first()
	}
	if h.last != nil {
		defer h.last()
	}
	return h.handle.Close()
}

func makeHooked(t *testing.T, label string, parent *handle) *hooked {
	t.Helper()
	h := &hooked{handle: handle{verb: "v", log: parent.log}}
	check(t, h.node.Init(h, "MR", label, &parent.node))
	return h
}

// TestCloseTreeMeanwhile makes, closes and moves children while CloseTree is at work: none can be made or moved there until it ends,
// what was closed or moved away is left alone, and what fails is tried once.
func TestCloseTreeMeanwhile(t *testing.T) {
	dev, log := logged(t)
	pd, other := make1(t, "PD", "", dev), make1(t, "PD", "other", dev)
	stuck := makeHooked(t, "stuck", pd)
	stuck.fails = syscall.EIO
	moved, gone := makeHooked(t, "moved", pd), makeHooked(t, "gone", pd)
	late := makeHooked(t, "late", other)
	last := makeHooked(t, "last", pd)
	last.first = func() {
		if err := gone.handle.Close(); err != nil {
			t.Error(err)
		}
		moveTo(t, &moved.node, &pd.node, &other.node)
		const closing = "PD is being closed, with all that was made from it"
		_, err := BeginMove("v", &late.node, &other.node, &pd.node)
		wantErr(t, err, os.ErrClosed, "v: "+closing)
		_, err = BeginMove("v", &last.node, &pd.node, &other.node)
		wantErr(t, err, os.ErrClosed, "v: MR (last) is closed")
		var made handle
		wantErr(t, made.node.Init(&made, "MR", "made", &pd.node), os.ErrClosed, closing)
	}
	err := CloseTree(&pd.node)
	wantErr(t, err, syscall.EIO, "input/output error\nPD still has MR (stuck) open; close what is open first: device or resource busy (EBUSY)")
	if want := []string{"MR (gone)", "MR (last)", "MR (stuck)"}; !slices.Equal(*log, want) {
		t.Errorf("destroyed %q, want %q", *log, want)
	}
	if stuck.tries != 1 || gone.tries != 0 || moved.tries != 0 || !moved.node.IsOpen() {
		t.Errorf("tried %d, %d and %d times; moved is open: %t", stuck.tries, gone.tries, moved.tries, moved.node.IsOpen())
	}
	stuck.fails = nil
	makeHooked(t, "made afterwards", pd)
	moveTo(t, &late.node, &other.node, &pd.node)
	check(t, CloseTree(&dev.node))
}

// TestCloseTreeTriesOnce has a child that fails under two parents, one of which is a younger child of the other.
func TestCloseTreeTriesOnce(t *testing.T) {
	dev, _ := logged(t)
	stuck := makeHooked(t, "stuck", dev)
	stuck.fails = syscall.EIO
	pd := make1(t, "PD", "", dev)
	if m, err := BeginMove("v", &stuck.node, &dev.node, &pd.node); err != nil {
		t.Fatal(err)
	} else {
		m.Unknown()
	}
	if err := CloseTree(&dev.node); !errors.Is(err, syscall.EIO) || stuck.tries != 1 {
		t.Errorf("tried %d times: %v", stuck.tries, err)
	}
	stuck.fails = nil
	check(t, CloseTree(&dev.node))
}

// TestManyGoroutines has 64 of them make and close under one parent while others close all of it.
func TestManyGoroutines(t *testing.T) {
	dev := make1(t, "Device", "")
	pd := make1(t, "PD", "", dev)
	pd.fails = syscall.EAGAIN // stays open
	var made, destroyed atomic.Int64
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			for i := range 30 {
				mr := &closer{destroyed: &destroyed}
				if err := mr.node.Init(mr, "MR", "", &pd.node); errors.Is(err, os.ErrClosed) {
					continue // while another closes the PD
				} else if err != nil {
					t.Error(err)
				}
				made.Add(1)
				if (g+i)%2 == 0 {
					if err := mr.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			for range 20 {
				if err := CloseTree(&pd.node); err != nil && !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EBUSY) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	pd.fails = nil
	check(t, CloseTree(&dev.node))
	if made.Load() != destroyed.Load() {
		t.Errorf("made %d, destroyed %d", made.Load(), destroyed.Load())
	}
}

// closer is a handle that counts.
type closer struct {
	node      Node
	destroyed *atomic.Int64
}

func (c *closer) Close() error {
	return c.node.Close("v", func() error { c.destroyed.Add(1); return nil })
}

// TestCloseTreeAgain closes objects that others keep in use without the tree knowing: those are made before them, and closed after.
func TestCloseTreeAgain(t *testing.T) {
	dev, log := logged(t)
	pd := make1(t, "PD", "", dev)
	users := []*hooked{{}, {}}
	for _, u := range users {
		check(t, u.node.Init(u, "MW", "", &pd.node))
	}
	first, second, never := make1(t, "MR", "1", pd), make1(t, "MR", "2", pd), make1(t, "MR", "3", pd)
	first.fails, second.fails, never.fails = syscall.EINVAL, syscall.EBUSY, syscall.EIO
	users[0].last, users[1].last = func() { first.fails = nil }, func() { second.fails = nil }
	err := CloseTree(&dev.node)
	if !errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EINVAL) || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("%v", err)
	}
	if want := []string{"MR (3)", "MR (2)", "MR (1)", "MR (3)", "MR (2)", "MR (1)", "MR (3)"}; !slices.Equal(*log, want) {
		t.Errorf("tried %q, want %q", *log, want)
	}
	never.fails = nil
	check(t, CloseTree(&dev.node))
}

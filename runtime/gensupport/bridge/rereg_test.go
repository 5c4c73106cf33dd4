package bridge

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

const verb = "ibv_rereg_mr"

// region is a region under one of two protection domains, with counters of what is let go of.
type region struct {
	a, b, mr         object.Node
	release          func()
	oldGone, newGone int
	changed          int
}

type handle struct{ node *object.Node }

func (h handle) Close() error { return h.node.Close("", nil) }

func newRegion(t *testing.T) *region {
	t.Helper()
	r := &region{}
	r.release = func() { r.oldGone++ }
	for _, n := range []struct {
		node    *object.Node
		kind    string
		parents []*object.Node
	}{{&r.a, "PD a", nil}, {&r.b, "PD b", nil}, {&r.mr, "MR", []*object.Node{&r.a}}} {
		var self io.Closer = handle{n.node}
		check(t, n.node.Init(self, n.kind, "", n.parents...))
	}
	t.Cleanup(func() {
		for _, n := range []*object.Node{&r.mr, &r.a, &r.b} {
			_ = n.Close("", nil)
		}
	})
	return r
}

func (r *region) settle(t *testing.T, c *Change, code int, errno syscall.Errno) error {
	t.Helper()
	move, err := object.BeginMove(verb, &r.mr, &r.a, &r.b)
	check(t, err)
	return c.Settle(verb, code, errno, Region{Move: move, Release: &r.release,
		New: cmem.Held{Release: func() { r.newGone++ }}, Changed: func() { r.changed++ }})
}

func memoryChange() *Change {
	c := new(Change)
	c.Memory(1, mem.Addr(0x1000, 4096))
	return c
}

// TestSettle is the table of answers: whether the region is changed, what is let go of at once, and what at its Close, and below which
// domains it is: the new one, the old one, or both if either may be in use.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name             string
		code             int
		errno            syscall.Errno
		changed          int
		oldGone, newGone int
		a, b             int
		text             string
	}{
		{"done", 0, 0, 1, 1, 0, 0, 1, ""},
		{"old memory stays marked", -3, syscall.EINVAL, 1, 1, 0, 0, 1, "IBV_REREG_MR_ERR_DO_FORK_OLD: the region is changed"},
		{"refused by the library", -1, syscall.EINVAL, 0, 0, 1, 1, 0, "IBV_REREG_MR_ERR_INPUT"},
		{"new memory cannot be marked", -2, syscall.EINVAL, 0, 0, 1, 1, 0, "IBV_REREG_MR_ERR_DONT_FORK_NEW"},
		{"no such change", -4, syscall.EOPNOTSUPP, 0, 0, 1, 1, 0, "the device cannot change a region in this way"},
		{"refused by the kernel", -4, syscall.ENOMEM, 0, 0, 0, 1, 1, "IBV_REREG_MR_ERR_CMD: the kernel refused"},
		{"and the new memory stays marked", -5, syscall.ENOMEM, 0, 0, 0, 1, 1, "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW"},
		{"an answer of no name", -9, syscall.EIO, 0, 0, 0, 1, 1, "IBV_REREG_MR_ERR_CMD: the kernel refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRegion(t)
			err := r.settle(t, memoryChange(), c.code, c.errno)
			if (err == nil) != (c.text == "") || err != nil && !strings.HasPrefix(err.Error(), verb+": "+c.text) {
				t.Errorf("error %v, want %q", err, c.text)
			}
			if c.errno != 0 && !errors.Is(err, c.errno) {
				t.Errorf("error %v is not %v", err, c.errno)
			}
			if r.changed != c.changed || r.oldGone != c.oldGone || r.newGone != c.newGone {
				t.Errorf("changed %d, old let go %d, new let go %d; want %d, %d, %d", r.changed, r.oldGone, r.newGone, c.changed, c.oldGone, c.newGone)
			}
			if len(r.a.Children()) != c.a || len(r.b.Children()) != c.b {
				t.Errorf("below the old domain %d, below the new %d; want %d, %d", len(r.a.Children()), len(r.b.Children()), c.a, c.b)
			}
			r.release()
			if r.oldGone != 1 || r.newGone != 1 {
				t.Errorf("after Close: old let go %d, new let go %d; want 1, 1", r.oldGone, r.newGone)
			}
		})
	}
}

func TestTake(t *testing.T) {
	c := memoryChange()
	if held, err := c.Take(verb, "MR"); err != nil || held.Addr != 0x1000 || held.Len != 4096 || c.Flags != 1 {
		t.Errorf("%+v, %v, flags %#x", held, err, c.Flags)
	}
	c.Memory(1, mem.Bytes(nil))
	_, err := c.Take(verb, "MR")
	if e := new(verr.Error); !errors.As(err, &e) || !e.Refused || e.Verb != verb || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an empty slice: %v", err)
	}
	if held, err := new(Change).Take(verb, "MR"); err != nil || held.Len != 0 {
		t.Errorf("no memory: %+v, %v", held, err)
	}
}

package object

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestMove puts a node below another parent; while it is on its way neither can be closed, and after an error it is where it was.
func TestMove(t *testing.T) {
	from, to, n := new(handle), new(handle), new(handle)
	for _, x := range []struct {
		h       *handle
		parents []*Node
	}{{from, nil}, {to, nil}, {n, []*Node{&from.node}}} {
		if err := x.h.node.Init(x.h, "Thing", "", x.parents...); err != nil {
			t.Fatal(err)
		}
	}
	refused := errors.New("refused")
	if err := Move(&n.node, &from.node, &to.node, func() error { return refused }); !errors.Is(err, refused) {
		t.Errorf("Move: %v", err)
	}
	if from.node.Count("Thing") != 1 || to.node.Count("Thing") != 0 {
		t.Error("after an error it is not where it was")
	}
	if err := Move(&n.node, &from.node, &to.node, func() error {
		for _, p := range []*handle{from, to} {
			if err := p.Close(); !errors.Is(err, syscall.EBUSY) {
				t.Errorf("Close of a parent on the way: %v", err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if from.node.Count("Thing") != 0 || to.node.Count("Thing") != 1 {
		t.Error("it is not below the other one")
	}
	if err := Move(&n.node, &to.node, &to.node, func() error { return nil }); err != nil || to.node.Count("Thing") != 1 {
		t.Errorf("to where it is: %v", err)
	}
	if err := from.Close(); err != nil {
		t.Error(err)
	}
	if err := Move(&n.node, &to.node, &from.node, func() error { t.Error("called"); return nil }); !errors.Is(err, os.ErrClosed) {
		t.Errorf("to a closed one: %v", err)
	}
}

package object

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
)

func moveTo(t *testing.T, n, from, to *Node) {
	t.Helper()
	check(t, Move("v", n, from, to, func() error { return nil }))
}

// TestMove puts a node below another parent; while it is on its way neither can be closed, and after an error it is where it was.
func TestMove(t *testing.T) {
	from, to := make1(t, "PD", "from"), make1(t, "PD", "to")
	n := make1(t, "MR", "", from)
	below := func(want ...*handle) {
		t.Helper()
		for _, pd := range []*handle{from, to} {
			if got := len(pd.node.Children()) == 1; got != slices.Contains(want, pd) {
				t.Errorf("below %s: %t", &pd.node, got)
			}
		}
	}
	refused := errors.New("refused")
	if err := Move("v", &n.node, &from.node, &to.node, func() error { return refused }); err != refused {
		t.Errorf("Move: %v", err)
	}
	below(from)
	if err := Move("v", &n.node, &from.node, &to.node, func() error {
		below(from, to)
		for _, p := range []*handle{from, to} {
			wantIs(t, p.Close(), syscall.EBUSY)
		}
		_, err := BeginMove("v", &n.node, &to.node, &from.node)
		wantErr(t, err, nil, "internal error: MR is moved twice at a time")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	below(to)
	moveTo(t, &n.node, &to.node, &to.node)
	below(to)
	check(t, from.Close())
	_, err := BeginMove("v", &n.node, &to.node, &from.node)
	wantErr(t, err, os.ErrClosed, "v: PD (from) is closed")
	check(t, errors.Join(n.Close(), to.Close()))
	_, err = BeginMove("v", &n.node, nil, &to.node)
	wantErr(t, err, os.ErrClosed, "v: MR is closed")
}

// TestMoveUnknown leaves a node below both parents: neither can be closed before it, and a later move leaves only the first.
func TestMoveUnknown(t *testing.T) {
	a, b, c := make1(t, "PD", "a"), make1(t, "PD", "b"), make1(t, "PD", "c")
	n := make1(t, "MR", "", a)
	begin := func(from, to *handle) Moving {
		t.Helper()
		m, err := BeginMove("v", &n.node, &from.node, &to.node)
		check(t, err)
		return m
	}
	begin(a, b).Unknown()
	begin(a, b).Back() // it was below both
	if len(a.node.Children()) != 1 || len(b.node.Children()) != 1 {
		t.Errorf("below a %d, below b %d", len(a.node.Children()), len(b.node.Children()))
	}
	begin(a, c).Arrived()
	if len(a.node.Children()) != 0 || len(b.node.Children()) != 1 || len(c.node.Children()) != 1 {
		t.Errorf("below a %d, below b %d, below c %d", len(a.node.Children()), len(b.node.Children()), len(c.node.Children()))
	}
	check(t, errors.Join(a.Close(), n.Close(), b.Close(), c.Close()))
}

// TestMoveMisuse moves a node to what is below it, and from what is not above it.
func TestMoveMisuse(t *testing.T) {
	pd, other := make1(t, "PD", "1"), make1(t, "PD", "2")
	mr := make1(t, "MR", "", pd)
	_, err := BeginMove("v", &mr.node, &other.node, &pd.node)
	wantErr(t, err, nil, "internal error: PD (2) is no parent of MR")
	_, err = BeginMove("v", &pd.node, nil, &mr.node)
	wantErr(t, err, nil, "internal error: MR lies below PD (1) and cannot be its parent")
	if m, err := BeginMove("v", &mr.node, &pd.node, nil); err != nil || m != (Moving{}) {
		t.Errorf("a move to nowhere: %v", err)
	}
	root := make1(t, "PD", "3")
	if m, err := BeginMove("v", &root.node, nil, &pd.node); err != nil {
		t.Error(err)
	} else if m.Arrived(); len(pd.node.Children()) != 2 {
		t.Error("a node without a parent has not got one")
	}
	check(t, errors.Join(CloseTree(&pd.node), other.Close()))
}

// TestCloseTreeBesideMoves has a node move to and fro whenever its new parent is about to close: the move is refused once CloseTree has
// begun. If it were not, the parent would have a child whenever it is closed, and none whenever CloseTree looks.
func TestCloseTreeBesideMoves(t *testing.T) {
	dev, _ := logged(t)
	other := make1(t, "PD", "other", dev)
	mr := make1(t, "MR", "", other)
	pd := makeHooked(t, "domain", dev)
	pd.first = func() {
		m, err := BeginMove("v", &mr.node, &other.node, &pd.node)
		wantErr(t, err, os.ErrClosed, "v: MR (domain) is being closed, with all that was made from it")
		m.Arrived()
	}
	pd.last = func() {
		if len(pd.node.Children()) > 0 {
			moveTo(t, &mr.node, &pd.node, &other.node)
		}
	}
	if err := CloseTree(&pd.node); err != nil || pd.tries != 1 {
		t.Errorf("after %d tries: %v", pd.tries, err)
	}
	if !mr.node.IsOpen() {
		t.Error("what never arrived is closed")
	}
	check(t, CloseTree(&dev.node))
}

// TestCloseTreeAwaitsMoves closes either parent while a move between them runs, which ends in each way: the node is closed if it is below
// the parent that is closed afterwards, and left alone otherwise.
func TestCloseTreeAwaitsMoves(t *testing.T) {
	for _, end := range []struct {
		name     string
		end      func(Moving)
		from, to bool // whether the node is below them afterwards
	}{
		{"arrived", Moving.Arrived, false, true},
		{"back", Moving.Back, true, false},
		{"unknown", Moving.Unknown, true, true},
	} {
		for _, which := range []string{"from", "to"} {
			t.Run(end.name+", close "+which, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					dev, _ := logged(t)
					from, to := make1(t, "PD", "from", dev), make1(t, "PD", "to", dev)
					mr := make1(t, "MR", "", from)
					check(t, mr.node.Enter("v"))
					m, err := BeginMove("v", &mr.node, &from.node, &to.node)
					check(t, err)
					pd, closes := to, end.to
					if which == "from" {
						pd, closes = from, end.from
					}
					closed := make(chan error)
					go func() { closed <- CloseTree(&pd.node) }()
					synctest.Wait()
					if mr.node.Enter("v") != nil {
						t.Fatal("it is closed before anybody knows where it is")
					}
					mr.node.Exit()
					end.end(m)
					mr.node.Exit()
					if err := <-closed; err != nil {
						t.Error(err)
					}
					if mr.node.IsOpen() == closes {
						t.Errorf("it is open: %t", mr.node.IsOpen())
					}
					if err := CloseTree(&dev.node); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

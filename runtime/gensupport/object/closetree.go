package object

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// CloseTree closes everything under n and then n, for a defer: children before their parents, the latest made first,
// each through the Close of its handle. It goes on after a failure and joins the errors; a node with children left is
// not closed, and said to be busy. It waits for a Close that another goroutine makes, and that is no error; neither is a nil or closed n.
// All its waits together last as long as that of one Close.
//
// In a callback of the program it closes nothing if a call uses any of the nodes (syscall.EBUSY): the call that the callback is of
// would never end.
//
// From its beginning no node can be made or moved under n (os.ErrClosed): beside goroutines that make or move some all the time there
// would be no end otherwise. A move that has begun is waited for, and the node closed where it is then: if it has left n, it stays open.
// If n stays open, nodes can be made and moved under it again afterwards.
func CloseTree(n *Node) error {
	if n == nil {
		return nil
	}
	if n.isCopy() {
		return n.gone("")
	}
	if fail.InCallback() {
		if in := inTree(func() *Node { return n.inCall(map[*Node]bool{}) }); in != nil {
			return &verr.Error{Errno: syscall.EBUSY, Msg: in.String() + " is in use by a call, maybe by the one that this callback is of; " +
				"close it when the call has returned"}
		}
	}
	w := walk{tried: map[*Node]bool{}, left: patience}
	n.seal(1)
	w.close(n)
	var errs []error
	for _, f := range w.failed {
		errs = append(errs, f.err)
	}
	return errors.Join(errs...)
}

type walk struct {
	tried  map[*Node]bool // nodes that are open although their Close was called
	failed []failure
	ended  int           // nodes that were closed
	left   time.Duration // for which it may still wait; guarded by tree
}

// failure is a Close that failed, after so many nodes were closed.
type failure struct {
	n     *Node
	err   error
	after int
}

// close closes everything under n, which is sealed, and then n.
func (w *walk) close(n *Node) {
	defer n.seal(-1)
	for {
		w.closeChildren(n)
		self, names := n.handle()
		if self == nil {
			return
		}
		w.tried[n] = true
		err := fail.Busy("", n.String(), names)
		if len(names) == 0 {
			err = n.within(&w.left, self.Close)
		}
		if errors.Is(err, syscall.EBUSY) && n.changed(w.tried) {
			continue
		}
		if errors.Is(err, os.ErrClosed) {
			if !n.IsOpen() {
				err = n.within(&w.left, n.awaitClose)
			}
			if n.IsOpen() {
				continue // the other Close failed
			}
		}
		if err != nil {
			w.failed = append(w.failed, failure{n, err, w.ended})
		}
		if n.is() == closed {
			delete(w.tried, n)
			w.ended++
		}
		return
	}
}

// closeChildren looks again until there are no more, since others may close or move some. Looking once for all that are there
// keeps the cost for each the same, also when none of them can be closed.
func (w *walk) closeChildren(n *Node) {
	look := func() []*Node { return n.untried(w.tried) }
	for cs := inTree(look); len(cs) > 0 || w.again(n); cs = inTree(look) {
		for i, c := range cs {
			cs[i] = nil
			if !w.tried[c] && w.sealUnder(n, c) {
				w.close(c)
			}
		}
	}
}

// again has those children of n tried once more whose Close failed before another node was closed: that may have kept their C object in use
// without the tree knowing, as a window does that is bound to a region. It reports whether there are any.
func (w *walk) again(n *Node) bool {
	tree.Lock()
	defer tree.Unlock()
	if len(n.children) == 0 {
		return false
	}
	tried := len(w.failed)
	w.failed = slices.DeleteFunc(w.failed, func(f failure) bool {
		if f.after == w.ended || !slices.Contains(f.n.parents, n) {
			return false
		}
		delete(w.tried, f.n)
		return true
	})
	return len(w.failed) < tried
}

// sealUnder seals c if it is under n, after a move of c that has begun, and reports whether it is.
func (w *walk) sealUnder(n, c *Node) bool {
	tree.Lock()
	defer tree.Unlock()
	for c.moving != nil && w.left > 0 { // after that the Close of c says which call has not ended
		moving, left := c.moving, w.left
		tree.Unlock()
		_, took := await(moving, left)
		tree.Lock()
		w.left -= took
	}
	if !slices.Contains(c.parents, n) {
		return false
	}
	c.sealed++
	return true
}

// seal counts the CloseTrees that let no new node come under n.
func (n *Node) seal(by int) {
	tree.Lock()
	defer tree.Unlock()
	n.sealed += by
}

// within calls end, which waits for what is left at most.
func (n *Node) within(left *time.Duration, end func() error) error {
	set := func(left *time.Duration) {
		tree.Lock()
		defer tree.Unlock()
		n.left = left
	}
	set(left)
	defer set(nil)
	return end()
}

// awaitClose waits for the end of a Close that another goroutine makes.
func (n *Node) awaitClose() error {
	tree.Lock()
	if s := n.is(); s != draining && s != closing {
		tree.Unlock()
		return nil
	}
	if n.ended == nil {
		n.ended = make(chan struct{})
	}
	ended := n.ended
	tree.Unlock()
	if !n.await(ended) {
		return &verr.Error{Errno: syscall.EBUSY, Msg: n.String() + " is being closed by another goroutine, which has not ended in time"}
	}
	return nil
}

// inCall returns a node that a call uses or a Close ends, n or below it, or nil.
// Called with tree held; seen are those that were looked at.
func (n *Node) inCall(seen map[*Node]bool) *Node {
	n.mu.Lock()
	busy := n.users > 0 || n.status == draining || n.status == closing
	n.mu.Unlock()
	if busy {
		return n
	}
	seen[n] = true
	for c := range n.children {
		if !seen[c] {
			if in := c.inCall(seen); in != nil {
				return in
			}
		}
	}
	return nil
}

// untried returns the children that are not in tried, the latest made first. Called with tree held.
func (n *Node) untried(tried map[*Node]bool) []*Node {
	cs := slices.DeleteFunc(n.sorted(), func(c *Node) bool { return tried[c] })
	slices.Reverse(cs)
	return cs
}

// changed reports whether the nodes that refused the latest Close of n are gone, or whether there are some that are not in tried. They
// come only from makers that n has refused, and that could not end their object.
func (n *Node) changed(tried map[*Node]bool) bool {
	tree.Lock()
	defer tree.Unlock()
	return len(n.untried(tried)) > 0 || n.full && len(n.children) == 0
}

// handle returns the handle of an open node, nil for any other, and the names of its children, with which its Close would be refused.
func (n *Node) handle() (io.Closer, []string) {
	tree.Lock()
	defer tree.Unlock()
	if n.is() == closed || n.is() == unborn || n.is() == missing {
		return nil, nil
	}
	names := n.openNames()
	n.full = len(names) > 0
	return n.self, names
}

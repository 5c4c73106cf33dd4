package object

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/runtime/internal/callback"
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
// From its beginning no node can be made under n (os.ErrClosed): beside goroutines that make some all the time there would be
// no end otherwise. If n stays open, nodes can be made under it again afterwards.
func CloseTree(n *Node) error {
	if n == nil {
		return nil
	}
	if n.isCopy() {
		return n.gone("")
	}
	if callback.Inside() {
		if in := n.inCall(); in != nil {
			return &verr.Error{Errno: syscall.EBUSY, Msg: in.String() + " is in use by a call, maybe by the one that this callback is of; " +
				"close it when the call has returned"}
		}
	}
	w := walk{tried: map[*Node]bool{}, left: patience}
	w.close(n)
	return errors.Join(w.errs...)
}

// mostAgain is how often the Close of a node is called again that was busy without anything below it: the device may say so as well.
const mostAgain = 10

// mostMoved is how often a node is looked at again that others moved nodes into and away again.
const mostMoved = 1000

type walk struct {
	tried map[*Node]bool // nodes that are open although their Close was called
	errs  []error
	left  time.Duration // for which it may still wait; guarded by tree
}

// patient reports whether it may still wait.
func (w *walk) patient() bool {
	tree.Lock()
	defer tree.Unlock()
	return w.left > 0
}

func (w *walk) close(n *Node) {
	n.seal(1)
	defer n.seal(-1)
	for again := 0; ; again++ {
		w.closeChildren(n)
		self, names := n.handle()
		if self == nil {
			return
		}
		w.tried[n] = true
		err, most := verr.Busy("", n.String(), names), mostMoved
		if len(names) == 0 {
			err, most = n.within(&w.left, self.Close), mostAgain
		}
		if errors.Is(err, syscall.EBUSY) && (len(n.untried(w.tried)) > 0 || again < most && w.patient() && n.childless()) {
			continue // ReplaceParent moved a node here meanwhile, or here and away again
		}
		if errors.Is(err, os.ErrClosed) && !n.IsOpen() {
			err = n.within(&w.left, n.awaitClose)
			if n.IsOpen() {
				continue // the other Close failed
			}
		}
		if err != nil {
			w.errs = append(w.errs, err)
		}
		if n.is() == closed {
			delete(w.tried, n)
		}
		return
	}
}

// closeChildren looks again until there are no more, since others may close or move some. Looking once for all that are there
// keeps the cost for each the same, also when none of them can be closed.
func (w *walk) closeChildren(n *Node) {
	for cs := n.untried(w.tried); len(cs) > 0; cs = n.untried(w.tried) {
		for i, c := range cs {
			cs[i] = nil
			if !w.tried[c] && c.under(n) {
				w.close(c)
			}
		}
	}
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
func (n *Node) inCall() *Node {
	tree.Lock()
	defer tree.Unlock()
	return n.inCallLocked(map[*Node]bool{})
}

func (n *Node) inCallLocked(seen map[*Node]bool) *Node {
	n.mu.Lock()
	busy := n.users > 0 || n.status == draining || n.status == closing
	n.mu.Unlock()
	if busy {
		return n
	}
	seen[n] = true
	for k := n.children.first; k != nil; k = k.next {
		if !seen[k.child] {
			if in := k.child.inCallLocked(seen); in != nil {
				return in
			}
		}
	}
	return nil
}

// untried gives the children that are not in tried, the latest made first.
func (n *Node) untried(tried map[*Node]bool) []*Node {
	tree.Lock()
	defer tree.Unlock()
	n.children.sort()
	var cs []*Node
	for k := n.children.last; k != nil; k = k.before {
		if !tried[k.child] {
			cs = append(cs, k.child)
		}
	}
	return cs
}

// childless tells whether nothing is below n now.
func (n *Node) childless() bool {
	tree.Lock()
	defer tree.Unlock()
	return len(n.openLocked()) == 0
}

// under tells whether p is a parent of n now.
func (n *Node) under(p *Node) bool {
	tree.Lock()
	defer tree.Unlock()
	return n.parentIndex(p) >= 0
}

// handle gives the handle of an open node, nil for any other, and the names of its children.
func (n *Node) handle() (io.Closer, []string) {
	tree.Lock()
	defer tree.Unlock()
	if n.is() == closed || n.is() == unborn || n.is() == missing {
		return nil, nil
	}
	return n.self, n.openLocked()
}

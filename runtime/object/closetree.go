package object

import (
	"errors"
	"io"
	"os"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// CloseTree closes everything under n and then n, for a defer: children before their parents, the latest made first,
// each through the Close of its handle. It goes on after a failure and joins the errors; a node with children left is
// not closed, and said to be busy. Objects closed meanwhile by others are no error; neither is a nil or closed n.
func CloseTree(n *Node) error {
	if n == nil {
		return nil
	}
	w := walk{tried: map[*Node]bool{}}
	w.close(n)
	return errors.Join(w.errs...)
}

type walk struct {
	tried map[*Node]bool // nodes that are open although their Close was called
	errs  []error
}

func (w *walk) close(n *Node) {
	// Others may make children while those that were found are being closed, so it looks again until there are none. Looking
	// once for all that are there keeps the cost for each the same, also when none of them can be closed.
	for cs := n.untried(w.tried); len(cs) > 0; cs = n.untried(w.tried) {
		for i, c := range cs {
			cs[i] = nil
			if !w.tried[c] && c.under(n) {
				w.close(c)
			}
		}
	}
	self, names := n.handle()
	if self == nil {
		return
	}
	w.tried[n] = true
	if len(names) > 0 {
		w.errs = append(w.errs, verr.Busy("", n.String(), names))
		return
	}
	if err := self.Close(); err != nil && !(errors.Is(err, os.ErrClosed) && !n.IsOpen()) {
		w.errs = append(w.errs, err)
	}
	if n.is() == closed {
		delete(w.tried, n)
	}
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
	if n.is() == closed || n.is() == unborn {
		return nil, nil
	}
	return n.self, n.openLocked()
}

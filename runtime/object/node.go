package object

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// status is where a node is in its life.
type status uint8

const (
	unborn status = iota // zero value: Init has not run
	open
	closing // destroy runs; a failure leads back to open
	closed
)

// Node is the place of one object in the tree. Its zero value is not open: call Init. A Node must not be copied.
//
// Two kinds of locks guard it. tree, one for the process, guards parents, children, self and seq: they change only when
// objects are made and closed. mu, one a node, guards the rest, for Enter and Exit. A goroutine that needs both takes
// tree first.
type Node struct {
	self     io.Closer
	seq      uint64 // order of making
	parents  []*link
	children list

	mu     sync.Mutex
	status status
	kind   string
	label  string
	users  int
	verb   string // of the latest Enter
	holds  int
	what   string // of the latest Hold
}

var (
	tree    sync.Mutex
	nextSeq uint64
	// roots keeps the open nodes without parents reachable: with them everything that is open, pinned memory included.
	roots = map[*Node]struct{}{}
)

// Init makes n an open node under its parents, which from now on keep self, the handle that holds n, reachable.
// kind names the sort of object ("MR"), label the single one ("lkey 0x1234"; see SetLabel). Parents that are nil are
// left out. It fails, and n stays unusable, when a parent is closed or being closed (os.ErrClosed), and when n was
// initialised before.
func (n *Node) Init(self io.Closer, kind, label string, parents ...*Node) error {
	tree.Lock()
	defer tree.Unlock()
	if n.is() != unborn {
		return fmt.Errorf("internal error: %s is initialised twice", n)
	}
	if self == nil {
		return fmt.Errorf("internal error: %s %s has no handle to close", kind, label)
	}
	ps := make([]*Node, 0, len(parents))
	for _, p := range parents {
		if p == nil || slices.Contains(ps, p) {
			continue
		}
		if err := p.changeable(); err != nil {
			return err
		}
		ps = append(ps, p)
	}
	nextSeq++
	n.seq, n.self = nextSeq, self
	n.mu.Lock()
	n.status, n.kind, n.label = open, kind, label
	n.mu.Unlock()
	for _, p := range ps {
		n.enterInto(p)
	}
	n.keepRoot()
	return nil
}

// changeable tells whether n may get parents and children. Called with tree held.
func (n *Node) changeable() error {
	if n.is() != open {
		return n.gone("")
	}
	return nil
}

// gone is the error of a use of n that is not open.
func (n *Node) gone(verb string) error {
	if n.is() == unborn {
		return &verr.Error{Verb: verb, Msg: "the object was never opened", Err: os.ErrClosed}
	}
	return verr.Closed(verb, n.String())
}

func (n *Node) is() status {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.status
}

// SetLabel changes the label, for an object that learns its name late.
func (n *Node) SetLabel(label string) {
	n.mu.Lock()
	n.label = label
	n.mu.Unlock()
}

// String names the object, "MR (lkey 0x1234)"; the kind alone without a label.
func (n *Node) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.kind == "":
		return "unopened object"
	case n.label == "":
		return n.kind
	case strings.HasPrefix(n.label, n.kind):
		return n.label
	}
	return n.kind + " (" + n.label + ")"
}

// Close runs destroy, which may be nil, and takes the object out of the tree when destroy succeeded; otherwise the
// object stays open and the error of destroy is returned. It is refused, and destroy does not run, when the object has
// children or is being used (syscall.EBUSY, naming them), and when it is closed or another Close is at work
// (os.ErrClosed). While destroy runs, Enter and new children are refused.
func (n *Node) Close(verb string, destroy func() error) (err error) {
	if err := n.beginClose(verb); err != nil {
		return err
	}
	done := false
	defer func() { n.endClose(done) }()
	if destroy != nil {
		if err := destroy(); err != nil {
			return err
		}
	}
	done = true
	return nil
}

func (n *Node) beginClose(verb string) error {
	tree.Lock()
	defer tree.Unlock()
	if n.is() != open {
		return n.gone(verb)
	}
	if names := n.openLocked(); len(names) > 0 {
		return verr.Busy(verb, n.String(), names)
	}
	n.mu.Lock()
	uses := n.uses()
	if uses == nil {
		n.status = closing
	}
	n.mu.Unlock()
	if uses != nil {
		return verr.Busy(verb, n.String(), uses)
	}
	return nil
}

func (n *Node) endClose(done bool) {
	tree.Lock()
	defer tree.Unlock()
	n.mu.Lock()
	n.status = open
	if done {
		n.status = closed
	}
	n.mu.Unlock()
	if done {
		for len(n.parents) > 0 {
			n.leave(len(n.parents) - 1)
		}
		delete(roots, n)
	}
}

// Open names the children of n that are open, the first made first.
func (n *Node) Open() []string {
	tree.Lock()
	defer tree.Unlock()
	return n.openLocked()
}

func (n *Node) openLocked() []string {
	var names []string
	n.children.sort()
	for l := n.children.first; l != nil; l = l.next {
		names = append(names, l.child.String())
	}
	return names
}

// Count tells how many children of a kind are open in n.
func (n *Node) Count(kind string) int {
	tree.Lock()
	defer tree.Unlock()
	count := 0
	for l := n.children.first; l != nil; l = l.next {
		if l.child.kind == kind {
			count++
		}
	}
	return count
}

// IsOpen tells whether n was initialised and no Close of it succeeded or is at work.
func (n *Node) IsOpen() bool { return n.is() == open }

// AddParent puts n under one more parent, as a window that was bound is under its region. It fails when either is
// closed or p lies below n. A parent that n has already is no error.
func (n *Node) AddParent(p *Node) error { return n.ReplaceParent(nil, p) }

// RemoveParent takes n from under a parent; a node that loses its last parent is kept reachable by the package.
// It fails when n is closed or p is no parent of it.
func (n *Node) RemoveParent(p *Node) error { return n.ReplaceParent(p, nil) }

// ReplaceParent moves n from one parent to another in one step: nobody sees it under both or under none. A nil from
// only adds, a nil to only removes. On an error nothing has changed.
func (n *Node) ReplaceParent(from, to *Node) error {
	tree.Lock()
	defer tree.Unlock()
	if err := n.changeable(); err != nil {
		return err
	}
	i := -1
	if from != nil {
		if i = n.parentIndex(from); i < 0 {
			return fmt.Errorf("internal error: %s is no parent of %s", from, n)
		}
	}
	// nothing changes for a parent that n has already, unless that is the one it leaves
	if to != nil && (n.parentIndex(to) < 0 || to == from) {
		if err := to.changeable(); err != nil {
			return err
		}
		if to.below(n) {
			return fmt.Errorf("internal error: %s lies below %s and cannot be its parent", to, n)
		}
		n.enterInto(to)
	}
	if i >= 0 {
		n.leave(i)
	}
	n.keepRoot()
	return nil
}

// below tells whether n is a or one of its descendants. Called with tree held.
func (n *Node) below(a *Node) bool {
	if n == a {
		return true
	}
	return slices.ContainsFunc(n.parents, func(l *link) bool { return l.parent.below(a) })
}

// Children gives the handles that are open under the node, in the order of making.
func (n *Node) Children() []io.Closer {
	tree.Lock()
	defer tree.Unlock()
	n.children.sort()
	var out []io.Closer
	for l := n.children.first; l != nil; l = l.next {
		out = append(out, l.child.self)
	}
	return out
}

package object

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// status is where a node is in its life.
type status uint8

const (
	unborn status = iota // zero value: Init has not run
	open
	draining // a Close waits for the calls that are inside: they may still make children, and no call begins
	closing  // destroy runs; a failure leads back to open, as one to drain does
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
	parents  []*Node
	children map[*Node]struct{}

	mu     sync.Mutex
	status status
	kind   string
	label  string
	users  int
	verb   string        // of the latest Enter
	idle   chan struct{} // closed by the last Exit, for the Close that waits
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
	n.setParents(ps)
	return nil
}

// changeable tells whether n may get parents and children. Called with tree held.
func (n *Node) changeable() error {
	if s := n.is(); s != open && s != draining {
		return n.gone("")
	}
	return nil
}

// setParents moves n below ps. Called with tree held.
func (n *Node) setParents(ps []*Node) {
	for _, p := range n.parents {
		delete(p.children, n)
	}
	delete(roots, n)
	n.parents = ps
	if len(ps) == 0 {
		roots[n] = struct{}{}
	}
	for _, p := range ps {
		if p.children == nil {
			p.children = map[*Node]struct{}{}
		}
		p.children[n] = struct{}{}
	}
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

// Close waits for the calls that are inside, runs destroy, which may be nil, and takes the object out of the tree when destroy
// succeeded; otherwise the object stays open and the error of destroy is returned. While it waits and while destroy runs,
// Enter is refused.
//
// It is refused, and destroy does not run, when the object has children or is held, or when a call does not end in time
// (syscall.EBUSY, naming them), and when it is closed or another Close is at work (os.ErrClosed).
func (n *Node) Close(verb string, destroy func() error) (err error) {
	idle, err := n.beginClose(verb)
	if err != nil {
		return err
	}
	done := false
	defer func() { n.endClose(done) }()
	if idle != nil {
		if err := n.drain(verb, idle); err != nil {
			return err
		}
	}
	if destroy != nil {
		if err := destroy(); err != nil {
			return err
		}
	}
	done = true
	return nil
}

// beginClose refuses new calls. idle is closed by the last call that is inside, nil when there is none.
func (n *Node) beginClose(verb string) (idle <-chan struct{}, err error) {
	tree.Lock()
	defer tree.Unlock()
	if n.is() != open {
		return nil, n.gone(verb)
	}
	if names := n.openLocked(); len(names) > 0 {
		return nil, verr.Busy(verb, n.String(), names)
	}
	n.mu.Lock()
	var held []string
	switch {
	case n.holds > 0:
		held = n.uses()
	case n.users > 0:
		n.status, n.idle = draining, make(chan struct{})
		idle = n.idle
	default:
		n.status = closing
	}
	n.mu.Unlock()
	if held != nil {
		return nil, verr.Busy(verb, n.String(), held)
	}
	return idle, nil
}

// patience is how long a Close waits for calls. It ends the wait of a Close that is made inside a call, such as in a callback:
// that call can never end.
var patience = 10 * time.Second

// drain waits for the calls that were inside when the Close began.
func (n *Node) drain(verb string, idle <-chan struct{}) error {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-idle:
	case <-timeout.C:
	}
	tree.Lock()
	defer tree.Unlock()
	names := n.openLocked()
	n.mu.Lock()
	n.idle, n.status = nil, closing
	names = append(names, n.uses()...)
	n.mu.Unlock()
	if len(names) > 0 {
		return verr.Busy(verb, n.String(), names)
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
		n.setParents(nil)
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
	for _, c := range n.sorted() {
		names = append(names, c.String())
	}
	return names
}

// Count tells how many children of a kind are open in n.
func (n *Node) Count(kind string) int {
	tree.Lock()
	defer tree.Unlock()
	count := 0
	for c := range n.children {
		if c.kind == kind {
			count++
		}
	}
	return count
}

// IsOpen tells whether n was initialised and no Close of it succeeded or is at work.
func (n *Node) IsOpen() bool { return n.is() == open }

// sorted gives the children in the order of making. Called with tree held.
func (n *Node) sorted() []*Node {
	cs := make([]*Node, 0, len(n.children))
	for c := range n.children {
		cs = append(cs, c)
	}
	slices.SortFunc(cs, func(a, b *Node) int { return cmp.Compare(a.seq, b.seq) })
	return cs
}

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
	ps := slices.Clone(n.parents)
	if from != nil {
		i := slices.Index(ps, from)
		if i < 0 {
			return fmt.Errorf("internal error: %s is no parent of %s", from, n)
		}
		ps = slices.Delete(ps, i, i+1)
	}
	if to != nil && !slices.Contains(ps, to) {
		if err := to.changeable(); err != nil {
			return err
		}
		if to.below(n) {
			return fmt.Errorf("internal error: %s lies below %s and cannot be its parent", to, n)
		}
		ps = append(ps, to)
	}
	n.setParents(ps)
	return nil
}

// below tells whether n is a or one of its descendants. Called with tree held.
func (n *Node) below(a *Node) bool {
	if n == a {
		return true
	}
	return slices.ContainsFunc(n.parents, func(p *Node) bool { return p.below(a) })
}

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
	tried map[*Node]bool
	errs  []error
}

func (w *walk) close(n *Node) {
	for {
		c := n.lastChild(w.tried)
		if c == nil {
			break
		}
		w.close(c)
	}
	self, names := n.handle()
	w.tried[n] = true
	if self == nil {
		return
	}
	if len(names) > 0 {
		w.errs = append(w.errs, verr.Busy("", n.String(), names))
		return
	}
	if err := self.Close(); err != nil && !(errors.Is(err, os.ErrClosed) && !n.IsOpen()) {
		w.errs = append(w.errs, err)
	}
}

// lastChild gives the child made last that has not been tried, or nil.
func (n *Node) lastChild(tried map[*Node]bool) *Node {
	tree.Lock()
	defer tree.Unlock()
	var last *Node
	for c := range n.children {
		if !tried[c] && (last == nil || c.seq > last.seq) {
			last = c
		}
	}
	return last
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

// Children gives the handles that are open under the node, in the order of making.
func (n *Node) Children() []io.Closer {
	tree.Lock()
	defer tree.Unlock()
	out := make([]io.Closer, 0, len(n.children))
	for _, c := range n.sorted() {
		out = append(out, c.self)
	}
	return out
}

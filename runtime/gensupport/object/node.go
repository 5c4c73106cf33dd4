package object

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
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
	missing // of a nil handle
	copied  // never stored: the node is a copy of another one
)

// Node is the place of one object in the tree. Its zero value is not open: call Init. A Node must not be copied: in a copy every
// method that returns an error fails.
//
// Two kinds of locks guard it. tree, one for the process, guards parents, children, sealed, moving, full, left, ended, self and seq: they
// change only when objects are made, moved and closed. mu, one a node, guards the rest, for Enter and Exit. A goroutine that needs both
// takes tree first.
type Node struct {
	at       *Node // the node itself, set by Init: another address in a copy
	self     io.Closer
	under    *Node  // what the object and its children belong to, such as the device; nil where nothing says so
	seq      uint64 // order of making
	parents  []*Node
	children map[*Node]struct{}
	sealed   int            // CloseTrees that close it: no node comes under it, and it stays where it is
	moving   chan struct{}  // closed when the move of the node ends; nil without one
	full     bool           // the latest Close was refused because of nodes under it
	left     *time.Duration // how long the CloseTree that closes it may still wait; nil without one
	ended    chan struct{}  // closed when the Close that runs ends, for those who wait for it

	mu     sync.Mutex
	status status
	kind   string
	label  string
	users  int
	verb   string        // of the latest Enter
	idle   chan struct{} // closed by the last Exit, for the Close that waits
	holds  int
	what   string // of the latest Hold
	watch  Watch

	probe func() syscall.Errno // of Probe

	alone []*gate.Alone // what calls on the object and its children hold; guarded by tree until the node is open
}

var (
	tree    sync.Mutex
	nextSeq uint64
	// roots keeps the open nodes without parents reachable: with them everything that is open, pinned memory included.
	roots = map[*Node]struct{}{}
)

// inTree returns what f does with tree held.
func inTree[T any](f func() T) T {
	tree.Lock()
	defer tree.Unlock()
	return f()
}

// Init makes n an open node under its parents, which from now on keep self, the handle that contains n, reachable. kind
// names the kind of object ("MR"), label the object itself ("lkey 0x1234"; see SetLabel). Nil parents are ignored. Init
// fails, and n cannot be used, when a parent is closed or being closed, by a CloseTree too (os.ErrClosed), and when n was
// initialised before.
func (n *Node) Init(self io.Closer, kind, label string, parents ...*Node) error {
	return n.init(self, kind, label, false, parents)
}

// init is Init, if sealed is set also below parents that a Close or a CloseTree closes.
func (n *Node) init(self io.Closer, kind, label string, sealed bool, parents []*Node) error {
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
		if err := p.admits("", sealed); err != nil {
			return err
		}
		ps = append(ps, p)
	}
	nextSeq++
	n.at, n.seq, n.self = n, nextSeq, self
	n.mu.Lock()
	n.status, n.kind, n.label = open, kind, label
	n.mu.Unlock()
	for _, p := range ps {
		n.enterInto(p)
	}
	n.keepRoot()
	return nil
}

// admits returns an error if no node may come under n; if sealed is set, one may until n is closed. Called with tree held.
func (n *Node) admits(verb string, sealed bool) error {
	if s := n.is(); s != open && s != draining && !(sealed && s == closing) {
		return n.gone(verb)
	}
	if n.sealed > 0 && !sealed {
		return &verr.Error{Verb: verb, Msg: n.String() + " is being closed, with all that was made from it", Err: os.ErrClosed}
	}
	return nil
}

// gone is the error of a use of n that is not open.
func (n *Node) gone(verb string) error {
	switch n.is() {
	case unborn:
		return fail.NeverOpened(verb, cmp.Or(n.kind, "the object"))
	case missing:
		return fail.NilHandle(verb, n.kind)
	case copied:
		return fail.Copied(verb, n.kind)
	}
	return fail.Closed(verb, n.String())
}

// isCopy reports whether n is a copy of another node. Its mutex may be a copy of a locked one.
func (n *Node) isCopy() bool { return n.at != n && n.at != nil }

func (n *Node) is() status {
	if n.isCopy() {
		return copied
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.status
}

// Label returns what SetLabel set.
func (n *Node) Label() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.label
}

// SetLabel changes the label, for an object whose name is known only after Init.
func (n *Node) SetLabel(label string) {
	n.mu.Lock()
	n.label = label
	n.mu.Unlock()
}

// Qualify puts words before the label, for an object that is one of several sorts of its kind.
func (n *Node) Qualify(words string) {
	n.mu.Lock()
	n.label = words + n.label
	n.mu.Unlock()
}

// String returns the name of the object, "MR (lkey 0x1234)", or only the kind if there is no label.
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

// openNames returns the names of the open children of n, the oldest first. Called with tree held.
func (n *Node) openNames() (names []string) {
	for _, c := range n.sorted() {
		names = append(names, c.String())
	}
	return names
}

// IsOpen reports whether n was initialised, is not closed and is not being closed.
func (n *Node) IsOpen() bool { return n.is() == open }

// below reports whether n is a or one of its descendants. Called with tree held.
func (n *Node) below(a *Node) bool {
	if n == a {
		return true
	}
	return slices.ContainsFunc(n.parents, func(p *Node) bool { return p.below(a) })
}

// Children returns the handles of the open children of n, the oldest first.
func (n *Node) Children() (out []io.Closer) {
	tree.Lock()
	defer tree.Unlock()
	for _, c := range n.sorted() {
		out = append(out, c.self)
	}
	return out
}

// ParentOf returns the parent of a handle that has type T, if there is one.
func ParentOf[T io.Closer](h *Handle) (parent T, ok bool) {
	tree.Lock()
	defer tree.Unlock()
	for _, p := range h.parents {
		if parent, ok = p.self.(T); ok {
			break
		}
	}
	return parent, ok
}

package object

import (
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Close waits for the calls that use the object and then calls destroy, which may be nil. If destroy succeeds the
// object is closed; otherwise it stays open and Close returns the error. Meanwhile Enter fails, and while destroy runs
// the object gets no new children.
//
// Close fails without a call of destroy when the object has children or is held, or when a call does not end in time
// (syscall.EBUSY, with their names), and when it is closed or another Close is running (os.ErrClosed). In a callback of the program it
// does not wait: the call that the callback is of would never end.
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
	if err := n.keptOpen(verb, n.openNames()); err != nil {
		return nil, err
	}
	n.mu.Lock()
	var held []string
	switch {
	case n.holds > 0 || n.users > 0 && fail.InCallback():
		held = n.uses()
	case n.users > 0:
		n.status, n.idle = draining, make(chan struct{})
		idle = n.idle
	default:
		n.status = closing
	}
	n.mu.Unlock()
	if held != nil {
		return nil, fail.Busy(verb, n.String(), held)
	}
	return idle, nil
}

// keptOpen returns the error of a Close while there are children, and what else keeps n open. Called with tree held.
func (n *Node) keptOpen(verb string, children []string, uses ...string) error {
	n.full = len(children) > 0
	if all := append(children, uses...); len(all) > 0 {
		return fail.Busy(verb, n.String(), all)
	}
	return nil
}

// patience is how long a Close waits for calls, and a CloseTree for those of all that it closes.
var patience = 10 * time.Second

// mayWait returns how long a Close may wait for calls.
func (n *Node) mayWait() time.Duration {
	tree.Lock()
	defer tree.Unlock()
	if n.left == nil {
		return patience
	}
	return max(*n.left, 0)
}

// waited counts a wait of a Close.
func (n *Node) waited(d time.Duration) {
	tree.Lock()
	defer tree.Unlock()
	if n.left != nil {
		*n.left -= d
	}
}

// await waits until a channel is closed, for as long as a Close may wait, and reports whether it was closed.
func (n *Node) await(done <-chan struct{}) bool {
	ended, took := await(done, n.mayWait())
	n.waited(took)
	return ended
}

func await(done <-chan struct{}, most time.Duration) (ended bool, took time.Duration) {
	begin := time.Now()
	timeout := time.NewTimer(most)
	defer timeout.Stop()
	select {
	case <-done:
		return true, time.Since(begin)
	case <-timeout.C:
		return false, time.Since(begin)
	}
}

// drain waits for the calls that were inside when the Close began.
func (n *Node) drain(verb string, idle <-chan struct{}) error {
	n.await(idle)
	tree.Lock()
	defer tree.Unlock()
	children := n.openNames()
	n.mu.Lock()
	n.idle = nil
	uses := n.uses()
	if len(children)+len(uses) == 0 {
		n.status = closing
	}
	n.mu.Unlock()
	return n.keptOpen(verb, children, uses...)
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
	if n.ended != nil {
		close(n.ended)
		n.ended = nil
	}
	if done {
		for len(n.parents) > 0 {
			n.leave(n.parents[len(n.parents)-1])
		}
		delete(roots, n)
	}
}

package object

import "fmt"

// Watch is told of the uses of an object whose memory Go shares with its library. Both functions must not use the object.
type Watch struct {
	Enter func(verb string) error // an error refuses the use
	Exit  func()                  // after the use, before a Close goes on
}

// Watch sets who is told of later uses of the object.
func (n *Node) Watch(w Watch) {
	n.mu.Lock()
	n.watch = w
	n.mu.Unlock()
}

// Enter begins a use of the object by verb. A Close waits until Exit. Enter fails with os.ErrClosed when
// the object is closed or being closed, and in a copy of a Node. Every Enter that succeeds needs one Exit.
func (n *Node) Enter(verb string) error {
	if n.isCopy() {
		return n.gone(verb)
	}
	n.mu.Lock()
	if n.status != open {
		n.mu.Unlock()
		return n.gone(verb)
	}
	if refuse := n.watch.Enter; refuse != nil {
		if err := refuse(verb); err != nil {
			n.mu.Unlock()
			return err
		}
	}
	n.users++
	n.verb = verb
	n.mu.Unlock()
	return nil
}

// Exit ends a use that Enter began.
func (n *Node) Exit() {
	n.mu.Lock()
	if n.watch.Exit != nil {
		n.watch.Exit()
	}
	if n.users > 0 {
		n.users--
	}
	if n.users == 0 && n.idle != nil {
		close(n.idle)
		n.idle = nil
	}
	n.mu.Unlock()
}

// Hold begins a use of the object that lasts longer than the call of verb; what says how the user ends it. Otherwise it
// is like Enter. Every Hold that succeeds needs one Release.
func (n *Node) Hold(verb, what string) error {
	if n.isCopy() {
		return n.gone(verb)
	}
	n.mu.Lock()
	if n.status != open {
		n.mu.Unlock()
		return n.gone(verb)
	}
	n.holds++
	n.what = what
	n.mu.Unlock()
	return nil
}

// Release ends a use that Hold began.
func (n *Node) Release() {
	n.mu.Lock()
	if n.holds > 0 {
		n.holds--
	}
	n.mu.Unlock()
}

// uses names what keeps n from being closed, besides its children. Called with mu held.
func (n *Node) uses() []string {
	var out []string
	switch n.users {
	case 0:
	case 1:
		out = append(out, "a call of "+n.verb)
	default:
		out = append(out, fmt.Sprintf("%d calls (the latest of %s)", n.users, n.verb))
	}
	switch n.holds {
	case 0:
	case 1:
		out = append(out, n.what)
	default:
		out = append(out, fmt.Sprintf("%s (%d times)", n.what, n.holds))
	}
	return out
}

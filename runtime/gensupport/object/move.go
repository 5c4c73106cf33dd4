package object

import "errors"

// Move puts n below another parent, which call does in C. While call runs n is below both, so that neither can be closed; after an
// error of call it is where it was.
func Move(n, from, to *Node, call func() error) error {
	if from == to {
		return call()
	}
	if err := n.AddParent(to); err != nil {
		return err
	}
	if err := call(); err != nil {
		return errors.Join(err, n.RemoveParent(to))
	}
	return n.RemoveParent(from)
}

package object

import (
	"fmt"
	"slices"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Moving is a move of a node from one parent to another, which a call in C makes. Until Arrived, Back or Unknown ends it the node is
// below both, so that neither can be closed. The zero value moves nothing.
type Moving struct{ n, leaves, enters *Node }

// BeginMove begins a move of n before the call of verb that makes it. A nil from only adds a parent. Nothing moves if to is nil or
// the same as from. The caller has entered n.
//
// It fails if n or to is closed, or if a CloseTree closes one of them (os.ErrClosed): each CloseTree has only the moves to wait for
// that began before it came to the node or its new parent. It closes the node if it is in its tree after them.
func BeginMove(verb string, n, from, to *Node) (Moving, error) {
	if to == nil || from == to {
		return Moving{}, nil
	}
	tree.Lock()
	defer tree.Unlock()
	if s := n.is(); s != open && s != draining {
		return Moving{}, n.gone(verb)
	}
	if n.sealed > 0 {
		return Moving{}, fail.Closed(verb, n.String())
	}
	if err := to.admits(verb, false); err != nil {
		return Moving{}, err
	}
	switch {
	case n.moving != nil:
		return Moving{}, fmt.Errorf("internal error: %s is moved twice at a time", n)
	case from != nil && !slices.Contains(n.parents, from):
		return Moving{}, fmt.Errorf("internal error: %s is no parent of %s", from, n)
	case to.below(n):
		return Moving{}, fmt.Errorf("internal error: %s lies below %s and cannot be its parent", to, n)
	}
	n.moving = make(chan struct{})
	m := Moving{n: n, leaves: from}
	if !slices.Contains(n.parents, to) {
		m.enters = to
		n.enterInto(to)
		n.keepRoot()
	}
	return m, nil
}

// Arrived ends the move: n is below its new parent only.
func (m Moving) Arrived() { m.end(m.leaves) }

// Back ends the move: n stays in its old place.
func (m Moving) Back() { m.end(m.enters) }

// Unknown ends the move: n stays below both, until it is closed.
func (m Moving) Unknown() { m.end(nil) }

func (m Moving) end(leave *Node) {
	if m.n == nil {
		return
	}
	tree.Lock()
	defer tree.Unlock()
	m.n.leave(leave)
	if m.n.is() != closed {
		m.n.keepRoot()
	}
	close(m.n.moving)
	m.n.moving = nil
}

// Move moves n by call. After an error of call it stays in its old place.
func Move(verb string, n, from, to *Node, call func() error) error {
	m, err := BeginMove(verb, n, from, to)
	if err != nil {
		return err
	}
	if err := call(); err != nil {
		m.Back()
		return err
	}
	m.Arrived()
	return nil
}

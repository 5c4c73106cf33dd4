// Package cond has the nodes that the conditions of rules are made of. The tree of a rule says when a call breaks it: a kind of
// rules builds it over names, bind resolves the names, explain evaluates it and gogen writes it as Go.
//
// The set of nodes is closed. The package must not know what an operand is: a name of a page, or what bind makes of it.
package cond

import (
	"iter"
	"slices"
)

// Op says what a node is.
type Op uint8

// Values.
const (
	Operand Op = iota // Of: a place of the call, a capability or a constant
	Flags             // Of: a set of flags
	Sum               // the sum of Sub; one that 64 bits cannot hold is above everything
	Rest              // Sub[0] modulo Sub[1]
	Power             // 2 to the power of Sub[0]; what 64 bits cannot hold is above everything
	Given             // how many of Sub are given: by their bit of Mask where it has one, else by a value that is not neutral
	IfGiven           // Sub[1] when its bit of Mask is set, else Sub[0]
)

// Conditions made of conditions. Below Not, what a call leaves out is valid; elsewhere it is neutral.
const (
	All Op = iota + 16
	Any
	Not
)

// Tests of Sub[0] with Sub[1], which is Flags for the first four.
const (
	Has    Op = iota + 32 // any of the flags is set
	HasAll                // all of the flags are set
	Lacks                 // none of the flags is set
	Only                  // no bits but the flags are set
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	In   // Sub[0] is one of Sub[1:]
	Same // both are the same object
	Null // Sub[0] is NULL; the opposite is NotNull
	NotNull
	Set // Sub[0] is not neutral: zero, NULL or empty; the opposite is Unset
	Unset
	BadTransition // Sub[0], a mask, does not fit the change from state Sub[1] to Sub[2]; Sub[3:] are the ways that there are
	Way           // of BadTransition: from Sub[0] to Sub[1], with all of the flags Sub[2], and perhaps some of Sub[3]
)

// OfFlags reports whether a test looks at flags of a value.
func (o Op) OfFlags() bool { return o >= Has && o <= Only }

// Compares reports whether a test compares two numbers.
func (o Op) Compares() bool { return o >= Eq && o <= Ge }

// Node is a node of a tree. T is what an operand is.
type Node[T any] struct {
	Op   Op
	Of   T // of Operand and Flags
	Mask *Node[T]
	Sub  []*Node[T]
}

// Leaf is a value without parts.
func Leaf[T any](op Op, of T) *Node[T] { return &Node[T]{Op: op, Of: of} }

// Of joins values or conditions; nil ones are left out. All and Any of one are that one, and of none nil.
func Of[T any](op Op, sub ...*Node[T]) *Node[T] {
	n := &Node[T]{Op: op}
	for _, s := range sub {
		if s != nil {
			n.Sub = append(n.Sub, s)
		}
	}
	switch {
	case len(n.Sub) == 0:
		return nil
	case len(n.Sub) == 1 && (op == All || op == Any):
		return n.Sub[0]
	}
	return n
}

// Test is a test of a value, or nil when something of it is nil: a rule that does not have a key does not ask for it.
func Test[T any](op Op, sub ...*Node[T]) *Node[T] {
	for _, s := range sub {
		if s == nil {
			return nil
		}
	}
	return &Node[T]{Op: op, Sub: sub}
}

// Masked sets the mask of a node, which may be nil.
func (n *Node[T]) Masked(mask *Node[T]) *Node[T] {
	n.Mask = mask
	return n
}

// Joins reports whether a node is made of conditions.
func (n *Node[T]) Joins() bool { return n.Op == All || n.Op == Any || n.Op == Not }

// Subject returns what the first of the tests of a condition looks at.
func (n *Node[T]) Subject() *Node[T] {
	for n.Joins() {
		n = n.Sub[0]
	}
	return n.Sub[0]
}

// Nodes are a node and all below it, each after the node that it is part of. Nil has none.
func (n *Node[T]) Nodes() iter.Seq[*Node[T]] {
	return func(yield func(*Node[T]) bool) { n.walk(yield) }
}

func (n *Node[T]) walk(yield func(*Node[T]) bool) bool {
	if n == nil {
		return true
	}
	return yield(n) && n.Mask.walk(yield) && !slices.ContainsFunc(n.Sub, func(s *Node[T]) bool { return !s.walk(yield) })
}

// Map gives the same tree of other operands.
func Map[A, B any](n *Node[A], f func(A) B) *Node[B] {
	if n == nil {
		return nil
	}
	out := &Node[B]{Op: n.Op, Mask: Map(n.Mask, f)}
	if n.Op == Operand || n.Op == Flags {
		out.Of = f(n.Of)
	}
	for _, s := range n.Sub {
		out.Sub = append(out.Sub, Map(s, f))
	}
	return out
}

// Edit gives the tree with what f makes of each of its nodes, after those below it.
func (n *Node[T]) Edit(f func(*Node[T]) *Node[T]) *Node[T] {
	if n == nil {
		return nil
	}
	out := &Node[T]{Op: n.Op, Of: n.Of, Mask: n.Mask}
	for _, s := range n.Sub {
		out.Sub = append(out.Sub, s.Edit(f))
	}
	return f(out)
}

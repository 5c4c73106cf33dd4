package object

import (
	"cmp"
	"maps"
	"slices"
)

// sorted returns the children of n, the oldest first. Called with tree held.
func (n *Node) sorted() []*Node {
	return slices.SortedFunc(maps.Keys(n.children), func(a, b *Node) int { return cmp.Compare(a.seq, b.seq) })
}

// enterInto puts n under one more parent. Called with tree held.
func (n *Node) enterInto(p *Node) {
	n.parents = append(n.parents, p)
	if p.children == nil {
		p.children = map[*Node]struct{}{}
	}
	p.children[n] = struct{}{}
}

// leave takes n from under a parent. Called with tree held.
func (n *Node) leave(p *Node) {
	i := slices.Index(n.parents, p)
	if i < 0 {
		return
	}
	n.parents = slices.Delete(n.parents, i, i+1)
	if delete(p.children, n); len(p.children) == 0 {
		p.children = nil // a map keeps the room of what it had
	}
}

// keepRoot keeps an open node that has no parents reachable. Called with tree held.
func (n *Node) keepRoot() {
	if len(n.parents) == 0 {
		roots[n] = struct{}{}
	} else {
		delete(roots, n)
	}
}

package object

import (
	"cmp"
	"slices"
)

// list holds the children of a node. Entering and leaving cost the same among many as among few. It is in the order of
// making unless unsorted says otherwise: only a child that was moved here can be older than one before it.
type list struct {
	first, last *link
	unsorted    bool
}

// link is one place of a child under one parent.
type link struct {
	child, parent *Node
	before, next  *link // in the list of the parent
}

func (l *list) add(k *link) {
	k.before, k.next = l.last, nil
	if l.last == nil {
		l.first = k
	} else {
		l.last.next = k
		l.unsorted = l.unsorted || l.last.child.seq > k.child.seq
	}
	l.last = k
}

func (l *list) remove(k *link) {
	if k.before == nil {
		l.first = k.next
	} else {
		k.before.next = k.next
	}
	if k.next == nil {
		l.last = k.before
	} else {
		k.next.before = k.before
	}
	k.before, k.next = nil, nil
}

// sort brings the list into the order of making.
func (l *list) sort() {
	if !l.unsorted {
		return
	}
	var all []*link
	for k := l.first; k != nil; k = k.next {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b *link) int { return cmp.Compare(a.child.seq, b.child.seq) })
	*l = list{}
	for _, k := range all {
		l.add(k)
	}
}

// enterInto puts n under one more parent. Called with tree held.
func (n *Node) enterInto(p *Node) {
	k := &link{child: n, parent: p}
	n.parents = append(n.parents, k)
	p.children.add(k)
}

// leave takes n from under its parent number i. Called with tree held.
func (n *Node) leave(i int) {
	k := n.parents[i]
	k.parent.children.remove(k)
	n.parents = slices.Delete(n.parents, i, i+1)
}

// parentIndex returns the number of a parent, -1 when n is not under it. Called with tree held.
func (n *Node) parentIndex(p *Node) int {
	return slices.IndexFunc(n.parents, func(k *link) bool { return k.parent == p })
}

// keepRoot keeps an open node that has no parents reachable. Called with tree held.
func (n *Node) keepRoot() {
	if len(n.parents) == 0 {
		roots[n] = struct{}{}
	} else {
		delete(roots, n)
	}
}

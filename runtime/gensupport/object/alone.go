package object

import (
	"slices"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Alone has calls of the data path on what is made under the handle from now on be made one at a time, together: a thread domain, whose
// objects the library does not lock.
func (h *Handle) Alone() {
	tree.Lock()
	defer tree.Unlock()
	if h.alone == nil {
		h.alone = []*gate.Alone{new(gate.Alone)}
	}
}

// share has the guard of the object hold what its parents do.
func (h *Handle) share(parents []*Node) {
	tree.Lock()
	for _, p := range parents {
		for _, a := range p.aloneOf() {
			if !slices.Contains(h.alone, a) {
				h.alone = append(h.alone, a)
			}
		}
	}
	tree.Unlock()
	if g, ok := h.Guard.(*gate.Gate); ok && len(h.alone) > 0 {
		g.Share(h.alone)
	}
}

func (n *Node) aloneOf() []*gate.Alone {
	if n == nil {
		return nil
	}
	return n.alone
}

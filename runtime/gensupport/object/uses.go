package object

import (
	"slices"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Uses are handles that one call uses beside that which it is made on: those of a list, or in structs. They end together, by Exit. The
// zero value has none.
type Uses struct {
	Nodes   []*Node // of the handles, each once
	entered []*Node
}

// Used is a handle in the place with the C name What.
type Used struct {
	Handle *Handle
	What   string
}

// Add takes over a use that has begun.
func (u *Uses) Add(n *Node) {
	u.entered = append(u.entered, n)
	if !slices.Contains(u.Nodes, n) {
		u.Nodes = append(u.Nodes, n)
	}
}

// Exit ends all uses.
func (u *Uses) Exit() {
	for _, n := range u.entered {
		n.Exit()
	}
	u.entered = nil
}

// UseList begins the use of a list of handles by a call on self, in the place with the C name what, and returns the addresses of their
// C objects. base is the method of that name.
func UseList[H any](u *Uses, self *Handle, verb, what string, list []H, base func(H) *Handle) ([]uintptr, error) {
	out := make([]uintptr, len(list))
	for i, x := range list {
		h := base(x)
		if err := h.EnterBeside(self, verb, what); err != nil {
			return nil, err
		}
		u.Add(&h.Node)
		out[i] = uintptr(h.C)
	}
	return out, nil
}

// UseArms begins the use of the handles in a list of structs of the interface type A, which has the name of. in returns those of one.
func UseArms[A comparable](u *Uses, self *Handle, verb, of string, list []A, in func(A) []Used) error {
	var none A
	for _, x := range list {
		if x == none {
			return fail.NilValue(verb, of, "make one")
		}
		for _, used := range in(x) {
			if err := used.Handle.EnterBeside(self, verb, used.What); err != nil {
				return err
			}
			u.Add(&used.Handle.Node)
		}
	}
	return nil
}

// AdoptUsed is Adopt under parents and under all handles in use.
func (h *Handle) AdoptUsed(u *Uses, parents ...*Node) error {
	return h.Adopt(append(parents, u.Nodes...)...)
}

// Release calls what gives memory back, unless a handle keeps it: then it is nil.
func Release(release *func()) {
	if *release != nil {
		(*release)()
	}
}

//go:build linux && cgo

package careless

import (
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// answers is an allocator that gives providers one address.
type answers uintptr

func (a answers) Alloc(verbs.AllocRequest) (uintptr, error) { return uintptr(a), nil }
func (a answers) Free(verbs.AllocRequest, uintptr)          {}

// allocatorMistakes answer a provider with an address that it cannot write to.
func allocatorMistakes() (all []mistake) {
	for _, m := range []struct {
		name string
		addr func() uintptr
	}{
		{"an unmapped address", unmapped},
		{"the address of a closed buffer", func() uintptr {
			b := newBuffer()
			addr := b.Addr()
			closed(b)
			return addr
		}},
		{"an address behind its file", truncated},
	} {
		all = append(all, mistake{name: m.name, says: []string{"allocator asked for .* bytes .*it answered 0x[0-9a-f]+.*can be written"},
			make: func(w *world) error {
				pp, err := w.dev.AllocParentDomain(verbs.NewParentDomainAttr(w.a.PD).Allocator(answers(m.addr())))
				if err != nil {
					return nil
				}
				return result(pp.RegMR(make([]byte, 64), 0))
			}})
	}
	return all
}

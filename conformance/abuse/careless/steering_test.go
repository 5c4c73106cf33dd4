//go:build linux && cgo

package careless

import (
	"errors"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// steeringMistakes are those with actions of flows on packets of ESP.
func steeringMistakes() []mistake {
	return []mistake{
		{name: "keys and headers that nobody made, and headers in a ring",
			says: []string{"FlowActionESPEncap leads back to itself", "FlowActionESPKeymat is nil", "FlowHeader is nil",
				"has 40 bytes, and at most 32"}, make: func(w *world) error {
				make := func(a *verbs.FlowActionESPAttr) error { return result(w.dev.CreateFlowActionESP(a)) }
				keys := &verbs.FlowActionESPKeymatAESGCM{Key: []byte("sixteen bytes ..."[:16]), Salt: 1, ICVLen: 16}
				with := func() *verbs.FlowActionESPAttr {
					return verbs.NewFlowActionESPAttr().ESP(&verbs.FlowActionESP{Flags: verbs.FlowActionESPFlagsFullOffload})
				}
				ring := &verbs.FlowActionESPEncap{Header: &verbs.FlowIPv4Filter{}}
				ring.Next = &verbs.FlowActionESPEncap{Header: &verbs.FlowIPv4Filter{}, Next: ring}
				return errors.Join(make(with().Keymat(keys).Encap(ring)), make(with().Keymat((*verbs.FlowActionESPKeymatAESGCM)(nil))),
					make(with().Keymat(keys).Encap(&verbs.FlowActionESPEncap{
						Header: (*verbs.FlowIPv6Filter)(nil),
					})),
					make(with().Keymat(&verbs.FlowActionESPKeymatAESGCM{
						Key: []byte("forty bytes, which are more than a key has"[:40]), Salt: 1, ICVLen: 16,
					})))
			}},
	}
}

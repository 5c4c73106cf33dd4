//go:build linux && cgo

package careless

import (
	"errors"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// queueOf makes a work queue on a device.
func queueOf(dev *verbs.Device) (*verbs.WQ, error) {
	pd, err := dev.AllocPD()
	if err != nil {
		return nil, err
	}
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return nil, err
	}
	return dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(1).MaxSGE(1))
}

// steeringMistakes are those with tables of work queues, and with actions of flows on packets of ESP.
func steeringMistakes() []mistake {
	table := func(w *world, wqs ...*verbs.WQ) error {
		return result(w.dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr(wqs)))
	}
	return []mistake{
		{name: "lists that are no table", says: []string{"0 elements, which is no power of two", "3 elements, which is no power of two",
			"WQ is nil", "ibv_create_rwq_ind_table: WQ was never opened"}, make: func(w *world) error {
			wq, err := queueOf(w.dev)
			if err != nil {
				return nil
			}
			return errors.Join(table(w), table(w, wq, wq, wq), table(w, wq, nil), table(w, new(verbs.WQ)),
				result(w.dev.CreateRWQIndTable(new(verbs.RWQIndTableInitAttr))))
		}},
		{name: "a queue that is closed while a table has it", says: []string{"RWQIndTable"}, make: func(w *world) error {
			wq, err := queueOf(w.dev)
			if err != nil || table(w, wq) != nil {
				return nil
			}
			return wq.Close()
		}},
		{name: "posts to a queue that is closed, and to none", says: []string{"WQ is closed"}, make: func(w *world) error {
			wq, err := queueOf(w.dev)
			if err != nil {
				return nil
			}
			b, err := verbs.NewRecvBatch(1, 1)
			if err != nil || wq.Close() != nil {
				return nil
			}
			w.batches = append(w.batches, b)
			return errors.Join(result(wq.PostRecv(b, 1)), result((*verbs.WQ)(nil).PostRecv(b, 1)))
		}},
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

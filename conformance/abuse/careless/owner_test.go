//go:build linux && cgo

package careless

import (
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func openFrom(soft *softverbs.Device, name string) (*verbs.Device, error) {
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		return nil, err
	}
	return lib.OpenDevice(name)
}

// strange are the places that take an object beside the one that is called.
var strange = []struct {
	name, says string
	give       func(w *world, other *verbs.Device) error
}{
	{"queue to send", "send_cq: CQ", func(w *world, other *verbs.Device) error {
		cq, err := other.CreateCQ(4, nil, 0)
		return given(err, func() error {
			return result(w.a.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: w.a.CQ}))
		})
	}},
	{"device memory", "dm: DM", func(w *world, other *verbs.Device) error {
		dm, err := other.AllocDM(verbs.NewAllocDMAttr(64))
		return given(err, func() error { return result(w.a.PD.RegDMMR(dm, 0, 64, verbs.DMAccessZeroBased)) })
	}},
	{"domain of a region", "pd: PD", func(w *world, other *verbs.Device) error {
		pd, err := other.AllocPD()
		return given(err, func() error { return w.a.MR.Rereg(new(verbs.MRChange).PD(pd)) })
	}},
}

// given makes the call, unless there is nothing to give.
func given(err error, call func() error) error {
	if err != nil {
		return nil
	}
	return call()
}

// ownerMistakes give objects of another opening of the device.
func ownerMistakes() (all []mistake) {
	from := func(give func(w *world, other *verbs.Device) error) func(w *world) error {
		return func(w *world) error {
			other, err := openFrom(w.soft, "soft0")
			if err != nil {
				return nil
			}
			defer other.CloseAll()
			return give(w, other)
		}
	}
	for _, place := range strange {
		all = append(all, mistake{name: place.name, make: from(place.give),
			says: []string{place.says + ".* belongs to one opening of device soft0", "use objects of one device"}})
	}
	return append(all, mistake{name: "address", over: datagram, make: from((*world).postTo),
		says: []string{"AH of the request.*use objects of one device"}})
}

// postTo posts a datagram to an address handle of another device.
func (w *world) postTo(other *verbs.Device) error {
	port, err := link.First(other)
	if err != nil {
		return nil
	}
	end, err := link.Default().NewEnd(port)
	if err != nil {
		return nil
	}
	way, _ := end.Way(end)
	ah, err := end.PD.CreateAH(way)
	if err != nil {
		return nil
	}
	b := w.sends(1)
	if err := ah.Address(b.WR(0).Send(1), 1, 1); err != nil {
		return nil
	}
	return result(w.a.QP.PostSend(b, 1))
}

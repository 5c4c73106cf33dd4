//go:build linux && cgo

package careless

import (
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// stranger is a device whose objects a program mixes up with those of its own.
type stranger struct {
	name string
	open func(w *world) (*verbs.Device, error)
	says string // the name of the device
}

var strangers = []stranger{
	{"another device", func(w *world) (*verbs.Device, error) { return openFrom(w.soft, "soft1") }, "device soft1"},
	{"another opening", func(w *world) (*verbs.Device, error) { return openFrom(w.soft, "soft0") }, "one opening of device soft0"},
	{"another library", func(w *world) (*verbs.Device, error) { return openFrom(softverbs.New(), "soft0") }, "one opening of device soft0"},
}

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
	{"queue to receive", "recv_cq: CQ", func(w *world, other *verbs.Device) error {
		cq, err := other.CreateCQ(4, nil, 0)
		return given(err, func() error {
			return result(w.a.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: w.a.CQ, RecvCQ: cq}))
		})
	}},
	{"shared queue", "srq: SRQ", func(w *world, other *verbs.Device) error {
		pd, err := other.AllocPD()
		if err != nil {
			return nil
		}
		srq, err := pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 1, MaxSGE: 1})
		return given(err, func() error {
			return result(w.a.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: w.a.CQ, RecvCQ: w.a.CQ, SRQ: srq}))
		})
	}},
	{"channel", "channel: CompChannel", func(w *world, other *verbs.Device) error {
		ch, err := other.CreateCompChannel()
		return given(err, func() error { return result(w.dev.CreateCQ(4, ch, 0)) })
	}},
	{"device memory", "dm: DM", func(w *world, other *verbs.Device) error {
		dm, err := other.AllocDM(verbs.NewAllocDMAttr(64))
		return given(err, func() error { return result(w.a.PD.RegDMMR(dm, 0, 64, verbs.DMAccessZeroBased)) })
	}},
	{"domain of a region", "pd: PD", func(w *world, other *verbs.Device) error {
		pd, err := other.AllocPD()
		return given(err, func() error { return w.a.MR.Rereg(new(verbs.MRChange).PD(pd)) })
	}},
	{"domain to extend", "pd: PD", func(w *world, other *verbs.Device) error {
		pd, err := other.AllocPD()
		return given(err, func() error { return result(w.dev.AllocParentDomain(verbs.NewParentDomainAttr(pd))) })
	}},
	{"thread domain", "td: TD", func(w *world, other *verbs.Device) error {
		td, err := other.AllocTD()
		return given(err, func() error {
			return result(w.dev.AllocParentDomain(verbs.NewParentDomainAttr(w.a.PD).ThreadDomain(td)))
		})
	}},
}

// given makes the call, unless there is nothing to give.
func given(err error, call func() error) error {
	if err != nil {
		return nil
	}
	return call()
}

func ownerMistakes() (all []mistake) {
	for _, s := range strangers {
		for _, place := range strange {
			all = append(all, mistake{name: place.name + " of " + s.name,
				says: []string{place.says + ".* belongs to " + s.says, "use objects of one device"},
				make: func(w *world) error {
					other, err := s.open(w)
					if err != nil {
						return nil
					}
					defer other.CloseAll()
					return place.give(w, other)
				}})
		}
		all = append(all, mistake{name: "address of " + s.name, over: datagram, says: []string{"AH of the request.*use objects of one device"},
			make: func(w *world) error {
				other, err := s.open(w)
				if err != nil {
					return nil
				}
				defer other.CloseAll()
				return w.postTo(other)
			}})
	}
	return all
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

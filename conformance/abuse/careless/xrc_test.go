//go:build linux && cgo

package careless

import (
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// xrcWorld is an extended reliable connection beside what else the world has: its sender stands where that of the world was.
type xrcWorld struct {
	*world
	domain   *verbs.XRCD
	receiver *verbs.QP
	srq      *verbs.SRQ
	num      uint32 // of srq
}

// xrc makes one. The errors of what comes before a mistake are no mistakes, so there is none then.
func xrc(do func(x *xrcWorld) error) func(w *world) error {
	return func(w *world) error {
		x := &xrcWorld{world: w}
		if err := x.make(); err != nil {
			return nil
		}
		return do(x)
	}
}

func (x *xrcWorld) make() (err error) {
	if x.domain, err = x.dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT)); err != nil {
		return err
	}
	cq, err := x.dev.CreateCQ(16, nil, 0)
	if err != nil {
		return err
	}
	if x.srq, err = x.dev.CreateSRQEx(verbs.NewSRQInitAttrEx(x.a.PD, 4, 1).Type(verbs.SRQTypeXRC).XRCD(x.domain).CQ(cq)); err != nil {
		return err
	}
	if x.num, err = x.srq.Num(); err != nil {
		return err
	}
	if x.receiver, err = x.dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(x.domain)); err != nil {
		return err
	}
	if x.a.QP, err = x.dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCSend, x.a.CQ, nil, x.a.PD).MaxSendWR(4).MaxSendSGE(1)); err != nil {
		return err
	}
	return x.connect()
}

func (x *xrcWorld) connect() error {
	at, err := link.First(x.dev)
	if err != nil {
		return err
	}
	self, to := at.Port.Address(x.a.QP, far.RC), at.Port.Address(x.receiver, far.RC)
	for _, qp := range []*verbs.QP{x.a.QP, x.receiver} {
		if err := at.Port.Init(qp, far.RC, 0); err != nil {
			return err
		}
	}
	if err := at.Port.Receive(x.receiver, to, self); err != nil {
		return err
	}
	return at.Port.Connect(x.a.QP, self, to)
}

// message sends 8 bytes to a shared receive queue.
func (x *xrcWorld) message(num uint32) error {
	b := x.sends(1)
	b.WR(0).Send(1).ToSRQ(num).SGE(uint64(x.a.MR.Addr()), 8, x.a.MR.LKey())
	return x.completion(b)
}

// xrcMistakes are those with what several handles, or a number, name.
func xrcMistakes() []mistake {
	return []mistake{
		{name: "queue pair of a closed domain", says: []string{"XRCD .*is closed"}, make: xrc(func(x *xrcWorld) error {
			if x.receiver.Close() != nil || x.srq.Close() != nil || x.domain.Close() != nil {
				return nil
			}
			return result(x.dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(x.domain)))
		})},
		{name: "domain with a second handle", says: []string{"XRCD still has QP"}, make: xrc(func(x *xrcWorld) error {
			if _, err := x.dev.OpenQP(verbs.NewQPOpenAttr(x.domain, x.receiver.Num(), verbs.QPTypeXRCRecv)); err != nil ||
				x.receiver.Close() != nil || x.srq.Close() != nil {
				return nil
			}
			return x.domain.Close()
		})},
		// Requests name a shared receive queue by its number, so that its Close is not refused.
		{name: "message to a closed queue", says: []string{"REM_INV_REQ_ERR"}, make: xrc(func(x *xrcWorld) error {
			if x.srq.Close() != nil {
				return nil
			}
			return x.message(x.num)
		})},
		{name: "message to no queue", says: []string{"REM_INV_REQ_ERR"}, make: xrc(func(x *xrcWorld) error { return x.message(0) })},
		{name: "number of a queue of another type", says: []string{"ibv_get_srq_num"},
			make: xrc(func(x *xrcWorld) error { return result(x.world.srq.Num()) })},
	}
}

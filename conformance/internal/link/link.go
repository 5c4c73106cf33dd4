//go:build linux

// Package link makes connected queue pairs for tests.
//
// It owns the states that a connection goes through, and the waiting for its completions. It knows nothing of what the
// tests send.
package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Size is the length of a side's memory in bytes.
const Size = 4096

// Place is an open device, and a port of it.
type Place struct {
	Device *verbs.Device
	Port   *far.Port
}

// First is the first port of a device, reached by the first entry of its GID table.
func First(dev *verbs.Device) (Place, error) {
	p, err := far.OpenPort(dev, "", 1, 0)
	return Place{dev, p}, err
}

// End is one side of a connection. It is closed with its device, or by Close.
type End struct {
	PD  *verbs.PD
	Ch  *verbs.CompChannel
	CQ  *verbs.CQ
	QP  *verbs.QP
	Buf []byte // registered as MR
	MR  *verbs.MR

	cfg  Config
	port *far.Port
}

// NewEnd makes a side in state INIT, with Default, on the first port.
func NewEnd(dev *verbs.Device) (*End, error) {
	at, err := First(dev)
	if err != nil {
		return nil, err
	}
	return Default().NewEnd(at)
}

// Between returns two connected sides on the first ports of devices, which may be one.
func (c Config) Between(first, second *verbs.Device) (a, b *End, err error) {
	here, err := First(first)
	if err != nil {
		return nil, nil, err
	}
	there, err := First(second)
	if err != nil {
		return nil, nil, err
	}
	return c.Pair(here, there)
}

// NewEnd makes a side in state INIT.
func (c Config) NewEnd(at Place) (*End, error) {
	e, err := c.NewReset(at)
	if err != nil {
		return nil, err
	}
	return e, e.QP.Modify(c.Init(at.Port.Number()))
}

// NewReset makes a side in state RESET.
func (c Config) NewReset(at Place) (e *End, err error) {
	e = &End{Buf: make([]byte, Size), cfg: c, port: at.Port}
	if e.PD, err = at.Device.AllocPD(); err != nil {
		return nil, err
	}
	if e.Ch, err = at.Device.CreateCompChannel(); err != nil {
		return nil, err
	}
	if c.Fields != 0 {
		e.CQ, err = at.Device.CreateCQEx(verbs.NewCQInitAttrEx(uint32(c.CQE), c.Fields).Channel(e.Ch))
	} else {
		e.CQ, err = at.Device.CreateCQ(c.CQE, e.Ch, 0)
	}
	if err != nil {
		return nil, err
	}
	if c.Ops != 0 {
		init := verbs.NewQPInitAttrEx(c.Type, e.CQ, e.CQ,
			e.PD).MaxSendWR(c.SendWR).MaxRecvWR(c.RecvWR).MaxSendSGE(c.SendSGE).MaxRecvSGE(c.RecvSGE)
		e.QP, err = at.Device.CreateQPEx(init.MaxInlineData(c.Inline).SendOps(c.Ops))
	} else {
		e.QP, err = e.PD.CreateQP(verbs.QPInitAttr{
			Type: c.Type, SendCQ: e.CQ, RecvCQ: e.CQ, MaxSendWR: c.SendWR, MaxRecvWR: c.RecvWR,
			MaxSendSGE: c.SendSGE, MaxRecvSGE: c.RecvSGE, MaxInlineData: c.Inline,
		})
	}
	if err != nil {
		return nil, err
	}
	e.MR, err = e.PD.RegMR(e.Buf, c.MR)
	return e, err
}

// Pair returns two connected sides, which may be in one place.
func (c Config) Pair(first, second Place) (a, b *End, err error) {
	if a, err = c.NewEnd(first); err != nil {
		return nil, nil, err
	}
	if b, err = c.NewEnd(second); err != nil {
		return nil, nil, err
	}
	return a, b, errors.Join(a.ConnectTo(b), b.ConnectTo(a))
}

// Connect brings a side in INIT to RTS, towards a queue pair behind a GID. Both use entry index of their GID tables.
func (e *End) Connect(gid verbs.GID, index uint8, qpn uint32) error {
	return e.connect(verbs.AHAttr{PortNum: e.port.Number(), IsGlobal: true, DGID: gid, SGIDIndex: index, HopLimit: 64}, verbs.MTU1024, qpn)
}

// ConnectWith does what Connect does, with other patience.
func (e *End) ConnectWith(gid verbs.GID, index uint8, qpn uint32, p Patience) error {
	e.cfg.Patience = p
	return e.Connect(gid, index, qpn)
}

// ConnectTo brings a side in INIT to RTS, towards another side of this program.
func (e *End) ConnectTo(to *End) error {
	way, mtu := e.Way(to)
	return e.connect(way, mtu, to.QP.Num())
}

func (e *End) connect(way verbs.AHAttr, mtu verbs.MTU, qpn uint32) error {
	if err := e.QP.Modify(e.cfg.RTR(way, mtu, qpn)); err != nil {
		return err
	}
	return e.QP.Modify(e.cfg.RTS())
}

// Way returns the address of another side, and the packets that both ports can do, of 1024 bytes at the most.
func (e *End) Way(to *End) (verbs.AHAttr, verbs.MTU) {
	way := e.port.Way(to.port.Address(to.QP, far.RC)) // the same for every kind
	return way, min(verbs.MTU1024, e.port.Attr().ActiveMTU, to.port.Attr().ActiveMTU)
}

// Wait polls one completion. None within the deadline is os.ErrDeadlineExceeded.
func (e *End) Wait() (verbs.WC, error) { return e.WaitFor(cmp.Or(e.cfg.Deadline, Default().Deadline)) }

// WaitFor is Wait with a deadline of its own.
func (e *End) WaitFor(limit time.Duration) (verbs.WC, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	wc, err := far.Poll(ctx, e.CQ)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no completion in %v: %w", limit, os.ErrDeadlineExceeded)
	}
	return wc, err
}

// Send posts the first n requests of a batch, each signaled, and waits for their completions: the first that is no
// success is an error.
func (e *End) Send(b *verbs.SendBatch, n int) error {
	if posted, err := e.QP.PostSend(b, n); err != nil {
		return fmt.Errorf("request %d: %w", posted, err)
	}
	for range n {
		wc, err := e.Wait()
		if err != nil {
			return err
		}
		if err := wc.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Close destroys a side and all else that was made in its domain.
func (e *End) Close() error { return errors.Join(e.PD.CloseAll(), e.CQ.Close(), e.Ch.Close()) }

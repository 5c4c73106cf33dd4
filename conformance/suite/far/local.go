package far

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// depth is how many receives an end takes.
const depth = 64

// local makes ends on a context of its own.
type local struct {
	dev     *verbs.Device
	port    *Port
	atomics bool
}

// Local opens a device of this machine and makes ends on one of its ports; gidIndex is as of OpenPort.
func Local(lib *verbs.Lib, device string, port uint8, gidIndex int) (Maker, error) {
	if err := Speaks(lib, device); err != nil {
		return nil, err
	}
	dev, err := lib.OpenDevice(device)
	if err != nil {
		return nil, err
	}
	p, err := OpenPort(dev, device, port, gidIndex)
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	attr, err := dev.QueryDevice()
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return &local{dev, p, attr.AtomicCap != verbs.AtomicCapNone}, nil
}

// Speaks is ErrNoWay for a device whose queue pairs are not connected by ibv_modify_qp alone: one of iWARP, usNIC or EFA.
func Speaks(lib *verbs.Lib, device string) error {
	list, err := lib.Devices()
	if err != nil {
		return err
	}
	return speaks(list, device)
}

func speaks(list []verbs.DeviceEntry, device string) error {
	for _, d := range list {
		if d.Name == device && d.Transport != verbs.TransportTypeIB {
			return fmt.Errorf("%w: the transport of %s is %v", ErrNoWay, device, d.Transport)
		}
	}
	return nil
}

func (l *local) Close() error { return l.dev.CloseAll() }

// NewEnd makes a queue pair in state INIT.
func (l *local) NewEnd(_ context.Context, kind Kind) (End, error) {
	e := &end{port: l.port, kind: kind, rooms: map[uint64]room{}}
	if err := e.open(l.dev, l.atomics); err != nil {
		return nil, errors.Join(fmt.Errorf("making an end: %w", err), e.Close())
	}
	return e, nil
}

// end is an end on a device of this machine. Its memory is the window, and behind it MaxData bytes to send from and to read
// into.
type end struct {
	port         *Port
	kind         Kind
	self, to     Address
	pd           *verbs.PD
	sendCQ, recv *verbs.CQ
	qp           *verbs.QP
	ah           *verbs.AH // UD
	buf          *mem.Buffer
	mr           *verbs.MR
	send         *verbs.SendBatch
	rooms        map[uint64]room // by the ID of the receive
	posted       uint64          // receives so far: the ID of the last one
}

// room is the memory of a posted receive; of one of no bytes there is no region.
type room struct {
	data []byte
	mr   *verbs.MR
}

func (r room) free() error {
	if r.mr == nil {
		return nil
	}
	return r.mr.Close()
}

func (e *end) open(dev *verbs.Device, atomics bool) (err error) {
	types := map[Kind]verbs.QPType{RC: verbs.QPTypeRC, UC: verbs.QPTypeUC, UD: verbs.QPTypeUD}
	t, known := types[e.kind]
	if !known {
		return fmt.Errorf("no kind %q", e.kind)
	}
	if e.pd, err = dev.AllocPD(); err != nil {
		return err
	}
	if e.sendCQ, err = dev.CreateCQ(4, nil, 0); err != nil {
		return err
	}
	if e.recv, err = dev.CreateCQ(depth, nil, 0); err != nil {
		return err
	}
	if e.qp, err = e.pd.CreateQP(verbs.QPInitAttr{
		Type: t, SendCQ: e.sendCQ, RecvCQ: e.recv, MaxSendWR: 4, MaxRecvWR: depth, MaxSendSGE: 1,
		MaxRecvSGE: 1,
	}); err != nil {
		return err
	}
	if e.buf, err = mem.New(WindowSize + MaxData); err != nil {
		return err
	}
	access := verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead
	if atomics {
		access |= verbs.MRAccessRemoteAtomic
	}
	if e.mr, err = e.pd.RegMRFrom(e.buf, access); err != nil {
		return err
	}
	if e.send, err = verbs.NewSendBatch(1, 1); err != nil {
		return err
	}
	if err := e.port.Init(e.qp, e.kind, Access(e.kind, atomics)); err != nil {
		return err
	}
	e.self = e.port.Address(e.qp, e.kind)
	e.self.Base, e.self.RKey = uint64(e.mr.Addr()), e.mr.RKey()
	return nil
}

// Access is all that a queue pair of a kind can let its peer do, on a device with or without atomics.
func Access(kind Kind, atomics bool) verbs.QPAccess {
	access := verbs.QPAccessRemoteWrite
	if kind == RC {
		access |= verbs.QPAccessRemoteRead
	}
	if kind == RC && atomics {
		access |= verbs.QPAccessRemoteAtomic
	}
	return access
}

func (e *end) Address() Address { return e.self }

func (e *end) Connect(_ context.Context, to Address) (err error) {
	e.to = to
	if e.kind == UD {
		if e.ah, err = e.pd.CreateAH(e.port.Way(to)); err != nil {
			return err
		}
	}
	return e.port.Connect(e.qp, e.self, to)
}

// Close gives back what was made, also after a failure half way, and what Close of the maker has left.
func (e *end) Close() error {
	var errs []error
	note := func(err error) {
		if !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if e.pd != nil {
		note(e.pd.CloseAll())
	}
	for _, cq := range []*verbs.CQ{e.sendCQ, e.recv} {
		if cq != nil {
			note(cq.Close())
		}
	}
	if e.send != nil {
		note(e.send.Close())
	}
	if e.buf != nil {
		note(e.buf.Close())
	}
	return errors.Join(errs...)
}

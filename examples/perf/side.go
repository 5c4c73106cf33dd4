package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/mlx5dv/direct"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// side is one end of a test: what it sends lies in the first half of its memory, what comes in the second.
type side struct {
	*settings
	ctx    context.Context
	conn   net.Conn
	client bool
	qp     *verbs.QP
	cq     *verbs.CQ
	mr     *verbs.MR
	buf    *mem.Buffer // or dm
	dm     *verbs.DM
	half   uint64 // bytes of a half
	sends  *verbs.SendBatch
	recvs  *verbs.RecvBatch
	peer   hello
}

// hello is what a side says of itself. The test and its numbers must be equal.
type hello struct {
	Test        string
	Size, Iters int
	All         bool
	Addr        uint64 // of its memory
	Half        uint64
	RKey        uint32
}

// measure connects, runs the test for each size, and returns the results of the client; the server has none.
func measure(ctx context.Context, lib *verbs.Lib, conn net.Conn, s *settings) (all []result, err error) {
	dev, err := lib.OpenDevice(s.device)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	x := &side{settings: s, ctx: ctx, conn: conn, client: s.host != "", half: (uint64(s.size) + 4095) &^ 4095}
	defer func() { err = errors.Join(err, x.release()) }()
	if err := x.make(dev); err != nil {
		return nil, err
	}
	for _, size := range s.sizes() {
		r, err := x.one(size)
		if err != nil {
			return nil, fmt.Errorf("%s of %d bytes: %w", s.test, size, err)
		}
		if r != nil {
			all = append(all, *r)
		}
	}
	return all, nil
}

// make makes the objects and connects.
func (x *side) make(dev *verbs.Device) error {
	depth := uint32(x.txDepth)
	if x.latency() {
		depth = 2
	}
	pd, pdErr := dev.AllocPD()
	cq, cqErr := dev.CreateCQ(int(depth)+x.rxDepth+1, nil, 0)
	qp, qpErr := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: depth, MaxRecvWR: uint32(x.rxDepth),
		MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: uint32(x.inline)})
	sends, sendsErr := verbs.NewSendBatch(int(depth), 1)
	recvs, recvsErr := verbs.NewRecvBatch(x.rxDepth, 1)
	if err := errors.Join(pdErr, cqErr, qpErr, sendsErr, recvsErr, x.memory(dev, pd)); err != nil {
		return err
	}
	x.cq, x.qp, x.sends, x.recvs = cq, qp, sends, recvs
	if x.direct {
		if err := takeQueues(dev, qp, cq); err != nil {
			return err
		}
	}
	setup := connect.DefaultSetup()
	setup.PortNum = uint8(x.ibPort)
	setup.AccessFlags = verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead | verbs.QPAccessRemoteAtomic
	self, err := json.Marshal(hello{x.test, x.size, x.iters, x.all, x.mr.IOVA(), x.half, x.mr.RKey()})
	if err != nil {
		return err
	}
	peer, err := connect.RC(x.ctx, x.conn, qp, connect.Options{Setup: &setup, Data: self})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(peer.Data, &x.peer); err != nil {
		return fmt.Errorf("the peer is no perf: %w", err)
	}
	p := x.peer
	if p.Test != x.test || p.Size != x.size || p.Iters != x.iters || p.All != x.all {
		return fmt.Errorf("the peer runs %s -s %d -n %d, and this side %s -s %d -n %d", p.Test, p.Size, p.Iters, x.test, x.size, x.iters)
	}
	return nil
}

// takeQueues has Go write and read the queues in place of libmlx5.
func takeQueues(dev *verbs.Device, qp *verbs.QP, cq *verbs.CQ) error {
	dv, err := mlx5dv.Load(dev.Lib())
	if err != nil {
		return err
	}
	c, err := direct.TakeCQ(dv, cq)
	if err != nil {
		return err
	}
	_, err = direct.TakeQP(dv, qp, c, c, nil)
	return err
}

// memory allocates and registers both halves.
func (x *side) memory(dev *verbs.Device, pd *verbs.PD) (err error) {
	if x.useDM {
		if x.dm, err = dev.AllocDM(verbs.NewAllocDMAttr(2 * x.half)); err != nil {
			return err
		}
		x.mr, err = pd.RegDMMR(x.dm, 0, 2*x.half, verbs.DMAccessZeroBased|verbs.DMAccessLocalWrite|verbs.DMAccessRemoteRead|
			verbs.DMAccessRemoteWrite|verbs.DMAccessRemoteAtomic)
		return err
	}
	if x.buf, err = mem.New(2*x.half, mem.Populate()); err != nil {
		return err
	}
	x.mr, err = pd.RegMRFrom(x.buf, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteRead|verbs.MRAccessRemoteWrite|verbs.MRAccessRemoteAtomic)
	return err
}

// release gives up what is not below the device.
func (x *side) release() error {
	if x.mr != nil && x.buf != nil {
		return errors.Join(x.mr.Close(), x.buf.Close())
	}
	return nil
}

// one runs the test for one size. Both sides meet before and after.
func (x *side) one(size int) (*result, error) {
	begin := time.Now()
	end := begin.Add(x.timeout)
	if err := x.conn.SetDeadline(end); err != nil {
		return nil, err
	}
	if x.kind() == "send" {
		if err := x.postAll(size); err != nil {
			return nil, err
		}
	}
	if err := x.sync(); err != nil {
		return nil, err
	}
	var r *result
	var err error
	switch {
	case x.test == "write_lat":
		r, err = x.writeLat(size, end)
	case x.test == "send_lat":
		r, err = x.sendLat(size, end)
	case x.latency() && x.client:
		r, err = x.askLat(size, end)
	case x.test == "send_bw" && !x.client:
		err = x.receiveAll(end)
	case !x.latency() && x.client:
		r, err = x.bandwidth(size, end)
	}
	if err = errors.Join(err, x.sync()); err != nil || !x.client {
		return nil, err
	}
	return r, nil
}

// sync waits for the peer.
func (x *side) sync() error {
	steps := []func() error{
		func() error { _, err := x.conn.Write([]byte{1}); return err },
		func() error { _, err := io.ReadFull(x.conn, make([]byte, 1)); return err },
	}
	if !x.client {
		slices.Reverse(steps) // a pipe has no room
	}
	for _, step := range steps {
		if err := step(); errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
			return errors.New("the peer has given up")
		} else if err != nil {
			return err
		}
	}
	return nil
}

// poll waits for at least one completion, until end.
func (x *side) poll(wcs []verbs.WC, end time.Time) (int, error) {
	const tries = 1000
	for {
		n, err := x.cq.PollSpin(wcs, tries)
		if err != nil {
			return 0, err
		}
		for i := range wcs[:n] {
			if wcs[i].Status != 0 {
				return 0, wcs[i].Err()
			}
		}
		if n > 0 {
			return n, nil
		}
		if err := x.late(end); err != nil {
			return 0, err
		}
	}
}

// late returns an error when the time is over, or the program is to end.
func (x *side) late(end time.Time) error {
	if time.Now().After(end) {
		return fmt.Errorf("not done after %v: is the peer gone?", x.timeout)
	}
	return context.Cause(x.ctx)
}

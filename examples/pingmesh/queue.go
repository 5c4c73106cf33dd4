package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

const (
	recvDepth = 2048 // receives that wait for datagrams
	sendDepth = 1024 // datagrams under way
	batchSize = 128  // datagrams of one post
	received  = 1 << 32
)

// address is where datagrams to an agent go.
type address struct {
	gid  verbs.GID
	lid  uint16 // 0 on Ethernet
	qpn  uint32
	qkey uint32
}

// slot is a datagram under way, and the ID of its send. Its bytes are the part of the memory with the same number.
type slot struct {
	kind    kind
	seq     uint64
	peer    *peer    // of a probe
	session *session // of an acknowledgement
	arrived uint64   // of an acknowledgement: when the probe came
	posted  int64
}

// queues is the queue pair of an agent with its memory. The agent's lock guards it.
type queues struct {
	opts   *options
	pd     *verbs.PD
	cq     *verbs.CQ
	reader *verbs.CQReader
	qp     *verbs.QP
	clock  clock
	self   address
	gid    uint8 // index of self.gid

	in, out []byte // memory of receives, and of sends
	room    int    // bytes of each receive
	recvs   *verbs.RecvBatch
	sends   *verbs.SendBatch
	parts   []verbs.SGE // of out
	slots   []slot
	free    []uint32 // slots
	waiting []uint32 // slots of the first requests of sends, which are not posted yet
}

// newQueues makes a queue pair that is ready to send and to receive. What was made is closed with the device.
func newQueues(dev *verbs.Device, o *options) (q *queues, err error) {
	q = &queues{opts: o}
	port, err := dev.QueryPort(o.port)
	if err != nil {
		return nil, err
	}
	if o.size > port.ActiveMTU.Bytes() {
		return nil, fmt.Errorf("a probe of %d bytes; the MTU of the port is %d", o.size, port.ActiveMTU.Bytes())
	}
	if q.gid, q.self.gid, err = chooseGID(dev, o); err != nil {
		return nil, err
	}
	caps, err := dev.QueryDevice()
	if err != nil {
		return nil, err
	}
	most := max(1, min(caps.MaxQPWR, caps.MaxCQE/2))
	recvs, sends := min(recvDepth, most), min(sendDepth, most)
	ch, err := dev.CreateCompChannel()
	if err != nil {
		return nil, err
	}
	if q.cq, q.clock, err = newCQ(dev, ch, uint32(recvs+sends)); err != nil {
		return nil, err
	}
	if q.reader, err = q.cq.Reader(q.clock.fields()); err != nil {
		return nil, err
	}
	if q.pd, err = dev.AllocPD(); err != nil {
		return nil, err
	}
	q.self.lid, q.self.qkey = port.LID, rand.Uint32()&^(1<<31) // with the highest bit it would be a privileged one
	attr := verbs.QPInitAttr{
		Type: verbs.QPTypeUD, SendCQ: q.cq, RecvCQ: q.cq, MaxSendWR: uint32(sends), MaxSendSGE: 1,
		MaxRecvWR: uint32(recvs), MaxRecvSGE: 1,
	}
	if q.qp, err = q.pd.CreateQP(attr); err != nil {
		return nil, err
	}
	q.self.qpn = q.qp.Num()
	if err := (verbs.UDSetup{PortNum: o.port, QKey: q.self.qkey}).ToRTS(q.qp); err != nil {
		return nil, err
	}
	return q, errors.Join(q.prepareSends(sends), q.prepareRecvs(recvs, port.ActiveMTU.Bytes()))
}

// chooseGID returns the entry of the GID table that the options name, or the best one.
func chooseGID(dev *verbs.Device, o *options) (uint8, verbs.GID, error) {
	if o.gid < 0 {
		e, err := dev.ChooseGID(o.port)
		return uint8(e.GIDIndex), e.GID, err
	}
	gid, err := dev.QueryGID(o.port, o.gid)
	if err == nil && gid == (verbs.GID{}) {
		err = fmt.Errorf("entry %d of the GID table is empty", o.gid)
	}
	return uint8(o.gid), gid, err
}

func (q *queues) prepareSends(n int) error {
	q.out = make([]byte, n*q.opts.size)
	mr, err := q.pd.RegMR(q.out, verbs.MRAccessLocalWrite)
	if err != nil {
		return err
	}
	q.slots, q.free, q.parts = make([]slot, n), make([]uint32, n), make([]verbs.SGE, n)
	for i := range n {
		q.free[i] = uint32(i)
		if q.parts[i], err = mr.SGE(uint64(i*q.opts.size), uint64(q.opts.size)); err != nil {
			return err
		}
	}
	q.waiting = make([]uint32, 0, min(n, batchSize))
	q.sends, err = verbs.NewSendBatch(cap(q.waiting), 1)
	return err
}

// prepareRecvs posts the receives. Receive i has the ID received+i and writes to the i-th part of the memory.
func (q *queues) prepareRecvs(n, mtu int) error {
	q.room = verbs.GRHSize + mtu
	q.in = make([]byte, n*q.room)
	mr, err := q.pd.RegMR(q.in, verbs.MRAccessLocalWrite)
	if err != nil {
		return err
	}
	if q.recvs, err = verbs.NewRecvBatch(n, 1); err != nil {
		return err
	}
	for i := range n {
		part, err := mr.SGE(uint64(i*q.room), uint64(q.room))
		if err != nil {
			return err
		}
		q.recvs.WR(i).Recv(received + uint64(i)).Add(part)
	}
	_, err = q.qp.PostRecv(q.recvs, n)
	return err
}

// add prepares a datagram, which flush posts. It returns false if too many are under way.
func (q *queues) add(s slot, p packet, size int, ah *verbs.AH, to *address) (bool, error) {
	if len(q.free) == 0 {
		return false, nil
	}
	if len(q.waiting) == cap(q.waiting) {
		if err := q.flush(); err != nil {
			return false, err
		}
	}
	i := q.free[len(q.free)-1]
	p.clock = q.clock.kind
	p.put(q.out[int(i)*q.opts.size:])
	part := q.parts[i]
	part.Length = uint32(size)
	wr := q.sends.WR(len(q.waiting)).Send(uint64(i)).Add(part).Flags(verbs.SendSignaled)
	if err := ah.Address(wr, to.qpn, to.qkey); err != nil {
		return false, err
	}
	q.free = q.free[:len(q.free)-1]
	q.slots[i] = s
	q.waiting = append(q.waiting, i)
	return true, nil
}

// flush posts what was added.
func (q *queues) flush() error {
	n := len(q.waiting)
	if n == 0 {
		return nil
	}
	posted := now()
	for _, i := range q.waiting {
		q.slots[i].posted = posted
	}
	q.waiting = q.waiting[:0]
	_, err := q.qp.PostSend(q.sends, n)
	return err
}

// repost posts receives again, of which the IDs are given. They come in the order in which they were posted, so that a few
// ranges have them all.
func (q *queues) repost(ids []uint64) error {
	for len(ids) > 0 {
		n := 1
		for n < len(ids) && ids[n] == ids[n-1]+1 {
			n++
		}
		if _, err := q.qp.PostRecvRange(q.recvs.From(int(ids[0]-received), n)); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// data is what a datagram brought to a receive.
func (q *queues) data(wc *verbs.WCEx) []byte {
	part := q.in[int(wc.ID-received)*q.room:][:q.room]
	return part[verbs.GRHSize:max(verbs.GRHSize, min(int(wc.ByteLen), q.room))]
}

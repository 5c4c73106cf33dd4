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

// route is the way to another agent.
type route struct {
	ah        *verbs.AH // nil: there is none any more
	qpn, qkey uint32
	number    uint32 // that the other agent gave to this one
}

// slot is a datagram under way. Its bytes are the part of the memory with the same number.
type slot struct {
	packet
	via     *route
	peer    *peer  // of a probe
	arrived uint64 // of an acknowledgement: when the probe came
	posted  int64
}

// queues is the queue pair of an agent with its memory. The agent's lock guards it. Sends and receives complete in the order in which
// they were posted, so that slots and receives are used in turn.
type queues struct {
	pd     *verbs.PD
	cq     *verbs.CQ
	reader *verbs.CQReader
	qp     *verbs.QP
	clock  clock
	gid    verbs.GID

	in, out []byte // memory of receives, and of sends
	room    int    // bytes of each receive
	size    int    // bytes of each send
	outMR   *verbs.MR
	recvs   *verbs.RecvBatch
	sends   *verbs.SendBatch
	slots   []slot
	oldest  int // receive that was posted before the others

	added, posted, done int // sends
}

// newQueues makes a queue pair that is ready to send and to receive. What was made is closed with the device.
func newQueues(dev *verbs.Device, o *options) (q *queues, err error) {
	q = &queues{size: o.size}
	port, err := dev.QueryPort(uint8(o.port))
	if err != nil {
		return nil, err
	}
	mtu := port.ActiveMTU.Bytes()
	if o.size > mtu {
		return nil, fmt.Errorf("a probe of %d bytes; the MTU of the port is %d", o.size, mtu)
	}
	if q.gid, err = chooseGID(dev, o); err != nil {
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
	attr := verbs.QPInitAttr{
		Type: verbs.QPTypeUD, SendCQ: q.cq, RecvCQ: q.cq, MaxSendWR: uint32(sends), MaxSendSGE: 1,
		MaxRecvWR: uint32(recvs), MaxRecvSGE: 1,
	}
	if q.qp, err = q.pd.CreateQP(attr); err != nil {
		return nil, err
	}
	key := rand.Uint32N(1 << 31) // with the highest bit it would be a privileged one
	if err := (verbs.UDSetup{PortNum: uint8(o.port), QKey: key}).ToRTS(q.qp); err != nil {
		return nil, err
	}
	return q, q.prepare(sends, recvs, mtu)
}

// chooseGID returns the entry of the GID table that the options name, or the best one.
func chooseGID(dev *verbs.Device, o *options) (verbs.GID, error) {
	if o.gid < 0 {
		e, err := dev.ChooseGID(uint8(o.port))
		return e.GID, err
	}
	gid, err := dev.QueryGID(uint8(o.port), o.gid)
	if err == nil && gid == (verbs.GID{}) {
		err = fmt.Errorf("entry %d of the GID table is empty", o.gid)
	}
	return gid, err
}

// prepare makes the memory, and posts the receives. Receive i has the ID received+i and writes to the i-th part of its memory.
func (q *queues) prepare(sends, recvs, mtu int) error {
	q.room, q.slots = verbs.GRHSize+mtu, make([]slot, sends)
	q.in, q.out = make([]byte, recvs*q.room), make([]byte, sends*q.size)
	inMR, inErr := q.pd.RegMR(q.in, verbs.MRAccessLocalWrite)
	outMR, outErr := q.pd.RegMR(q.out, verbs.MRAccessLocalWrite)
	sendBatch, sendErr := verbs.NewSendBatch(min(sends, batchSize), 1)
	recvBatch, recvErr := verbs.NewRecvBatch(recvs, 1)
	if err := errors.Join(inErr, outErr, sendErr, recvErr); err != nil {
		return err
	}
	q.outMR, q.sends, q.recvs = outMR, sendBatch, recvBatch
	for i, wr := range q.recvs.All() {
		wr.Recv(received + uint64(i)).Add(inMR.UncheckedSGE(uint64(i*q.room), uint32(q.room)))
	}
	_, err := q.qp.PostRecv(q.recvs, recvs)
	return err
}

// add prepares a datagram, which flush posts. It returns false if too many are under way.
func (q *queues) add(s slot, size int) (bool, error) {
	if q.added-q.done == len(q.slots) {
		return false, nil
	}
	if q.added-q.posted == q.sends.Len() {
		if err := q.flush(); err != nil {
			return false, err
		}
	}
	i := q.added % len(q.slots)
	s.Clock, s.Number = q.clock.kind, s.via.number
	s.put(q.out[i*q.size:])
	wr := q.sends.WR(q.added - q.posted).Send(uint64(i)).Flags(verbs.SendSignaled)
	wr.Add(q.outMR.UncheckedSGE(uint64(i*q.size), uint32(size)))
	if err := s.via.ah.Address(wr, s.via.qpn, s.via.qkey); err != nil {
		return false, err
	}
	q.slots[i] = s
	q.added++
	return true, nil
}

// flush posts what was added.
func (q *queues) flush() error {
	n, posted := q.added-q.posted, now()
	if n == 0 {
		return nil
	}
	for ; q.posted < q.added; q.posted++ {
		q.slots[q.posted%len(q.slots)].posted = posted
	}
	_, err := q.qp.PostSend(q.sends, n)
	return err
}

// repost posts the n oldest receives again.
func (q *queues) repost(n int) error {
	for n > 0 {
		count := min(n, q.recvs.Len()-q.oldest)
		if _, err := q.qp.PostRecvRange(q.recvs.From(q.oldest, count)); err != nil {
			return err
		}
		q.oldest, n = (q.oldest+count)%q.recvs.Len(), n-count
	}
	return nil
}

// data is what a datagram brought to a receive.
func (q *queues) data(wc *verbs.WCEx) []byte {
	part := q.in[int(wc.ID-received)*q.room:][:q.room]
	return part[verbs.GRHSize:max(verbs.GRHSize, min(int(wc.ByteLen), q.room))]
}

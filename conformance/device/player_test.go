//go:build linux && cgo

package device

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// kind is one kind of ping-pong: what its queue pairs are, and what its program does that the others do not.
type kind struct {
	program string
	queue   verbs.QPType
	queues  int  // queue pairs of a side; several have a shared receive queue
	told    int  // addresses that a side tells the other; those after its queue pairs are zeros
	fill    byte // what the memory of the program holds when it begins
}

// Of a datagram: the key that the programs agree on, and the bytes in front of a received message.
const (
	datagramKey = 0x11111111
	headerSize  = verbs.GRHSize
)

// Ids of sends, and the greatest number of a receive.
const (
	sendID   = 1 << 32
	receives = 56 // more than the program sends at once
)

var unwritten = []byte{0xe7} // fills the place of a message before it comes

// player is our side of a game.
type player struct {
	kind
	size, iters int
	events      bool
	expect      []byte // each message that comes

	ch    *verbs.CompChannel
	cq    *verbs.CQ
	pd    *verbs.PD
	mr    *verbs.MR
	srq   *verbs.SRQ
	qps   []*verbs.QP
	ah    *verbs.AH
	buf   []byte // what goes, for each queue pair, then a place for each receive
	sends *verbs.SendBatch
	recvs *verbs.RecvBatch

	dev        *verbs.Device
	self, peer []address
	client     bool
}

// address is what a side tells its peer of a queue pair.
type address struct {
	LID      uint16
	QPN, PSN uint32
	GID      verbs.GID
}

// String is the address as the programs print it.
func (a address) String() string {
	return fmt.Sprintf("LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", a.LID, a.QPN, a.PSN, a.GID)
}

// head is the number of bytes in front of a received message.
func (p *player) head() int {
	if p.queue == verbs.QPTypeUD {
		return headerSize
	}
	return 0
}

// out is where the message lies that queue pair i sends.
func (p *player) out(i int) (offset, length int) { return i * p.size, p.size }

// in is the memory of receive i, the header included.
func (p *player) in(i int) (offset, length int) {
	length = p.head() + p.size
	return p.queues*p.size + i*length, length
}

// open makes the queue pairs, with receives posted. What it makes is closed with the domain and by close, also after an error.
func (p *player) open(dev *verbs.Device) (err error) {
	p.dev = dev
	p.buf = bytes.Repeat(pattern(p.size), p.queues)
	p.buf = append(p.buf, make([]byte, receives*(p.head()+p.size))...)
	if p.pd, err = dev.AllocPD(); err != nil {
		return err
	}
	if p.mr, err = p.pd.RegMR(p.buf, verbs.MRAccessLocalWrite); err != nil {
		return err
	}
	if p.events {
		if p.ch, err = dev.CreateCompChannel(); err != nil {
			return err
		}
	}
	if p.cq, err = dev.CreateCQ(receives+p.queues, p.ch, 0); err != nil {
		return err
	}
	if p.events {
		if err := p.cq.ReqNotify(false); err != nil {
			return err
		}
	}
	if p.sends, err = verbs.NewSendBatch(p.queues, 1); err != nil {
		return err
	}
	if p.recvs, err = verbs.NewRecvBatch(receives, 1); err != nil {
		return err
	}
	if err := p.makeQueues(); err != nil {
		return err
	}
	for i := range receives {
		if err := p.receive(i); err != nil {
			return err
		}
	}
	return nil
}

// makeQueues makes the queue pairs, and the shared receive queue of several, with their addresses.
func (p *player) makeQueues() (err error) {
	if p.queues > 1 {
		if p.srq, err = p.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: receives, MaxSGE: 1}); err != nil {
			return err
		}
	}
	port, err := p.dev.QueryPort(1)
	if err != nil {
		return err
	}
	gid, err := p.dev.QueryGID(1, 0)
	if err != nil {
		return err
	}
	p.self = make([]address, p.told)
	for i := range p.queues {
		attr := verbs.QPInitAttr{Type: p.queue, SendCQ: p.cq, RecvCQ: p.cq, MaxSendWR: 1, MaxSendSGE: 1}
		if p.srq != nil {
			attr.SRQ = p.srq
		} else {
			attr.MaxRecvWR, attr.MaxRecvSGE = receives, 1
		}
		qp, err := p.pd.CreateQP(attr)
		if err != nil {
			return err
		}
		if err := qp.Modify(p.steps(verbs.AHAttr{}, address{}, 0).Init()); err != nil {
			return err
		}
		p.qps = append(p.qps, qp)
		p.self[i] = address{LID: port.LID, QPN: qp.Num(), PSN: rand.Uint32N(1 << 24), GID: gid}
	}
	return nil
}

// receive posts the receive of a number.
func (p *player) receive(i int) error {
	at, n := p.in(i)
	copy(p.buf[at:], bytes.Repeat(unwritten, n))
	w, err := p.mr.SGE(uint64(at), uint64(n))
	if err != nil {
		return err
	}
	p.recvs.WR(0).Recv(uint64(i)).Add(w)
	if p.srq != nil {
		_, err = p.srq.PostRecv(p.recvs, 1)
	} else {
		_, err = p.qps[0].PostRecv(p.recvs, 1)
	}
	return err
}

// steps are those of a queue pair of the game. A way is for connections only.
func (p *player) steps(way verbs.AHAttr, peer address, psn uint32) far.Steps {
	switch p.queue {
	case verbs.QPTypeUD:
		return verbs.UDSetup{PortNum: 1, QKey: datagramKey, SQPSN: psn}
	case verbs.QPTypeUC:
		return verbs.UCSetup{PortNum: 1, AV: way, PathMTU: verbs.MTU1024, DestQPNum: peer.QPN, RQPSN: peer.PSN, SQPSN: psn}
	}
	return verbs.RCSetup{
		PortNum: 1, AV: way, PathMTU: verbs.MTU1024, DestQPNum: peer.QPN, RQPSN: peer.PSN, SQPSN: psn,
		MaxDestRDAtomic: 1, MaxRDAtomic: 1, MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
	}
}

// connect brings the queue pairs to the state in which they send to the peer's.
func (p *player) connect() error {
	for i, qp := range p.qps {
		way := verbs.AHAttr{PortNum: 1, DLID: p.peer[i].LID, IsGlobal: true, DGID: p.peer[i].GID, HopLimit: 64}
		if p.queue == verbs.QPTypeUD {
			var err error
			if p.ah, err = p.pd.CreateAH(way); err != nil {
				return err
			}
		}
		steps := p.steps(way, p.peer[i], p.self[i].PSN)
		if err := errors.Join(qp.Modify(steps.RTR()), qp.Modify(steps.RTS())); err != nil {
			return fmt.Errorf("connecting queue pair %d to %v: %w", i, p.peer[i], err)
		}
	}
	return nil
}

// send posts a send of a queue pair.
func (p *player) send(i int) error {
	at, n := p.out(i)
	from, err := p.mr.SGE(uint64(at), uint64(n))
	if err != nil {
		return err
	}
	w := p.sends.WR(i).Send(sendID).Add(from).Flags(verbs.SendSignaled)
	if p.ah != nil {
		if err := p.ah.Address(w, p.peer[i].QPN, datagramKey); err != nil {
			return err
		}
	}
	_, err = p.qps[i].PostSendRange(p.sends.From(i, 1))
	return err
}

// Of a queue pair, what must complete before it sends again.
const (
	mySend = 1 << iota
	itsMessage
)

// play sends and receives until as many went and came as agreed, by all queue pairs together.
func (p *player) play(ctx context.Context) error {
	waits := make([]int, p.queues)
	number := map[uint32]int{} // of a queue pair
	for i, qp := range p.qps {
		number[qp.Num()], waits[i] = i, itsMessage
		if p.client {
			waits[i] |= mySend
			if err := p.send(i); err != nil {
				return err
			}
		}
	}
	went, came := 0, 0
	wcs := make([]verbs.WC, 8)
	for came < p.iters || went < p.iters {
		n, err := p.wait(ctx, wcs)
		if err != nil {
			return fmt.Errorf("%d messages sent and %d received of %d: %w", went, came, p.iters, err)
		}
		for _, wc := range wcs[:n] {
			i, known := number[wc.QPNum]
			if wc.Status != 0 || !known {
				return fmt.Errorf("after %d messages sent and %d received of %d: %+v: %w", went, came, p.iters, wc, wc.Err())
			}
			if wc.ID == sendID {
				went++
				waits[i] &^= mySend
			} else {
				came++
				waits[i] &^= itsMessage
				if err := p.took(i, wc); err != nil {
					return fmt.Errorf("message %d: %w", came, err)
				}
			}
			if waits[i] == 0 && went < p.iters {
				waits[i] = mySend | itsMessage
				if err := p.send(i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// took compares a message, keeps it as the next to send, and posts its receive again.
func (p *player) took(i int, wc verbs.WC) error {
	at, n := p.in(int(wc.ID))
	got := p.buf[at:][:n][p.head():]
	if int(wc.ByteLen) != n || !bytes.Equal(got, p.expect) {
		return fmt.Errorf("%d bytes that begin with %x, want %d with %x behind a header of %d", wc.ByteLen, got[:min(8, len(got))], n,
			p.expect[:min(8, n)], p.head())
	}
	at, n = p.out(i)
	copy(p.buf[at:][:n], got)
	return p.receive(int(wc.ID))
}

// wait returns the next completions, at least one.
func (p *player) wait(ctx context.Context, wcs []verbs.WC) (int, error) {
	for {
		if n, err := p.cq.PollSpin(wcs, 1000); n > 0 || err != nil {
			return n, err
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if !p.events {
			continue
		}
		ev, err := p.ch.Next(ctx)
		if err != nil {
			return 0, err
		}
		ev.Done()
		if err := p.cq.ReqNotify(false); err != nil {
			return 0, err
		}
	}
}

// meet sends the peer our addresses and takes its own. A server connects before it answers, a client before it confirms.
func (p *player) meet(conn net.Conn) error {
	tell := func() error {
		for _, a := range p.self {
			if _, err := fmt.Fprintf(conn, "%04x:%06x:%06x:%x\x00", a.LID, a.QPN, a.PSN, a.GID[:]); err != nil {
				return err
			}
		}
		return nil
	}
	if p.client {
		if err := tell(); err != nil {
			return err
		}
	}
	p.peer = make([]address, p.told)
	for i := range p.peer {
		a := &p.peer[i]
		line := make([]byte, len("0000:000000:000000:")+2*len(a.GID)+1)
		if _, err := io.ReadFull(conn, line); err != nil {
			return fmt.Errorf("address %d of the peer: %w", i, err)
		}
		var gid []byte
		if _, err := fmt.Sscanf(string(line), "%x:%x:%x:%x", &a.LID, &a.QPN, &a.PSN, &gid); err != nil || copy(a.GID[:], gid) != len(a.GID) {
			return fmt.Errorf("address %d of the peer is %q: %v", i, line, err)
		}
	}
	if err := p.connect(); err != nil {
		return err
	}
	const done = "done\x00"
	if p.client {
		_, err := io.WriteString(conn, done)
		return err
	}
	if err := tell(); err != nil {
		return err
	}
	said := make([]byte, len(done))
	if _, err := io.ReadFull(conn, said); err != nil || string(said) != done {
		return fmt.Errorf("the client confirms with %q: %v", said, err)
	}
	return nil
}

// close closes what open made.
func (p *player) close() error {
	var errs []error
	if p.pd != nil {
		errs = append(errs, p.pd.CloseAll())
	}
	if p.cq != nil {
		errs = append(errs, p.cq.Close())
	}
	if p.ch != nil {
		errs = append(errs, p.ch.Close())
	}
	if p.sends != nil {
		errs = append(errs, p.sends.Close())
	}
	if p.recvs != nil {
		errs = append(errs, p.recvs.Close())
	}
	return errors.Join(errs...)
}

// pattern is a message of our own.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + 1)
	}
	return b
}

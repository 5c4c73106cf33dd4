//go:build linux && cgo

package soak

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// link is a connection of two queue pairs, which several goroutines use at a time, each in a lane of its memory.
type link struct {
	typ   verbs.QPType
	a, b  *side // an extended reliable connection goes from a to b only
	lanes chan int
	users sync.RWMutex // held by who uses it; its Close waits for them

	broken atomic.Bool // a request failed, or is about to: what follows may fail
	ended  atomic.Bool // something of it is closed
}

// gone reports whether requests may fail without a fault.
func (l *link) gone() bool {
	return l.broken.Load() || l.ended.Load() || l.a.hub.isClosed.Load() || l.b.hub.isClosed.Load()
}

// away reports whether requests may never complete.
func (l *link) away() bool {
	return l.ended.Load() || l.a.hub.isClosed.Load() || l.b.hub.isClosed.Load()
}

// side is one end of a connection.
type side struct {
	hub        *hub
	pd         *verbs.PD
	own        bool // the domain is its own
	qp         *verbs.QP
	num        uint32
	stream     *verbs.QPStream // of an extended queue pair
	send, recv *queue
	basin      *basin
	deep       bool // the basin is its own
	mem        *memory
	ah         *verbs.AH // to the other side
	srqn       uint32    // of the shared queue that its peer names
}

const (
	lanes    = 4
	slots    = 8    // requests of a lane
	dataSize = 1536 // more than a packet
	inline   = 64
	depth    = 64 // of a queue pair's own queue
	qkey     = 0x11111111

	// of a lane: sources, targets, results of atomics, and the word that they change
	laneSize = slots*2*dataSize + slots*8 + 64
	sends    = verbs.QPOpSend | verbs.QPOpSendWithImm | verbs.QPOpRDMAWrite | verbs.QPOpRDMAWriteWithImm | verbs.QPOpRDMARead |
		verbs.QPOpAtomicCmpAndSwp | verbs.QPOpAtomicFetchAndAdd
)

func source(lane, slot int) int  { return lane*laneSize + slot*dataSize }
func target(lane, slot int) int  { return source(lane, slots+slot) }
func fetched(lane, slot int) int { return source(lane, 2*slots) + 8*slot }
func counter(lane int) int       { return fetched(lane, slots) }

// newLink connects two queue pairs, on one device or between two.
func (w *worker) newLink() {
	x, y := w.hub(w.soak.slots[w.rng.IntN(len(w.soak.slots))]), w.hub(w.soak.slots[w.rng.IntN(len(w.soak.slots))])
	if x == nil || y == nil {
		return
	}
	l := &link{typ: []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD, verbs.QPTypeXRCSend}[w.rng.IntN(5)],
		lanes: make(chan int, lanes)}
	if l.typ == verbs.QPTypeXRCSend && y.xrc == nil {
		l.typ = verbs.QPTypeRC
	}
	for i := range lanes {
		l.lanes <- i
	}
	l.a, l.b = &side{hub: x}, &side{hub: y}
	err := l.a.make(w, l, l.typ)
	if err == nil && l.typ == verbs.QPTypeXRCSend {
		err = l.b.makeXRC(l)
	} else if err == nil {
		err = l.b.make(w, l, l.typ)
	}
	if err == nil {
		err = errors.Join(l.a.connect(l.b, l.typ), l.b.connect(l.a, l.typ))
	}
	if !w.soak.ok("a new connection", err) {
		l.broken.Store(true)
		w.cleanUp(l)
		return
	}
	w.soak.counts.links.Add(1)
	w.soak.links.put(l)
}

// make makes a queue pair with what it needs, each part its own or shared.
func (s *side) make(w *worker, l *link, typ verbs.QPType) (err error) {
	if s.pd, s.own = s.hub.pd, w.rng.IntN(2) == 0; s.own {
		if s.pd, err = s.hub.dev.AllocPD(); err != nil {
			s.pd = nil
			return err
		}
	}
	s.send, s.recv = s.hub.queues[w.rng.IntN(sharedQueues)], s.hub.queues[w.rng.IntN(sharedQueues)]
	chunks := 0
	if s.deep = s.own || w.rng.IntN(2) == 0; s.deep { // a shared queue takes queue pairs of its domain
		chunks = depth
	}
	if s.mem, err = w.soak.newMemory(w.rng, s.pd, lanes*laneSize+chunks*chunkSize); err != nil {
		s.mem = nil
		return err
	}
	if err = s.makeQP(w, typ); err != nil {
		return err
	}
	note(s.qp)
	s.num = s.qp.Num()
	s.hub.links.Store(s.num, l)
	if s.basin = s.hub.shared; s.deep {
		s.basin = newBasin(w.soak, s.mem, depth, s.hub.explains, s.qp.PostRecv)
		for i := range s.basin.chunks {
			s.basin.chunks[i] += (lanes*laneSize + chunkSize - 1) / chunkSize
		}
		s.basin.chunks = s.basin.chunks[:depth-1] // what the rounding takes
	}
	return nil
}

func (s *side) makeQP(w *worker, typ verbs.QPType) (err error) {
	var srq *verbs.SRQ
	recvs := uint32(depth)
	if !s.deep {
		srq, recvs = s.hub.srq, 0
	}
	all := w.rng.IntN(8) == 0
	if typ != verbs.QPTypeXRCSend && w.rng.IntN(2) == 0 {
		s.qp, err = s.pd.CreateQP(verbs.QPInitAttr{Type: typ, SendCQ: s.send.cq, RecvCQ: s.recv.cq, SRQ: srq, MaxSendWR: depth, MaxRecvWR: recvs,
			MaxSendSGE: 2, MaxRecvSGE: min(recvs, 1), MaxInlineData: inline})
		return err
	}
	recv, ops := s.recv.cq, sends
	switch typ {
	case verbs.QPTypeXRCSend:
		recv, recvs, srq = nil, 0, nil
	case verbs.QPTypeUC:
		ops &^= verbs.QPOpRDMARead | verbs.QPOpAtomicCmpAndSwp | verbs.QPOpAtomicFetchAndAdd
	case verbs.QPTypeUD:
		ops = verbs.QPOpSend | verbs.QPOpSendWithImm
	}
	attr := verbs.NewQPInitAttrEx(typ, s.send.cq, recv, s.pd).MaxSendWR(depth).MaxSendSGE(2).MaxInlineData(inline)
	if srq != nil {
		attr.SRQ(srq)
	} else if recvs > 0 {
		attr.MaxRecvWR(recvs).MaxRecvSGE(1)
	}
	if !all {
		attr.SendOps(ops)
	}
	if s.qp, err = s.hub.dev.CreateQPEx(attr); err != nil || all {
		return err
	}
	s.stream, err = s.qp.Stream()
	return err
}

// makeXRC makes the receiving queue pair of an extended reliable connection.
func (s *side) makeXRC(l *link) (err error) {
	s.qp, err = s.hub.dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(s.hub.xrcd))
	if err != nil {
		return err
	}
	s.num, s.pd, s.basin, s.recv, s.srqn = s.qp.Num(), s.hub.pd, s.hub.xrc, s.hub.queues[0], s.hub.xrcNum
	s.hub.links.Store(s.num, l)
	return nil
}

// connect brings the queue pair to RTS.
func (s *side) connect(to *side, typ verbs.QPType) error {
	way := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: to.hub.gid, HopLimit: 64}
	const access = verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead | verbs.QPAccessRemoteAtomic
	const timeout, again = 12, 5
	var setup far.Steps
	switch {
	case typ == verbs.QPTypeUD:
		ah, err := s.pd.CreateAH(way)
		if err != nil {
			return err
		}
		s.ah, setup = ah, verbs.UDSetup{PortNum: 1, QKey: qkey}
	case typ == verbs.QPTypeUC:
		setup = verbs.UCSetup{PortNum: 1, AccessFlags: access, AV: way, PathMTU: verbs.MTU1024, DestQPNum: to.num}
	case typ == verbs.QPTypeXRCSend && s.srqn == 0:
		setup = verbs.XRCSendSetup{PortNum: 1, AV: way, PathMTU: verbs.MTU1024, DestQPNum: to.num, Timeout: timeout, RetryCnt: again,
			RNRRetry: again, MaxRDAtomic: 1}
	case typ == verbs.QPTypeXRCSend:
		setup = verbs.XRCRecvSetup{PortNum: 1, AV: way, PathMTU: verbs.MTU1024, DestQPNum: to.num, MaxDestRDAtomic: 1, MinRNRTimer: 12,
			Timeout: timeout}
	default:
		setup = verbs.RCSetup{PortNum: 1, AccessFlags: access, AV: way, PathMTU: verbs.MTU1024, DestQPNum: to.num, MaxDestRDAtomic: 4,
			MaxRDAtomic: 4, MinRNRTimer: 12, Timeout: timeout, RetryCnt: again, RNRRetry: again}
	}
	for _, attr := range []*verbs.QPAttr{setup.Init(), setup.RTR(), setup.RTS()} {
		if err := s.qp.Modify(attr); err != nil {
			return err
		}
	}
	return nil
}

// closeLink closes a connection that nobody uses, after every request of it has completed.
func (w *worker) closeLink(l *link) {
	l.users.Lock()
	if !l.away() {
		l.broken.Store(true)
		w.drain(l)
	}
	l.users.Unlock()
	w.cleanUp(l)
	w.soak.counts.closed.Add(1)
}

// drain flushes both queue pairs, and waits for the completions of the receives of their own.
func (w *worker) drain(l *link) {
	for _, s := range []*side{l.a, l.b} {
		if err := s.qp.Modify(verbs.NewQPAttr(verbs.QPStateErr)); !w.soak.ok("Modify to ERR", err) {
			return
		}
	}
	var queues []*queue
	for _, s := range []*side{l.a, l.b} {
		if s.deep {
			queues = append(queues, s.recv)
		}
	}
	left := func() (n int64) {
		for _, s := range []*side{l.a, l.b} {
			if s.deep {
				n += s.basin.out.Load()
			}
		}
		return n
	}
	if w.poll(l, queues, func() bool { return left() == 0 }) == missing {
		w.soak.counts.lost.Add(left())
	}
}

// closeUnder closes some of a connection while others use it.
func (w *worker) closeUnder(l *link) {
	l.ended.Store(true)
	s := []*side{l.a, l.b}[w.rng.IntN(2)]
	switch w.rng.IntN(4) {
	case 0:
		if s.own {
			w.soak.ok("CloseAll of a domain", s.pd.CloseAll())
			break
		}
		fallthrough
	case 1:
		if s.mem != nil && s.mem.buf == nil {
			w.soak.ok("Close of a region", s.mem.mr.Close())
			break
		}
		fallthrough
	default:
		w.soak.ok("Close of a queue pair", s.qp.Close())
	}
	w.cleanUp(l)
	w.soak.counts.closed.Add(1)
	w.soak.counts.abrupt.Add(1)
}

// cleanUp closes what a connection still has, when nobody uses it any more.
func (w *worker) cleanUp(l *link) {
	l.ended.Store(true)
	l.users.Lock()
	defer l.users.Unlock()
	for _, s := range []*side{l.a, l.b} {
		if s.qp != nil {
			w.soak.shut(s.qp)
		}
		if s.ah != nil {
			w.soak.shut(s.ah)
		}
		if s.mem != nil {
			s.mem.close(w.soak)
		}
		if s.own && s.pd != nil {
			w.soak.shut(s.pd)
		}
	}
}

// What became of waiting.
type ending int

const (
	done ending = iota
	away        // something was closed, so what is waited for may never come
	missing
)

// poll settles completions of some queues until ready, or it makes no sense to wait.
func (w *worker) poll(l *link, queues []*queue, ready func() bool) ending {
	patience := time.Minute
	if w.soak.faults {
		patience = 4 * time.Second
	}
	begin := time.Now()
	for polls := 0; !ready(); polls++ {
		n := 0
		for _, q := range queues {
			got, err := q.poll(w)
			n += got
			w.soak.ok("a poll", err)
		}
		if l.away() {
			return away
		}
		if n > 0 {
			continue
		}
		if time.Since(begin) > patience && polls > 1000 { // on a busy machine a goroutine may wait for its turn
			l.broken.Store(true)
			if !w.soak.faults {
				w.soak.problem("completions do not come within %v", patience)
			}
			return missing
		}
		w.pause()
	}
	return done
}

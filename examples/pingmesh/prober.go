package main

import (
	"context"
	"time"
)

const maxWindow = 64 // probes to one peer that may wait for their acknowledgements

// What is known of a probe.
const (
	hasLeft = 1 << iota
	hasAck1
	hasAck2
	complete = hasLeft | hasAck1 | hasAck2
)

// probe is a probe that waits, or has waited, for its acknowledgements.
type probe struct {
	seq     uint64
	has     uint8
	expired bool
	stamps
}

func (p *probe) open() bool { return p.has != complete && !p.expired }

// peer is an agent that this one probes.
type peer struct {
	name   string // its TCP address
	number uint32 // its index in peers, by which its acknowledgements name it

	via   *route    // nil until it was met
	clock clockKind // of the responder
	self  bool      // it is this agent
	err   error     // of the last attempt to meet it

	timeout     int64
	window      []probe // probe seq is at seq modulo the length
	first, next uint64  // the probes from first to next may be open
	counts
	samples samples
}

// counts are counters of a peer.
type counts struct {
	Sent      uint64 `json:"sent"`      // probes
	Answered  uint64 `json:"answered"`  // probes with both acknowledgements in time
	Lost      uint64 `json:"lost"`      // probes without
	Late      uint64 `json:"late"`      // acknowledgements of lost probes
	Duplicate uint64 `json:"duplicate"` // acknowledgements that came twice
	Unsent    uint64 `json:"unsent"`    // turns without a probe: the peer was never met, or too many probes wait
}

func newPeer(o *options, name string, number uint32) *peer {
	window := min(int64(o.timeout/max(o.interval, 1)), maxWindow-1) + 1
	return &peer{
		name: name, number: number, timeout: int64(o.timeout), window: make([]probe, window), samples: samples{keep: o.keep},
	}
}

func (p *peer) at(seq uint64) *probe { return &p.window[seq%uint64(len(p.window))] }

// expire gives up the probes that have waited too long. It returns the number of those that still wait.
func (p *peer) expire(now int64) int {
	for p.first < p.next {
		pr := p.at(p.first)
		if pr.open() {
			if now-pr.t1 < p.timeout {
				break
			}
			pr.expired = true
			p.Lost++
		}
		p.first++
	}
	return int(p.next - p.first)
}

// turn sends the next probe to a peer.
func (a *agent) turn(p *peer, now int64) error {
	if p.self {
		return nil
	}
	if p.expire(now) == len(p.window) || p.via == nil {
		p.Unsent++
		return nil
	}
	added, err := a.q.add(slot{packet: packet{Kind: probing, Seq: p.next}, via: p.via, peer: p}, a.opts.size)
	if err != nil {
		return err
	}
	if !added {
		p.Unsent++
		return nil
	}
	*p.at(p.next) = probe{seq: p.next, stamps: stamps{t1: now}}
	p.next++
	p.Sent++
	return nil
}

// acknowledged handles an acknowledgement. It returns false if it is of no probe of this agent.
func (a *agent) acknowledged(k *packet, srcQP uint32, stamp uint64, seen int64) bool {
	if int64(k.Number) >= int64(len(a.peers)) {
		return false
	}
	p := a.peers[k.Number]
	if p.via == nil || p.via.qpn != srcQP || k.Seq >= p.next {
		return false
	}
	bit := uint8(hasAck1)
	if k.Kind == ack2 {
		bit = hasAck2
	}
	pr := p.at(k.Seq)
	switch {
	case pr.seq != k.Seq || pr.expired: // its place may have a later probe by now
		p.Late++
		return true
	case pr.has&bit != 0:
		p.Duplicate++
		return true
	}
	if k.Kind == ack1 {
		pr.t5, pr.t6 = stamp, seen
	} else {
		pr.responder = time.Duration(k.Delay)
		p.clock = k.Clock
	}
	p.learn(&a.q.clock, pr, bit)
	return true
}

// left handles the departure of a probe.
func (p *peer) left(c *clock, seq uint64, stamp uint64) {
	if pr := p.at(seq); pr.seq == seq && pr.open() {
		pr.t2 = stamp
		p.learn(c, pr, hasLeft)
	}
}

// learn measures a probe once everything is known of it.
func (p *peer) learn(c *clock, pr *probe, bit uint8) {
	pr.has |= bit
	if pr.has == complete {
		p.Answered++
		p.samples.add(c.measure(&pr.stamps))
	}
}

// probe sends probes to the peers in turn, evenly over each interval, until each had as many turns as the options say, or ctx
// ends. It returns when no probe waits any more, or the agent failed.
func (a *agent) probe(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.life, cancel)()
	if len(a.peers) == 0 {
		<-ctx.Done()
		return a.failure()
	}
	due, timer := now(), time.NewTimer(0)
	defer timer.Stop()
	for turn, last := 0, a.opts.count*len(a.peers); ctx.Err() == nil && (last == 0 || turn < last); {
		if wait := due - now(); wait > 0 {
			timer.Reset(time.Duration(wait))
			select {
			case <-ctx.Done():
			case <-timer.C:
			}
			continue
		}
		n, err := a.turns(turn, last, &due)
		if err != nil {
			return err
		}
		turn += n
	}
	return a.linger()
}

// turns gives the turns from a number on that are due, and returns how many that were.
func (a *agent) turns(turn, last int, due *int64) (n int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, interval := now(), int64(a.opts.interval)
	*due = max(*due, at-interval) // far behind: go on from here
	for ; n < batchSize && *due <= at && (last == 0 || turn+n < last); n++ {
		if err := a.turn(a.peers[(turn+n)%len(a.peers)], at); err != nil {
			return n, err
		}
		*due += interval / int64(len(a.peers))
	}
	return n, a.q.flush()
}

// linger waits until no probe waits any more, at most for the timeout of probes.
func (a *agent) linger() error {
	for ; ; time.Sleep(time.Millisecond) {
		a.mu.Lock()
		open, at := 0, now()
		for _, p := range a.peers {
			open += p.expire(at)
		}
		a.mu.Unlock()
		if open == 0 || a.life.Err() != nil {
			return a.failure()
		}
	}
}

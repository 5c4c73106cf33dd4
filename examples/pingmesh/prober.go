package main

import (
	"context"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
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

	to      *verbs.AH // nil until it was met
	remote  address
	session uint32    // the number that it gave to this agent
	clock   clockKind // of the responder
	self    bool      // it is this agent
	err     error     // of the last attempt to meet it

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
	if p.expire(now) == len(p.window) || p.to == nil {
		p.Unsent++
		return nil
	}
	added, err := a.q.add(slot{kind: probing, seq: p.next, peer: p},
		packet{kind: probing, number: p.session, seq: p.next}, a.opts.size, p.to, &p.remote)
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
	if int64(k.number) >= int64(len(a.peers)) {
		return false
	}
	p := a.peers[k.number]
	if p.to == nil || p.remote.qpn != srcQP || k.seq >= p.next {
		return false
	}
	bit := uint8(hasAck1)
	if k.kind == ack2 {
		bit = hasAck2
	}
	pr := p.at(k.seq)
	switch {
	case pr.seq != k.seq || pr.expired: // its place may have a later probe by now
		p.Late++
		return true
	case pr.has&bit != 0:
		p.Duplicate++
		return true
	}
	if k.kind == ack1 {
		pr.t5, pr.t6 = stamp, seen
	} else {
		pr.responder = time.Duration(k.delay)
		p.clock = k.clock
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
	timer := time.NewTimer(0)
	defer timer.Stop()
	start := now()
	for round := 0; a.opts.count == 0 || round < a.opts.count; round++ {
		for i := 0; i < len(a.peers); {
			due := start + int64(a.opts.interval)*int64(i)/int64(len(a.peers))
			at := now()
			if wait := due - at; wait > 0 {
				timer.Reset(time.Duration(wait))
				select {
				case <-ctx.Done():
					return a.linger(timer)
				case <-timer.C:
				}
				continue
			}
			if ctx.Err() != nil {
				return a.linger(timer)
			}
			start = max(start, start+at-due-int64(a.opts.interval)) // far behind: go on from here
			n, err := a.turns(i, start)
			if err != nil {
				return err
			}
			i += n
		}
		start += int64(a.opts.interval)
	}
	return a.linger(timer)
}

// turns gives a turn to the peers from number i on that are due, and returns how many that were.
func (a *agent) turns(i int, start int64) (n int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := now(); i+n < len(a.peers) && n < batchSize; n++ {
		if start+int64(a.opts.interval)*int64(i+n)/int64(len(a.peers)) > at {
			break
		}
		if err := a.turn(a.peers[i+n], at); err != nil {
			return n, err
		}
	}
	return n, a.q.flush()
}

// linger waits until no probe waits any more, at most for the timeout of probes.
func (a *agent) linger(timer *time.Timer) error {
	for {
		a.mu.Lock()
		open, at := 0, now()
		for _, p := range a.peers {
			open += p.expire(at)
		}
		a.mu.Unlock()
		if open == 0 || a.life.Err() != nil {
			return a.failure()
		}
		timer.Reset(time.Millisecond)
		<-timer.C
	}
}

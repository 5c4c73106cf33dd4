package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

var began = time.Now()

// now is the program's own clock, in nanoseconds.
func now() int64 { return int64(time.Since(began)) }

// agent probes its peers and answers the probes of others.
type agent struct {
	opts    *options
	id      uint64       // by which it knows itself
	ln      net.Listener // where others introduce themselves
	started time.Time

	mu      sync.Mutex // guards the rest
	q       *queues
	peers   []*peer
	callers map[uint32]*route // others that probe this agent, by number
	called  uint32            // the next number
	foreign uint64            // datagrams that are no packets, or from nobody that is known

	life context.Context // until stop, or what stopped the agent
	end  context.CancelCauseFunc
	done sync.WaitGroup
	met  sync.WaitGroup // until every peer was tried once
}

// newAgent makes an agent on an open device. ln is closed by stop.
func newAgent(dev *verbs.Device, ln net.Listener, o *options) (*agent, error) {
	q, err := newQueues(dev, o)
	return &agent{opts: o, id: rand.Uint64(), ln: ln, started: time.Now(), q: q, callers: map[uint32]*route{}}, err
}

// start begins to answer probes, and to look for the peers with the given TCP addresses. stop must follow.
func (a *agent) start(peers []string) {
	a.life, a.end = context.WithCancelCause(context.Background())
	for i, name := range peers {
		a.peers = append(a.peers, newPeer(a.opts, name, uint32(i)))
	}
	a.met.Add(len(peers))
	for _, p := range a.peers {
		a.done.Go(func() { a.seek(p) })
	}
	for _, work := range []func() error{a.serve, a.accept} {
		a.done.Go(func() {
			if err := work(); err != nil {
				a.end(err) // the first error counts
			}
		})
	}
}

// stop ends what start began.
func (a *agent) stop() {
	a.end(nil)
	a.ln.Close()
	a.done.Wait()
}

// failure is what stopped the agent, if not stop.
func (a *agent) failure() error {
	if err := context.Cause(a.life); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// serve takes completions until stop. Unless it spins, it sleeps when there are none.
func (a *agent) serve() error {
	wcs := make([]verbs.WCEx, 64)
	if a.q.clock.kind == software {
		// One at a time, each has a time of its own.
		wcs = wcs[:1]
	}
	next := func() (int, error) { return a.q.reader.Wait(a.life, wcs) }
	if a.opts.spin {
		next = func() (int, error) { return a.q.reader.PollSpin(wcs, 500) }
	}
	for a.life.Err() == nil {
		n, err := next()
		if err == nil {
			err = a.handle(wcs[:n], now())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// handle handles completions that the program saw at the time seen.
func (a *agent) handle(wcs []verbs.WCEx, seen int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	used := 0 // receives
	for i := range wcs {
		wc := &wcs[i]
		if err := wc.Err(); err != nil {
			return fmt.Errorf("the queue pair sends no more: %w", err)
		}
		stamp := a.q.clock.stamp(wc, seen)
		if wc.ID < received {
			if err := a.left(int(wc.ID), stamp); err != nil {
				return err
			}
			continue
		}
		used++
		p, ok := parsePacket(a.q.data(wc))
		switch {
		case ok && p.Kind == probing:
			ok = a.probed(&p, wc.SrcQP, stamp)
		case ok:
			ok = a.acknowledged(&p, wc.SrcQP, stamp, seen)
		}
		if !ok {
			a.foreign++
		}
	}
	return errors.Join(a.q.repost(used), a.q.flush())
}

// left handles the completion of a send.
func (a *agent) left(i int, stamp uint64) error {
	s := a.q.slots[i]
	a.q.slots[i] = slot{}
	a.q.done++
	if a.q.clock.kind == software {
		stamp = uint64(s.posted)
	}
	switch s.Kind {
	case probing:
		s.peer.left(&a.q.clock, s.Seq, stamp)
	case ack1:
		return a.again(&s, a.q.clock.between(s.arrived, stamp))
	}
	return nil
}

// meet waits until each peer was met or has refused, but not for long.
func (a *agent) meet(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	go func() {
		a.met.Wait()
		cancel()
	}()
	<-ctx.Done()
}

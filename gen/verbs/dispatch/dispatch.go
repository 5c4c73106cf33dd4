// Package dispatch hands completions to the goroutines that wait for them, each by the ID of its request:
//
//	d, err := dispatch.New(nil, cq)
//	...
//	ticket, err := d.Ticket()
//	...
//	batch.WR(0).Send(ticket.ID()).Add(piece).Flags(verbs.SendSignaled)
//	_, err = qp.PostSend(batch, 1) // if it fails: ticket.Drop()
//	...
//	wc, err := ticket.Wait(ctx)
//
// It is written by hand and belongs beside the generated package. Any number of goroutines may share a Dispatcher; once it has as many
// tickets as are in use at a time, nothing is allocated.
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// lot is how many completions are taken from a queue at a time, and how many slots are made at a time.
const lot = 64

var (
	errClosed    = fmt.Errorf("dispatch: the dispatcher is closed: %w", os.ErrClosed)
	errNone      = errors.New("dispatch: no completion queue; pass at least one")
	errLeft      = errors.New("dispatch: the function for other completions ended its goroutine (runtime.Goexit, t.FailNow)")
	errNoChannel = errors.New("the queue has no completion channel; make it with one of Device.CreateCompChannel")
)

// Dispatcher takes the completions of queues. New makes one.
type Dispatcher struct {
	other   func(verbs.WC)
	cancel  context.CancelFunc
	running sync.WaitGroup

	once  sync.Once
	ended chan struct{} // closed once err is set
	err   error         // why the dispatcher ended

	slots atomic.Pointer[[]*slot] // by index; replaced when it grows
	mu    sync.Mutex
	free  *slot // linked by next
}

// New starts a goroutine for each queue, which sleeps in CQ.Wait, so each queue needs a completion channel. Nobody else may take
// completions of the queues until Close. If one of them fails (an overrun, see verbs.ErrOverrun, or a Close of the queue), the dispatcher
// ends with its error.
//
// Completions with an ID of no ticket go to other, those of requests of one queue in their order, but of several queues at the same time;
// the completions behind them wait until it returns. A Close that it calls does not wait for it. If it ends its goroutine, the dispatcher
// ends with an error. If it is nil, those completions are lost. IDs below 1<<32 are never those of tickets: use these for other requests.
func New(other func(verbs.WC), cqs ...*verbs.CQ) (*Dispatcher, error) {
	if len(cqs) == 0 {
		return nil, errNone
	}
	for i, cq := range cqs {
		err := usable(cq)
		if err != nil {
			return nil, fmt.Errorf("dispatch: queue %d: %w", i, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &Dispatcher{other: other, cancel: cancel, ended: make(chan struct{})}
	d.slots.Store(new([]*slot))
	for _, cq := range cqs {
		d.running.Go(func() { d.serve(ctx, cq) })
	}
	return d, nil
}

// usable returns why a queue cannot be waited for. It takes no completion.
func usable(cq *verbs.CQ) error {
	if _, err := cq.PollInto(nil); err != nil {
		return err
	}
	if cq.Channel() == nil {
		return errNoChannel
	}
	return nil
}

// Close ends the goroutines, and with os.ErrClosed the Wait of every ticket whose completion was not taken from its queue yet. It returns
// the error with which the dispatcher has ended before, if any. The queues stay open, and completions that come stay in them. Close the
// dispatcher before its queues. Called by the function for other completions, it does not wait for the goroutines.
func (d *Dispatcher) Close() error {
	if d == nil || d.ended == nil {
		return errClosed
	}
	d.end(errClosed)
	if !fail.InCallback() {
		d.running.Wait()
	}
	if d.err == errClosed {
		return nil
	}
	return d.err
}

// end ends the dispatcher; the first error is kept.
func (d *Dispatcher) end(err error) {
	d.once.Do(func() {
		d.err = err
		close(d.ended)
		d.cancel()
	})
}

// serve hands on the completions of a queue until the dispatcher ends.
func (d *Dispatcher) serve(ctx context.Context, cq *verbs.CQ) {
	defer d.end(errLeft) // there is another error unless other has ended the goroutine
	wcs := make([]verbs.WC, lot)
	for {
		n, err := cq.Wait(ctx, wcs)
		for i := range wcs[:n] {
			if !d.hand(&wcs[i]) && d.other != nil {
				fail.Callback(func() { d.other(wcs[i]) })
			}
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			d.end(err)
			return
		}
	}
}

// hand gives a completion to the ticket with its ID, and reports whether there is one.
func (d *Dispatcher) hand(wc *verbs.WC) bool {
	slots := *d.slots.Load()
	index := uint32(wc.ID)
	if uint64(index) >= uint64(len(slots)) {
		return false
	}
	s := slots[index]
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.id != wc.ID:
		return false
	case s.state == open:
		s.wc, s.state = *wc, done
		s.woken <- struct{}{}
	case s.state == abandoned:
		s.retire()
	default:
		return false
	}
	return true
}

// Ticket returns a ticket for one request. It fails if the dispatcher has ended.
func (d *Dispatcher) Ticket() (Ticket, error) {
	if d == nil || d.ended == nil {
		return Ticket{}, errClosed
	}
	select {
	case <-d.ended:
		return Ticket{}, d.err
	default:
	}
	s := d.take()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = open
	return Ticket{s: s, id: s.id}, nil
}

// take takes a slot off the free list, and fills that first if it is empty.
func (d *Dispatcher) take() *slot {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.free == nil {
		old := *d.slots.Load()
		slots := append(make([]*slot, 0, len(old)+lot), old...)
		for i, made := 0, make([]slot, lot); i < lot; i++ {
			s := &made[i]
			s.d, s.id, s.woken = d, firstID|uint64(len(slots)), make(chan struct{}, 1)
			s.next, d.free = d.free, s
			slots = append(slots, s)
		}
		d.slots.Store(&slots)
	}
	s := d.free
	d.free = s.next
	return s
}

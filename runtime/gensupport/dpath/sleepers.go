package dpath

import (
	"context"
	"slices"
	"sync"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Sleepers are the goroutines that wait for completions of one queue. The zero value has none.
//
// While somebody sleeps, the queue has requested an event, or one of them is awake and will request it. An event wakes one of them: who
// leaves after it was woken wakes the next one, for the completions that it did not take.
type Sleepers struct {
	mu      sync.Mutex
	waiting []chan error // of each goroutine: nil for an event, or an error; who has slept longest is first
	free    []chan error // of goroutines that have left
}

// Wait returns the result of poll once that finds something or fails; the caller has just seen that it found nothing. Before it sleeps it
// calls request, which requests an event, and then poll: what comes after that wakes it. If ctx ends first, its error is returned. A nil
// ctx is an error of verb.
func (s *Sleepers) Wait(ctx context.Context, verb string, request func() error, poll func() (int, error)) (int, error) {
	if ctx == nil {
		return 0, fail.NilValue(verb, "the context", "pass context.Background()")
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	me, took := s.join(), false
	defer func() { s.leave(me, took) }()
	for {
		if err := request(); err != nil {
			return 0, err
		}
		if n, err := poll(); n > 0 || err != nil {
			took = n > 0
			return n, err
		}
		select {
		case err := <-me:
			if err != nil {
				return 0, err
			}
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		if n, err := poll(); n > 0 || err != nil {
			return n, err
		}
		s.again(me)
	}
}

// join puts a sleeper at the end of the list.
func (s *Sleepers) join() (me chan error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		me, s.free = s.free[last], s.free[:last]
	} else {
		me = make(chan error, 1) // one at a time, since who wakes it takes it off the list
	}
	s.waiting = append(s.waiting, me)
	return me
}

// again puts a sleeper that was woken at the end of the list.
func (s *Sleepers) again(me chan error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, me)
}

// leave ends a sleeper. One that was woken, or is not on the list since it was, wakes the next. So does one that took completions after its
// request: there may be more that came before the request, of which no event tells.
func (s *Sleepers) leave(me chan error, took bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, me); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else {
		select {
		case <-me:
		default:
		}
		took = true
	}
	if took {
		s.wake()
	}
	s.free = append(s.free, me)
}

// wake wakes the sleeper that has slept longest. Called with mu held.
func (s *Sleepers) wake() {
	if len(s.waiting) > 0 {
		s.waiting[0] <- nil
		s.waiting = slices.Delete(s.waiting, 0, 1)
	}
}

// Wake wakes a sleeper after an event.
func (s *Sleepers) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake()
}

// WakeAll wakes all sleepers: with an error that their Wait returns, or with nil to poll again.
func (s *Sleepers) WakeAll(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.waiting {
		x <- err
	}
	clear(s.waiting)
	s.waiting = s.waiting[:0]
}

// Look has all sleepers poll again.
func (s *Sleepers) Look() { s.WakeAll(nil) }

// Pump takes the events of one channel for the sleepers of its queues. The zero value is ready to use.
type Pump struct {
	mu   sync.Mutex
	from source[uintptr] // while Run runs
}

// Begin reports whether nobody takes the events of from: then the caller starts Run.
func (p *Pump) Begin(from source[uintptr]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from == from {
		return false
	}
	p.from = from
	return true
}

// Run takes events until that fails, as it does when the channel is closed. It calls wake with the address of the C queue of each event,
// and at the end failed with the error.
func (p *Pump) Run(from source[uintptr], wake func(uintptr), failed func(error)) {
	for {
		cq, err := from.Next(context.Background())
		if err != nil {
			p.mu.Lock()
			if p.from == from {
				p.from = nil
			}
			p.mu.Unlock()
			failed(err)
			return
		}
		wake(cq)
		from.Ack(cq)
	}
}

// Taker is who takes the events of a channel. The zero value is nobody; the first to take them does so from then on.
type Taker struct {
	mu sync.Mutex
	by string
}

// The takers of the events of a completion channel.
const (
	ByNext = "CompChannel.Next"
	ByWait = "Wait of its queues"
)

// Take refuses to take events of a channel of which somebody else takes them: those that one takes are lost to the other.
func (t *Taker) Take(verb, by string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by == "" {
		t.by = by
	}
	if t.by == by {
		return nil
	}
	return notMade(verb, syscall.EBUSY, "the events of the channel are taken by "+t.by+
		"; make one more channel, and use each by Next only or by Wait only")
}

// NoChannel returns the error of a wait for a queue without a channel.
func NoChannel(verb string) error {
	return fail.Invalid(verb, "the CQ has no completion channel, so nothing wakes who waits for it; make it with one of "+
		"Device.CreateCompChannel")
}

// NoRoom returns the error of a wait that could not return anything.
func NoRoom(verb string) error {
	return fail.Invalid(verb, "the list has no room for a completion; pass one of at least 1")
}

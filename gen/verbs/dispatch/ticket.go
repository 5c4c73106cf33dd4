package dispatch

import (
	"context"
	"errors"
	"sync"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// The errors of a ticket that cannot be waited for.
var (
	// ErrUsed is the error of a ticket that was waited for or dropped, or whose completion came after Wait was left.
	ErrUsed = errors.New("dispatch: the ticket is used up; take one for each request")
	// ErrWaited is the error of a ticket for which another goroutine waits.
	ErrWaited = errors.New("dispatch: another goroutine waits for the ticket")

	errNoContext = errors.New("dispatch: the context is nil; pass context.Background()")
)

// An ID is a generation in the upper half and the index of a slot in the lower.
const firstID = 1 << 32

// slot is what tickets have one after the other, each with a generation of its own.
type slot struct {
	d     *Dispatcher
	next  *slot         // in the free list
	woken chan struct{} // has a value from when the completion came until the slot is free

	mu     sync.Mutex
	id     uint64 // of its ticket
	state  state
	waited bool // by a goroutine
	wc     verbs.WC
}

// state is that of a slot.
type state uint8

const (
	free      state = iota
	open            // a ticket has it
	done            // the completion came
	abandoned       // Wait was left; the completion has not come
)

// retire makes the slot free for the next ticket. Called with mu held.
func (s *slot) retire() {
	select {
	case <-s.woken:
	default:
	}
	s.state = free
	if s.id += firstID; s.id < firstID {
		s.id |= firstID
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.next, s.d.free = s.d.free, s
}

// Ticket is for one request, which is posted with its ID and whose completion is waited for. A copy is the same ticket. Post a request
// that completes: one to send needs the flag SendSignaled, unless the queue pair signals all.
type Ticket struct {
	s  *slot
	id uint64
}

// ID returns the ID for the request, which is never below 1<<32. No other ticket of the dispatcher has it at the same time, and a later one
// only after more than 4 billion tickets.
func (t Ticket) ID() uint64 { return t.id }

// Wait returns the completion of the request, whose Err says whether the request failed. A completion that was taken from its queue is
// returned even if ctx or the dispatcher has ended. Otherwise the end of ctx returns its error, and the end of the dispatcher
// the error with which it ended.
//
// The end of ctx does not end the request: the device may use its memory until the completion comes. Who must know calls Wait again, which
// returns ErrUsed if that came between the two calls. Otherwise leave the ticket: it is used up when the completion comes.
func (t Ticket) Wait(ctx context.Context) (verbs.WC, error) {
	if ctx == nil {
		return verbs.WC{}, errNoContext
	}
	wc, ready, err := t.begin()
	if ready || err != nil {
		return wc, err
	}
	s := t.s
	select {
	case <-s.woken:
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.d.ended:
		err = s.d.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = false
	if s.state != done {
		s.state = abandoned
		return verbs.WC{}, err
	}
	wc = s.wc
	s.retire()
	return wc, nil
}

// begin begins a wait, unless the completion is there.
func (t Ticket) begin() (wc verbs.WC, ready bool, err error) {
	s := t.s
	if s == nil {
		return wc, false, ErrUsed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.id != t.id:
		return wc, false, ErrUsed
	case s.waited:
		return wc, false, ErrWaited
	case s.state == done:
		wc = s.wc
		s.retire()
		return wc, true, nil
	}
	s.state, s.waited = open, true
	return wc, false, nil
}

// Drop gives back a ticket whose request was not posted, since the post failed. If it was posted, its completion is one of no ticket. A
// ticket that is waited for, or was, is left as it is, so that Drop may be deferred.
func (t Ticket) Drop() {
	s := t.s
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id == t.id && !s.waited && (s.state == open || s.state == done) {
		s.retire()
	}
}

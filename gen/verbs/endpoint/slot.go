package endpoint

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

var (
	errPosted = errors.New("endpoint: the slot is posted already; wait for it, or take one for each request")
	errIdle   = errors.New("endpoint: there is nothing to wait for; post the slot first")
	errWaited = errors.New("endpoint: another goroutine waits for the slot")
	errNone   = errors.New("endpoint: the slot has no request; begin one by a method such as Send")
)

// slot is what Slots have one after the other, each with a turn of its own.
type slot struct {
	e     *Endpoint
	index int
	off   uint64
	woken chan struct{} // has a value when state is done

	turn atomic.Uint64 // changed with mu held

	mu     sync.Mutex
	state  state
	waited bool                 // by a goroutine
	freed  bool                 // while it was posted
	over   bool                 // no more completions are taken
	then   func(Slot, verbs.WC) // for the completion, in place of a wait
	batch  *verbs.SendBatch     // made when it is first taken
	wc     verbs.WC             // if done
	bad    error                // of the request; errNone if there is none
}

type state uint8

const (
	idle state = iota
	posted
	done // the completion came
)

// Slot is memory and room for one request to send at a time. A method named after an operation prepares a request; then post it, and wait
// for it. Once it has completed, the owner of the slot may post it again. A slot belongs to one goroutine at a time. A copy is the same
// slot.
type Slot struct {
	s    *slot
	turn uint64
}

// Slot waits for a free slot, which has no request. The caller calls Free. If a slot is free, Slot returns it even if ctx or the endpoint
// has ended. In Handle or a function of PostFunc, Slot returns an error rather than wait: use TrySlot there.
func (e *Endpoint) Slot(ctx context.Context) (Slot, error) {
	if e == nil || e.done == nil {
		return Slot{}, errNever
	}
	if ctx == nil {
		return Slot{}, errNilCtx
	}
	if s, ok := e.TrySlot(); ok {
		return s, nil
	}
	if e.inside() {
		return Slot{}, errBlocks
	}
	select {
	case s := <-e.free:
		return s.take(), nil
	case <-ctx.Done():
		return Slot{}, ctx.Err()
	case <-e.done:
		return Slot{}, e.Err()
	}
}

// TrySlot returns a free slot, if there is one.
func (e *Endpoint) TrySlot() (Slot, bool) {
	if e == nil {
		return Slot{}, false
	}
	select {
	case s := <-e.free:
		return s.take(), true
	default:
		return Slot{}, false
	}
}

// take makes the request of a slot when it is first taken.
func (s *slot) take() Slot {
	if s.batch == nil {
		s.batch, _ = verbs.NewSendBatch(1, 1, verbs.InlineRoom(s.e.c.Inline)) // fails only for numbers that check has refused
		s.batch.WR(0).Send(s.id())
		s.bad = errNone
	}
	return Slot{s, s.turn.Load()}
}

func (s *slot) id() uint64 { return firstID + uint64(s.index) }

// own returns the slot. It panics if it was freed, as a use of it would change the request of somebody else.
func (s Slot) own() *slot {
	if s.s == nil || s.s.turn.Load() != s.turn {
		panic(ErrFreed)
	}
	return s.s
}

// Off returns where the memory of the slot begins in Endpoint.Mem and Endpoint.MR, in bytes.
func (s Slot) Off() uint64 { return s.own().off }

// Bytes returns the memory of the slot, SendSize bytes. From Post to the completion, the memory belongs to the device.
func (s Slot) Bytes() []byte {
	x := s.own()
	return x.e.Mem[x.off:][:x.e.c.SendSize:x.e.c.SendSize]
}

func (s Slot) wr() verbs.SendWR { return s.own().batch.WR(0) }

// with adds the first n bytes of the slot to a request, and has it complete.
func (s Slot) with(n int, w verbs.SendWR) verbs.SendWR {
	x := s.own()
	x.bad = nil
	if n < 0 || n > x.e.c.SendSize {
		x.bad = fmt.Errorf("endpoint: a request of %d bytes, and a slot of %d (Config.SendSize): %w", n, x.e.c.SendSize, syscall.EINVAL)
	} else if n > 0 {
		w.Add(x.e.MR.UncheckedSGE(x.off, uint32(n)))
	}
	w.SetID(x.id())
	return w.Flags(verbs.SendSignaled)
}

// Send prepares a SEND of the first n bytes. If the slot has fewer bytes, Post returns an error. Send panics if the slot was freed. The
// other methods that prepare a request do the same. Add to the request by methods of the result: Flags, To, and with n 0 InlineData, or
// Add for memory of the program. C: IBV_WR_SEND.
func (s Slot) Send(n int) verbs.SendWR { return s.with(n, s.wr().Send(0)) }

// SendImm prepares a SEND with immediate data. C: IBV_WR_SEND_WITH_IMM.
func (s Slot) SendImm(n int, imm uint32) verbs.SendWR { return s.with(n, s.wr().SendImm(0, imm)) }

// Write prepares a WRITE of the first n bytes to memory of the peer. C: IBV_WR_RDMA_WRITE.
func (s Slot) Write(n int, remote uint64, rkey uint32) verbs.SendWR {
	return s.with(n, s.wr().Write(0, remote, rkey))
}

// WriteImm prepares a WRITE with immediate data, which also completes a receive of the peer. C: IBV_WR_RDMA_WRITE_WITH_IMM.
func (s Slot) WriteImm(n int, remote uint64, rkey, imm uint32) verbs.SendWR {
	return s.with(n, s.wr().WriteImm(0, remote, rkey, imm))
}

// Read prepares a READ of n bytes of the peer's memory to the first bytes of the slot. C: IBV_WR_RDMA_READ.
func (s Slot) Read(n int, remote uint64, rkey uint32) verbs.SendWR {
	return s.with(n, s.wr().Read(0, remote, rkey))
}

// CompareSwap prepares an atomic operation on 8 bytes of the peer. Their old value is stored in the first 8 bytes of the slot, so SendSize
// must be 8 or more. C: IBV_WR_ATOMIC_CMP_AND_SWP.
func (s Slot) CompareSwap(remote uint64, rkey uint32, compare, swap uint64) verbs.SendWR {
	return s.with(8, s.wr().CompareSwap(0, remote, rkey, compare, swap))
}

// FetchAdd prepares an atomic operation that adds to 8 bytes of the peer and is otherwise like CompareSwap. C: IBV_WR_ATOMIC_FETCH_AND_ADD.
func (s Slot) FetchAdd(remote uint64, rkey uint32, add uint64) verbs.SendWR {
	return s.with(8, s.wr().FetchAdd(0, remote, rkey, add))
}

// Post posts the request: ibv_post_send(3). Wait returns the completion of the request. Free without Wait waits for nothing: the slot
// becomes free when the request has completed. Another Post after the completion repeats the request.
func (s Slot) Post() error { return s.post(nil) }

// PostFunc posts the request, and calls f once, with its completion, on the goroutine of the endpoint: see Config.Handle. The completion's
// Err says whether the request failed. The slot belongs to f, and is freed when f returns, unless f calls PostFunc again. If PostFunc
// fails, the caller keeps the slot, and f is not called. If the endpoint ends before the completion, for example by Close, f gets a
// completion with WR_FLUSH_ERR.
func (s Slot) PostFunc(f func(Slot, verbs.WC)) error { return s.post(f) }

func (s Slot) post(then func(Slot, verbs.WC)) error {
	x := s.s
	if x == nil {
		return ErrFreed
	}
	if err := x.e.serve(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock() // the completion waits until the post has returned
	switch {
	case x.turn.Load() != s.turn:
		return ErrFreed
	case x.state != idle:
		return errPosted
	case x.bad != nil:
		return x.bad
	case x.over:
		return x.e.Err()
	}
	if _, err := x.e.QP.PostSendRange(x.batch.From(0, 1)); err != nil {
		return x.e.why(err)
	}
	if x.state, x.then = posted, then; then != nil {
		x.turn.Add(1)
	}
	return nil
}

// Do calls Post and then Wait. In Handle or a function of PostFunc, Do posts nothing and returns an error.
func (s Slot) Do(ctx context.Context) (verbs.WC, error) {
	if s.s != nil && s.s.e.inside() {
		return verbs.WC{}, errBlocks
	}
	if err := s.post(nil); err != nil {
		return verbs.WC{}, err
	}
	return s.Wait(ctx)
}

// Wait waits until the posted request has completed. A request that fails ends the endpoint; Wait then returns the error of Endpoint.Err.
// When ctx ends, Wait returns its error, and the request stays in flight: call Wait again, or Free. In Handle or a function of PostFunc,
// Wait returns an error unless the request has completed.
func (s Slot) Wait(ctx context.Context) (verbs.WC, error) {
	x := s.s
	if x == nil {
		return verbs.WC{}, ErrFreed
	}
	if ctx == nil {
		return verbs.WC{}, errNilCtx
	}
	if err := x.beginWait(s.turn); err != nil {
		return verbs.WC{}, err
	}
	if x.e.inside() {
		return x.endWait(errBlocks)
	}
	var err error
	select {
	case <-x.woken:
	case <-ctx.Done():
		err = ctx.Err()
	case <-x.e.ctx.Done():
		err = x.e.Err()
	}
	return x.endWait(err)
}

func (s *slot) beginWait(turn uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.turn.Load() != turn:
		return ErrFreed
	case s.state == idle:
		return errIdle
	case s.waited:
		return errWaited
	}
	s.waited = true
	return nil
}

// endWait returns the completion if it came, and err if not.
func (s *slot) endWait(err error) (verbs.WC, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited = false
	came := s.state == done
	if came {
		s.reset()
	}
	switch {
	case s.freed: // by another goroutine, meanwhile
		if came {
			s.freed = false
			s.put()
		}
		return verbs.WC{}, ErrFreed
	case !came:
		return verbs.WC{}, err
	case s.wc.Status != verbs.WCStatusSuccess:
		return s.wc, s.e.Err()
	}
	return s.wc, nil
}

// reset makes a slot idle. Called with mu held.
func (s *slot) reset() {
	select {
	case <-s.woken:
	default:
	}
	s.state = idle
}

// put has the next one take the slot.
func (s *slot) put() { s.e.free <- s }

// stop has no more requests be posted, and reports whether the function of one still has to be called.
func (s *slot) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return s.state == posted && s.then != nil
}

// Free gives the slot back: at once, or when a request in flight has completed. It does nothing after another Free or a PostFunc, so defer
// it.
func (s Slot) Free() {
	x := s.s
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.turn.Load() != s.turn {
		return
	}
	x.turn.Add(1)
	x.bad = errNone
	switch {
	case x.state == posted || x.waited:
		x.freed = true
	default:
		x.reset()
		x.put()
	}
}

// complete takes the completion of the request, and reports whether there was one.
func (s *slot) complete(wc *verbs.WC) bool {
	s.mu.Lock()
	if s.state != posted {
		s.mu.Unlock()
		return false
	}
	then, own := s.then, Slot{s, s.turn.Load()}
	s.then = nil
	switch {
	case then != nil:
		s.state = idle
	case s.freed && !s.waited:
		s.freed, s.state = false, idle
		s.put()
	default:
		s.wc, s.state = *wc, done
		s.woken <- struct{}{}
	}
	s.mu.Unlock()
	if then != nil {
		defer own.Free()
		s.e.calling.Store(true)
		then(own, *wc)
		s.e.calling.Store(false)
	}
	return true
}

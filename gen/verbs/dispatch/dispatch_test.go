//go:build linux && cgo

package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/dispatch"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// open returns two connected queue pairs and a dispatcher of their queues.
func open(t *testing.T, other func(verbs.WC)) (d *dispatch.Dispatcher, a, b end) {
	t.Helper()
	dev := verbstest.Device(t)
	a, b, err := connect(dev)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			t.Error(err)
		}
	})
	if d, err = dispatch.New(other, a.cq, b.cq); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, a, b
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func ticket(t *testing.T, d *dispatch.Dispatcher) dispatch.Ticket {
	t.Helper()
	x, err := d.Ticket()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// worker posts requests from a to b one by one, and waits for each with a ticket.
type worker struct {
	d    *dispatch.Dispatcher
	a, b end
	send *verbs.SendBatch
	recv *verbs.RecvBatch
}

func newWorker(d *dispatch.Dispatcher, a, b end) (*worker, error) {
	w := &worker{d: d, a: a, b: b}
	var err error
	if w.send, err = verbs.NewSendBatch(1, 1); err != nil {
		return w, err
	}
	w.recv, err = verbs.NewRecvBatch(1, 1)
	return w, err
}

func (w *worker) close() error { return errors.Join(w.send.Close(), w.recv.Close()) }

func (w *worker) postRecv(id uint64) error {
	w.recv.WR(0).Recv(id).Add(w.b.mr.UncheckedSGE(0, 8))
	_, err := w.b.qp.PostRecv(w.recv, 1)
	return err
}

func (w *worker) postSend(id uint64) error {
	w.send.WR(0).Send(id).Add(w.a.mr.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	_, err := w.a.qp.PostSend(w.send, 1)
	return err
}

func (w *worker) postWrite(id uint64) error {
	w.send.WR(0).Write(id, w.b.mr.IOVA(), w.b.mr.RKey()).Add(w.a.mr.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	_, err := w.a.qp.PostSend(w.send, 1)
	return err
}

// await waits for the completion of a request that was posted with a ticket.
func await(ctx context.Context, x dispatch.Ticket, op verbs.WCOpcode) error {
	wc, err := x.Wait(ctx)
	if err == nil {
		err = wc.Err()
	}
	if err == nil && (wc.ID != x.ID() || wc.Opcode != op) {
		err = fmt.Errorf("the completion of ticket %#x: %#x, %v, not %v", x.ID(), wc.ID, wc.Opcode, op)
	}
	return err
}

func (w *worker) write(ctx context.Context) error {
	x, err := w.d.Ticket()
	if err != nil {
		return err
	}
	if err := w.postWrite(x.ID()); err != nil {
		return err
	}
	return await(ctx, x, verbs.WCOpcodeRDMAWrite)
}

func (w *worker) message(ctx context.Context) error {
	recv, err := w.d.Ticket()
	if err != nil {
		return err
	}
	send, err := w.d.Ticket()
	if err != nil {
		return err
	}
	if err := errors.Join(w.postRecv(recv.ID()), w.postSend(send.ID())); err != nil {
		return err
	}
	return errors.Join(await(ctx, send, verbs.WCOpcodeSend), await(ctx, recv, verbs.WCOpcodeRecv))
}

// TestMany has 64 goroutines wait for completions of two queues.
func TestMany(t *testing.T) {
	d, a, b := open(t, func(wc verbs.WC) { t.Errorf("the completion of no ticket: %#x", wc.ID) })
	ctx := bounded(t)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			w, err := newWorker(d, a, b)
			step := w.message
			if i%2 == 1 {
				w.a, w.b, step = b, a, w.write
			}
			for n := 0; n < 200 && err == nil; n++ {
				err = step(ctx)
			}
			if err := errors.Join(err, w.close()); err != nil {
				t.Errorf("goroutine %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

// setup opens a dispatcher and a worker.
func setup(t *testing.T, other func(verbs.WC)) (*dispatch.Dispatcher, *worker) {
	t.Helper()
	d, a, b := open(t, other)
	w, err := newWorker(d, a, b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.close() })
	return d, w
}

// TestLate ends the context of a wait: the completion that comes later reaches neither the next ticket nor other, and frees the slot.
func TestLate(t *testing.T) {
	others := make(chan verbs.WC, 1)
	d, w := setup(t, func(wc verbs.WC) { others <- wc })
	ctx := bounded(t)
	ended, cancel := context.WithCancel(ctx)
	late := ticket(t, d)
	if err := w.postRecv(late.ID()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := late.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Fatalf("Wait with an ended context: %v", err)
	}
	late.Drop() // changes nothing
	early := ticket(t, d)
	if uint32(early.ID()) == uint32(late.ID()) {
		t.Errorf("tickets %#x and %#x have one slot", late.ID(), early.ID())
	}
	early.Drop()
	if err := w.write(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.postSend(7); err != nil { // completes the receive
		t.Fatal(err)
	}
	if wc := <-others; wc.ID != 7 {
		t.Errorf("the completion of no ticket: %#x", wc.ID)
	}
	_, err := late.Wait(ctx)
	for err == nil { // the wait was taken up again before the completion came
		_, err = late.Wait(ctx)
	}
	if !errors.Is(err, dispatch.ErrUsed) {
		t.Errorf("Wait after the late completion: %v", err)
	}
	if next := ticket(t, d); uint32(next.ID()) != uint32(late.ID()) || next.ID() == late.ID() {
		t.Errorf("tickets %#x and then %#x: not the same slot with another generation", late.ID(), next.ID())
	}
}

// TestThere returns a completion that has come although the context has ended, once.
func TestThere(t *testing.T) {
	others := make(chan verbs.WC, 1)
	d, w := setup(t, func(wc verbs.WC) { others <- wc })
	x := ticket(t, d)
	if err := errors.Join(w.postWrite(x.ID()), w.postWrite(1)); err != nil {
		t.Fatal(err)
	}
	<-others // so that of x was handed on
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := await(ended, x, verbs.WCOpcodeRDMAWrite); err != nil {
		t.Error(err)
	}
	if _, err := x.Wait(bounded(t)); !errors.Is(err, dispatch.ErrUsed) {
		t.Errorf("a second Wait: %v", err)
	}
	dropped := ticket(t, d)
	dropped.Drop()
	next := ticket(t, d)
	if uint32(next.ID()) != uint32(dropped.ID()) || next.ID() == dropped.ID() {
		t.Errorf("tickets %#x and then %#x: not the same slot with another generation", dropped.ID(), next.ID())
	}
	if err := w.postWrite(dropped.ID()); err != nil {
		t.Fatal(err)
	}
	if wc := <-others; wc.ID != dropped.ID() {
		t.Errorf("the completion of a dropped ticket: %#x, not %#x", wc.ID, dropped.ID())
	}
}

// TestClose wakes all who wait, by a Close of the dispatcher and of a queue.
func TestClose(t *testing.T) {
	for name, byQueue := range map[string]bool{"dispatcher": false, "queue": true} {
		t.Run(name, func(t *testing.T) {
			_, dev := verbstest.Open(t)
			defer dev.CloseAll()
			channel, err := dev.CreateCompChannel()
			if err != nil {
				t.Fatal(err)
			}
			var cqs [2]*verbs.CQ
			for i := range cqs {
				if cqs[i], err = dev.CreateCQ(4, channel, 0); err != nil {
					t.Fatal(err)
				}
			}
			d, err := dispatch.New(nil, cqs[:]...)
			if err != nil {
				t.Fatal(err)
			}
			var waiting, waits sync.WaitGroup
			for range 8 {
				x := ticket(t, d)
				waiting.Add(1)
				waits.Go(func() {
					waiting.Done()
					if _, err := x.Wait(t.Context()); !errors.Is(err, os.ErrClosed) {
						t.Errorf("Wait: %v", err)
					}
				})
			}
			waiting.Wait()
			if byQueue {
				if err := cqs[1].Close(); err != nil {
					t.Fatal(err)
				}
				waits.Wait()
			}
			if err := d.Close(); errors.Is(err, os.ErrClosed) != byQueue {
				t.Errorf("Close: %v", err)
			}
			waits.Wait()
			if _, err := d.Ticket(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("Ticket after Close: %v", err)
			}
		})
	}
}

// TestAllocs counts what a request allocates, from its ticket to its completion.
func TestAllocs(t *testing.T) {
	_, w := setup(t, nil)
	ctx := bounded(t)
	n := testing.AllocsPerRun(1000, func() {
		if err := w.write(ctx); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for each request", n)
	}
}

// TestRefused passes what cannot be used.
func TestRefused(t *testing.T) {
	_, dev := verbstest.Open(t)
	defer dev.CloseAll()
	bare, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for want, cqs := range map[string][]*verbs.CQ{
		"no completion queue": nil, "queue 0: ": {nil}, "completion channel": {bare}, "closed": {closed},
	} {
		if _, err := dispatch.New(nil, cqs...); !containsText(err, want) {
			t.Errorf("New: %v, not %q", err, want)
		}
	}
	var none dispatch.Ticket
	none.Drop()
	if _, err := none.Wait(t.Context()); !errors.Is(err, dispatch.ErrUsed) {
		t.Errorf("Wait of a zero ticket: %v", err)
	}
	var zero dispatch.Dispatcher
	if _, err := zero.Ticket(); !errors.Is(err, os.ErrClosed) || !errors.Is(zero.Close(), os.ErrClosed) {
		t.Errorf("a zero dispatcher: %v", err)
	}
}

func containsText(err error, text string) bool {
	return err != nil && strings.Contains(err.Error(), text)
}

// TestTwo has two goroutines wait for one ticket: one of them is refused.
func TestTwo(t *testing.T) {
	d, _ := setup(t, nil)
	ctx, cancel := context.WithCancel(bounded(t))
	x, errs := ticket(t, d), make(chan error)
	for range 2 {
		go func() {
			_, err := x.Wait(ctx)
			errs <- err
		}()
	}
	if err := <-errs; err != dispatch.ErrWaited {
		t.Errorf("the one: %v", err)
	}
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the other: %v", err)
	}
}

package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
)

// grace is how long requests that the peer has answered have to complete when the stream has ended.
const grace = 50 * time.Millisecond

// Connect posts the receives, and connects the queue pair to a queue pair of the process at the other end of side. That process calls
// Connect too, or a function of package connect. From then on the endpoint owns side: the endpoint ends when the peer closes side, or the
// peer's process dies. Bytes that the peer writes to side after Connect are lost. Close closes side, and so does Connect if it fails.
//
// Connect is for RC and UC; connect.UD is for datagrams. Without Options.Setup it uses connect.DefaultSetup. It adds Config.Access to the
// AccessFlags.
func (e *Endpoint) Connect(ctx context.Context, side net.Conn, o connect.Options) (peer *connect.Peer, err error) {
	if side == nil {
		return nil, fmt.Errorf("endpoint: the stream is nil: %w", syscall.EINVAL)
	}
	defer func() {
		if err != nil {
			side.Close() // the peer would wait
		}
	}()
	if err := e.Own(stream{side}); err != nil {
		return nil, err
	}
	if err := e.Err(); err != nil {
		return nil, err
	}
	if peer, err = e.connect(ctx, side, o); err != nil {
		return nil, e.why(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return nil, e.err
	}
	e.running.Go(func() { e.watch(side) })
	return peer, nil
}

// stream is a connection whose Close may fail, as that of TLS does if the peer is dead, although it closes.
type stream struct{ net.Conn }

func (s stream) Close() error {
	_ = s.Conn.Close()
	return nil
}

// watch ends the endpoint when the peer has closed its end of the stream.
func (e *Endpoint) watch(side net.Conn) {
	_, err := io.Copy(io.Discard, side)
	select {
	case <-e.done:
	case <-time.After(grace):
	}
	if err == nil {
		err = errors.New("the peer has closed its end of the stream")
	}
	e.Fail(err)
}

func (e *Endpoint) connect(ctx context.Context, side net.Conn, o connect.Options) (*connect.Peer, error) {
	const remote = verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic
	s := connect.DefaultSetup()
	if o.Setup != nil {
		s = *o.Setup
	}
	o.Setup = &s
	s.AccessFlags |= verbs.QPAccess(e.c.Access & remote)
	init, to := s.Init(), connect.RC
	switch e.c.Type {
	case verbs.QPTypeRC:
	case verbs.QPTypeUC:
		s.AccessFlags &= verbs.QPAccessRemoteWrite
		init, to = verbs.UCSetup{PKeyIndex: s.PKeyIndex, PortNum: s.PortNum, AccessFlags: s.AccessFlags}.Init(), connect.UC
	default:
		return nil, fmt.Errorf("endpoint: Connect of a queue pair of type %v; call connect.UD, then PostRecvs: %w", e.c.Type, syscall.EINVAL)
	}
	if err := e.QP.Modify(init); err != nil {
		return nil, err
	}
	if err := e.PostRecvs(); err != nil {
		return nil, err
	}
	return to(ctx, side, e.QP, o)
}

// Pair makes two endpoints of one process and connects them. Each is on dev, or on the device of its Config.PD. When one endpoint ends, so
// does the other. If Pair fails, it leaves nothing open.
func Pair(ctx context.Context, dev *verbs.Device, left, right Config, o connect.Options) (a, b *Endpoint, err error) {
	if a, err = New(dev, left); err != nil {
		return nil, nil, err
	}
	if b, err = New(dev, right); err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	near, far := net.Pipe()
	connected := make(chan error, 1)
	go func() {
		_, err := b.Connect(ctx, far, o)
		connected <- err
	}()
	_, err = a.Connect(ctx, near, o)
	if far := <-connected; far != nil && (err == nil || far.Error() != err.Error()) {
		err = errors.Join(err, far)
	}
	if err != nil {
		return nil, nil, errors.Join(err, a.Close(), b.Close())
	}
	return a, b, nil
}

// PostRecvs posts all receives: ibv_post_recv(3). The queue pair must be in INIT, RTR or RTS. Connect calls it, and so does
// Conn.NewEndpoint of package rdmacm/conn.
func (e *Endpoint) PostRecvs() error {
	if e == nil || e.done == nil {
		return errNever
	}
	if e.c.Recvs == 0 {
		return nil
	}
	e.recv.Lock()
	defer e.recv.Unlock()
	_, err := e.QP.PostRecv(e.Recvs, e.c.Recvs)
	return err
}

// Recv returns the memory of receive i, counted from 0. It panics if there is no such receive. A datagram begins after verbs.GRHSize bytes.
func (e *Endpoint) Recv(i int) []byte {
	return e.Mem[:e.c.Recvs*e.c.RecvSize][i*e.c.RecvSize:][:e.c.RecvSize:e.c.RecvSize]
}

// Repost posts receive i again, once it has completed and the program has read its memory: ibv_post_recv(3).
func (e *Endpoint) Repost(i int) error {
	if e == nil || e.done == nil {
		return errNever
	}
	e.recv.Lock()
	defer e.recv.Unlock()
	if _, err := e.QP.PostRecvRange(e.Recvs.From(i, 1)); err != nil {
		return e.why(err)
	}
	return nil
}

// Done returns a channel that is closed when the endpoint ends: because a request failed, the stream of Connect or the connection of
// rdma_cm ended, or Fail or Close was called.
func (e *Endpoint) Done() <-chan struct{} {
	if e == nil {
		return nil
	}
	return e.done
}

// Err returns nil until the endpoint ends, and os.ErrClosed after Close. Otherwise it returns the reason, in an error that also wraps
// syscall.ECONNRESET.
func (e *Endpoint) Err() error {
	if e == nil || e.done == nil {
		return errNever
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// why returns why the endpoint has ended; err if it has not. That the device has gone ends it.
func (e *Endpoint) why(err error) error {
	if errors.Is(err, verbs.ErrDeviceRemoved) {
		e.Fail(err)
	}
	if ended := e.Err(); ended != nil {
		return ended
	}
	return err
}

// Fail ends the endpoint for a reason of the program, such as an event of Device.NextEvent that says that the device is gone. Err reports
// it, with syscall.ECONNRESET unless it is os.ErrClosed itself. Fail moves the queue pair to ERR, so that all requests and receives
// complete, the successful ones first. Only the first reason counts.
func (e *Endpoint) Fail(err error) {
	if e == nil || e.done == nil {
		return
	}
	if err == nil {
		err = errors.New("Fail was called without an error")
	}
	if err != os.ErrClosed { // of a Close, also of a connection that the endpoint belongs to
		err = fmt.Errorf("endpoint: the connection has ended: %w: %w", syscall.ECONNRESET, err)
	}
	if e.end(err) && e.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)) != nil {
		e.cancel() // the device has gone: there are no completions to wait for
	}
}

// end records the first reason for which the endpoint ended.
func (e *Endpoint) end(err error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return false
	}
	e.err = err
	close(e.done)
	return true
}

// serve starts the goroutine that takes completions, once.
func (e *Endpoint) serve() error {
	if e.serving.Load() {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.serving.Load():
		return nil
	case e.c.Recvs > 0 && e.c.Handle == nil && e.c.RecvCQ == nil:
		return errLost
	case e.err != nil:
		return e.err
	}
	e.serving.Store(true)
	e.running.Go(e.loop)
	return nil
}

// loop takes completions until the endpoint is closed.
func (e *Endpoint) loop() {
	e.caller.Store(goroutine())
	defer func() {
		e.Fail(errLeft) // there is another error unless the program has ended the goroutine
		e.cancel()
		e.running.Go(e.flush) // not here: if a function panics, the program must die
	}()
	var wcs [64]verbs.WC
	for {
		n, err := e.take(wcs[:])
		for i := range wcs[:n] {
			if e.ctx.Err() != nil {
				break
			}
			e.complete(&wcs[i])
		}
		if err == nil {
			err = e.ctx.Err()
		}
		if err != nil {
			e.Fail(err)
			return
		}
	}
}

// spin is how long an endpoint polls before it sleeps, as rsockets does: about as long as sleeping and waking take. A peer that answers at
// once answers within that time. Others run meanwhile.
const spin = 20 * time.Microsecond

// take waits for completions.
func (e *Endpoint) take(wcs []verbs.WC) (int, error) {
	for begin := time.Now(); time.Since(begin) < spin; runtime.Gosched() {
		if n, err := e.CQ.PollInto(wcs); n > 0 || err != nil {
			return n, err
		}
	}
	return e.CQ.Wait(e.ctx, wcs)
}

// flush calls the functions of requests whose completions nobody takes any more. If one ends its goroutine, another goroutine goes on.
func (e *Endpoint) flush() {
	e.caller.Store(goroutine())
	ended := false
	defer func() {
		if !ended {
			e.running.Go(e.flush)
		}
	}()
	for i := range e.slots {
		s := &e.slots[i]
		if s.stop() {
			s.complete(&verbs.WC{ID: s.id(), Status: verbs.WCStatusWRFlushErr, QPNum: e.QP.Num()})
		}
	}
	ended = true
}

// complete hands a completion on.
func (e *Endpoint) complete(wc *verbs.WC) {
	i := wc.ID - firstID
	ofSlot := i < uint64(len(e.slots))
	if wc.Status != verbs.WCStatusSuccess && e.Err() == nil {
		err := wc.Err()
		if ofSlot {
			err = &slotError{i, err}
		}
		e.Fail(err)
	}
	if ofSlot && e.slots[i].complete(wc) {
		return
	}
	if e.c.Handle != nil {
		e.calling.Store(true)
		e.c.Handle(e, *wc)
		e.calling.Store(false)
	}
}

// slotError is the *verbs.WCError of a slot's request, and names the slot in place of the ID, which the program did not choose.
type slotError struct {
	slot uint64
	err  error
}

func (e *slotError) Error() string {
	return fmt.Sprintf("the request of slot %d%s", e.slot, strings.TrimPrefix(e.err.Error(), fmt.Sprintf("request %d", firstID+e.slot)))
}

func (e *slotError) Unwrap() error { return e.err }

// inside reports whether a function that the endpoint calls is among the callers, on this goroutine. It costs little while none runs.
func (e *Endpoint) inside() bool { return e.calling.Load() && e.caller.Load() == goroutine() }

var headers = sync.Pool{New: func() any { return new([32]byte) }}

// goroutine returns the number of this goroutine, which no other one ever has. A stack begins with "goroutine 7 [".
func goroutine() (n uint64) {
	header := headers.Get().(*[32]byte)
	defer headers.Put(header)
	for _, digit := range header[len("goroutine "):runtime.Stack(header[:], false)] {
		if digit < '0' || digit > '9' {
			break
		}
		n = n*10 + uint64(digit-'0')
	}
	return n
}

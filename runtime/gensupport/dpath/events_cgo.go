//go:build linux && cgo

package dpath

// This file is unsafe because it calls functions of the loaded library by their addresses and is answered addresses of C
// objects. What keeps it sound: neither is memory of Go, and the owner of the object keeps it open until Close is back.

import (
	"context"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/internal/poll"
)

// Events waits on Go's poller for what a library gives on a file of its own: a goroutine that waits holds no thread. NewEvents,
// NewChannel and NewAsync make one. All methods may be called from any number of goroutines.
type Events[E any] struct {
	verb, closing string
	w             *poll.Waiter
	take          func() (E, syscall.Errno, error)
	ack           func(E)
	got           E // of who has the turn
	errno         syscall.Errno
	err           error
}

// NewEvents starts the use of a file, which becomes non-blocking, also for C code that uses it. verb, the C function that gives an
// event, closing, the one that closes the file, and what, the object that has the file, are for errors. take asks for an event; it
// returns syscall.EAGAIN if there is none yet. The caller calls Close before the file is closed; if that fails, NewEvents may be called
// again, and no event is lost. Errors: the errno of fcntl(2), errors.ErrUnsupported for a file that Go's poller cannot wait for.
func NewEvents[E any](fd int, verb, closing, what string, take func() (E, syscall.Errno, error)) (*Events[E], error) {
	e := &Events[E]{verb: verb, closing: closing, take: take}
	var err error
	if e.w, err = poll.New(fd, verb, what, e.try); err != nil {
		return nil, err
	}
	return e, nil
}

// try takes an event; false when there is none yet.
func (e *Events[E]) try() bool {
	for {
		e.got, e.errno, e.err = e.take()
		if e.errno != syscall.EINTR {
			return e.errno != syscall.EAGAIN
		}
	}
}

// Next waits for the next event. Each goes to exactly one caller. One of a device or a completion channel must be acknowledged with Ack.
//
// If ctx ends before there is an event, Next returns the error of ctx. No event is lost by that: it stays with the library, and an event
// that was already taken is returned even if ctx has ended. After Close the error is os.ErrClosed; any other error is that of the
// library. Taking an event that is already there allocates nothing.
func (e *Events[E]) Next(ctx context.Context) (none E, err error) {
	if err := e.w.Begin(ctx); err != nil {
		return none, err
	}
	defer e.w.Leave()
	switch {
	case e.errno != 0:
		return none, fail.Failed(e.verb, e.errno, nil)
	case e.err != nil:
		return none, e.err
	}
	return e.got, nil
}

// Ack acknowledges an event that Next returned. Call it once for each event. An object with events that are not acknowledged cannot be
// destroyed: the verb that destroys it waits. Ack also works after Close.
func (e *Events[E]) Ack(of E) { e.ack(of) }

// Close ends the use of the file: every waiting Next returns os.ErrClosed, and when Close returns no Next uses the library any more. It
// destroys nothing; events that nobody received stay with the library. A second Close is os.ErrClosed.
func (e *Events[E]) Close() error { return e.w.End(e.closing) }

// NewChannel starts the use of a completion channel (struct ibv_comp_channel *). getEvent and ackEvents are the addresses of
// ibv_get_cq_event and ibv_ack_cq_events in the library that made it. Errors are those of NewEvents, and errors.ErrUnsupported without
// its functions.
func NewChannel(c unsafe.Pointer, getEvent, ackEvents uintptr) (*Channel, error) {
	if getEvent == 0 || ackEvents == 0 {
		return nil, fail.Missing(verbNext, "ibv_get_cq_event, or no ibv_ack_cq_events", "", "")
	}
	channel := uintptr(c)
	e, err := NewEvents(channelFD(channel), verbNext, "ibv_destroy_comp_channel", "the completion channel",
		func() (cq uintptr, errno syscall.Errno, _ error) {
			cq, errno = takeCQ(getEvent, channel)
			return cq, errno, nil
		})
	if err != nil {
		return nil, err
	}
	e.ack = func(cq uintptr) { ackCQ(ackEvents, cq) }
	return e, nil
}

// NewAsync starts the use of the asynchronous events of a device (struct ibv_context *). getEvent and ackEvent are the addresses of
// ibv_get_async_event and ibv_ack_async_event in the library that opened it. Events of a port or of the device may also be acknowledged
// after the device was closed. Errors are those of NewChannel.
func NewAsync(c unsafe.Pointer, getEvent, ackEvent uintptr) (*Async, error) {
	if getEvent == 0 || ackEvent == 0 {
		return nil, fail.Missing(verbAsync, "ibv_get_async_event, or no ibv_ack_async_event", "", "")
	}
	device, event := uintptr(c), new(asyncEvent)
	e, err := NewEvents(asyncFD(device), verbAsync, "ibv_close_device", "the device", func() (AsyncEvent, syscall.Errno, error) {
		errno := takeAsync(getEvent, device, event)
		return asAsync(event), errno, nil
	})
	if err != nil {
		return nil, err
	}
	e.ack = func(of AsyncEvent) { ackAsync(ackEvent, of) }
	return e, nil
}

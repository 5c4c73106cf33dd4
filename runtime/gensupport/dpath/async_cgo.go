//go:build linux && cgo

package dpath

// This file is unsafe because it calls functions of the loaded library by their addresses and is answered addresses of C
// objects. What keeps it sound: neither is memory of Go, and the owner of the device keeps it open until Close is back.

import (
	"context"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/internal/poll"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Async waits for the asynchronous events of a device on Go's poller. NewAsync makes one. All methods may be called
// from any number of goroutines.
type Async struct {
	context  uintptr // struct ibv_context *
	get, ack uintptr // functions of the library
	w        *poll.Waiter
	event    asyncEvent // of who has the turn
	errno    syscall.Errno
}

// NewAsync starts the use of the asynchronous events of a device (struct ibv_context *). getEvent and ackEvent are the
// addresses of ibv_get_async_event and ibv_ack_async_event in the library that opened it. The file of the events
// becomes non-blocking, also for C code that uses it. The caller calls Close before the device is closed. Errors are
// those of NewChannel.
func NewAsync(c unsafe.Pointer, getEvent, ackEvent uintptr) (a *Async, err error) {
	if c == nil {
		return nil, &verr.Error{Verb: verbAsync, Errno: syscall.EINVAL, Msg: "wait for events without a device"}
	}
	if getEvent == 0 || ackEvent == 0 {
		return nil, fail.Missing(verbAsync, "ibv_get_async_event, or no ibv_ack_async_event", "", "")
	}
	a = &Async{context: uintptr(c), get: getEvent, ack: ackEvent}
	fd := asyncFD(a.context)
	if a.w, err = poll.New(fd, verbAsync, "the device", a.take); err != nil {
		return nil, err
	}
	return a, nil
}

// made returns the error of an Async that NewAsync did not make.
func (a *Async) made(verb string) error {
	if a == nil || a.w == nil {
		return fail.NeverOpened(verb, "the waiter for events of a device")
	}
	return nil
}

// Next waits for the next event: ibv_get_async_event(3). The event must be acknowledged with Ack. Contexts and errors
// are as for Channel.Next.
func (a *Async) Next(ctx context.Context) (AsyncEvent, error) {
	if err := a.made(verbAsync); err != nil {
		return AsyncEvent{}, err
	}
	if err := a.w.Begin(ctx); err != nil {
		return AsyncEvent{}, err
	}
	defer a.w.Leave()
	if a.errno != 0 {
		return AsyncEvent{}, fail.Failed(verbAsync, a.errno, nil)
	}
	return asAsync(&a.event), nil
}

// take asks the library for an event; false when there is none yet.
func (a *Async) take() bool {
	a.errno = getAsync(a.get, a.context, &a.event)
	return a.errno != syscall.EAGAIN
}

// Ack acknowledges an event that Next returned: ibv_ack_async_event, see ibv_get_async_event(3). Call it once for each
// event. An object with events that are not acknowledged cannot be destroyed: the verb that destroys it waits. Ack also
// works after Close, and for events of a port or a device after the device was closed. It does nothing for the zero AsyncEvent, and for
// an Async that NewAsync did not make.
func (a *Async) Ack(e AsyncEvent) {
	if a == nil || a.ack == 0 || e == (AsyncEvent{}) {
		return
	}
	ackAsync(a.ack, e)
}

// Close ends the use of the events, as Channel.Close does. Call it before the device is closed.
func (a *Async) Close() error {
	const verb = "ibv_close_device"
	if err := a.made(verb); err != nil {
		return err
	}
	return a.w.End(verb)
}

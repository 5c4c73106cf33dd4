//go:build linux && cgo

package dpath

// This file is unsafe because it calls functions of the loaded library by their addresses and is answered addresses of C
// objects. What keeps it sound: neither is memory of Go, and the owner of the channel keeps it alive until Close is back.

import (
	"context"
	"math"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/internal/poll"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Channel waits for events of completion queues on Go's poller: a goroutine that waits holds no thread. NewChannel
// makes one. All methods may be called from any number of goroutines.
type Channel struct {
	object   uintptr // struct ibv_comp_channel *
	get, ack uintptr // functions of the library
	w        *poll.Waiter
	event    event // of who has the turn
}

// event is an answer of ibv_get_cq_event.
type event struct {
	cq      uintptr
	context uintptr
	errno   syscall.Errno
}

// NewChannel starts the use of a completion channel (struct ibv_comp_channel *). getEvent and ackEvents are the
// addresses of ibv_get_cq_event and ibv_ack_cq_events in the library that made it.
//
// The file of the channel becomes non-blocking, also for C code that uses it. The caller calls Close before the channel
// is destroyed; if that fails, NewChannel may be called again, and no event is lost. Errors: EINVAL for a nil channel,
// errors.ErrUnsupported without its functions, the errno of fcntl(2), errors.ErrUnsupported for a file that Go's poller cannot wait for.
func NewChannel(c unsafe.Pointer, getEvent, ackEvents uintptr) (ch *Channel, err error) {
	const verb = "ibv_create_comp_channel"
	if c == nil {
		return nil, &verr.Error{Verb: verb, Errno: syscall.EINVAL, Msg: "wait for events without a channel"}
	}
	if getEvent == 0 || ackEvents == 0 {
		return nil, fail.Missing(verbNext, "ibv_get_cq_event, or no ibv_ack_cq_events", "", "")
	}
	ch = &Channel{object: uintptr(c), get: getEvent, ack: ackEvents}
	fd := channelFD(ch.object)
	if ch.w, err = poll.New(fd, verbNext, "the completion channel", ch.take); err != nil {
		return nil, err
	}
	return ch, nil
}

// made returns the error of a Channel that NewChannel did not make.
func (c *Channel) made(verb string) error {
	if c == nil || c.w == nil {
		return fail.NeverOpened(verb, "the completion channel")
	}
	return nil
}

// Next waits for the next event: ibv_get_cq_event(3). It returns the completion queue (struct ibv_cq *) and the
// cq_context with which the queue was made. Each event goes to exactly one caller, who must acknowledge it with Ack.
//
// If ctx ends before there is an event, Next returns the error of ctx. No event is lost by that: it stays in the
// channel, and an event that was already taken is returned even if ctx has ended. After Close the error is
// os.ErrClosed; any other error is that of the library. Taking an event that is already there allocates nothing.
func (c *Channel) Next(ctx context.Context) (cq unsafe.Pointer, cqContext uintptr, err error) {
	if err := c.made(verbNext); err != nil {
		return nil, 0, err
	}
	if err := c.w.Begin(ctx); err != nil {
		return nil, 0, err
	}
	defer c.w.Leave()
	if c.event.errno != 0 {
		return nil, 0, fail.Failed(verbNext, c.event.errno, nil)
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&c.event.cq)), c.event.context, nil
}

// take asks the library for an event; false when there is none yet.
func (c *Channel) take() bool {
	c.event = getEvent(c.get, c.object)
	return c.event.errno != syscall.EAGAIN
}

// Ack acknowledges n events of a completion queue: ibv_ack_cq_events, see ibv_get_cq_event(3). A queue with events that
// are not acknowledged cannot be destroyed: ibv_destroy_cq(3) waits for them. Ack takes a lock of the queue, so one
// call for many events is cheaper. For n below 1 it does nothing, and for a Channel that NewChannel did not make. It also works
// after Close.
func (c *Channel) Ack(cq unsafe.Pointer, n int) {
	for c != nil && c.ack != 0 && cq != nil && n > 0 {
		some := min(n, math.MaxInt32)
		ackEvents(c.ack, cq, some)
		n -= some
	}
}

// Close ends the use of the channel: every waiting Next returns os.ErrClosed, and when Close returns no Next uses the C
// object any more. It destroys nothing; events that nobody received stay in the channel. A second Close is
// os.ErrClosed.
func (c *Channel) Close() error {
	const verb = "ibv_destroy_comp_channel"
	if err := c.made(verb); err != nil {
		return err
	}
	return c.w.End(verb)
}

//go:build linux && cgo

package dpath

// This file is unsafe because it calls functions of the loaded library by their addresses and is answered addresses of C
// objects. What keeps it sound: neither is memory of Go, and the owner of the channel keeps it alive until Close is back.

/*
#cgo CFLAGS: -I${SRCDIR}/../abi
#include <errno.h>
#include <stdint.h>
#include "verbs_abi.h"

#cgo noescape verbsgen_dpath_get_event
#cgo nocallback verbsgen_dpath_get_event
#cgo nocallback verbsgen_dpath_ack_events

struct verbsgen_dpath_event {
	uintptr_t cq;
	uintptr_t context;
	int code; // 0 or an errno
};

static void verbsgen_dpath_get_event(uintptr_t get, uintptr_t channel, struct verbsgen_dpath_event *out)
{
	int (*f)(struct ibv_comp_channel *, struct ibv_cq **, void **) = (int (*)(struct ibv_comp_channel *, struct ibv_cq **, void **))get;
	struct ibv_cq *cq = NULL;
	void *context = NULL;

	out->code = 0;
	for (;;) {
		errno = 0; // a read of the wrong length fails without one
		if (f((struct ibv_comp_channel *)channel, &cq, &context) == 0)
			break;
		if (errno == EINTR)
			continue;
		out->code = errno > 0 ? errno : EIO;
		break;
	}
	out->cq = (uintptr_t)cq;
	out->context = (uintptr_t)context;
}

static void verbsgen_dpath_ack_events(uintptr_t ack, uintptr_t cq, unsigned int n)
{
	((void (*)(struct ibv_cq *, unsigned int))ack)((struct ibv_cq *)cq, n);
}

static int verbsgen_dpath_fd(uintptr_t channel) { return ((struct ibv_comp_channel *)channel)->fd; }
*/
import "C"

import (
	"context"
	"math"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/abi" // declarations of verbs_abi.h
	"github.com/verbsgen/verbsgen/runtime/verr"
	"golang.org/x/sys/unix"
)

const verbNext = "ibv_get_cq_event"

// Channel waits for events of completion queues on Go's poller: a goroutine that waits holds no thread. Make it with
// NewChannel. All methods may be called from any number of goroutines.
type Channel struct {
	object   uintptr // struct ibv_comp_channel *
	get, ack uintptr // functions of the library

	file *os.File        // a second descriptor of the channel's file, so that closing it leaves the first to the library
	raw  syscall.RawConn // of file

	turn    chan struct{} // full while one goroutine takes an event; it owns event
	closing chan struct{} // closed by Close
	once    sync.Once
	event   event
	attempt func(uintptr) bool // take, made once
}

// event is an answer of ibv_get_cq_event.
type event struct {
	cq      uintptr
	context uintptr
	errno   syscall.Errno
}

// NewChannel takes a completion channel (struct ibv_comp_channel *) into use. getEvent and ackEvents are the addresses of
// ibv_get_cq_event and ibv_ack_cq_events in the library that made it.
//
// The channel's file becomes non-blocking, for C code that uses it too. The caller calls Close before the channel is
// destroyed; when that is then refused, NewChannel may be called again, and no event is lost. Errors: EINVAL for
// a nil argument, the errno of fcntl(2), errors.ErrUnsupported for a file that cannot be waited for.
func NewChannel(c unsafe.Pointer, getEvent, ackEvents uintptr) (*Channel, error) {
	const verb = "ibv_create_comp_channel"
	if c == nil || getEvent == 0 || ackEvents == 0 {
		return nil, &verr.Error{Verb: verb, Errno: syscall.EINVAL, Msg: "wait for events without a channel or its functions"}
	}
	fd, err := unix.FcntlInt(uintptr(C.verbsgen_dpath_fd(C.uintptr_t(uintptr(c)))), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		if err = unix.SetNonblock(fd, true); err != nil {
			unix.Close(fd)
		}
	}
	if err != nil {
		errno, _ := err.(syscall.Errno)
		return nil, &verr.Error{Verb: verb, Errno: errno, Msg: "wait for events of the channel's file", Err: err}
	}
	ch := &Channel{object: uintptr(c), get: getEvent, ack: ackEvents, file: os.NewFile(uintptr(fd), "ibv_comp_channel"),
		turn: make(chan struct{}, 1), closing: make(chan struct{})}
	ch.attempt = func(uintptr) bool { return ch.take() }
	if ch.file.SetReadDeadline(time.Time{}) != nil { // what Go cannot poll has no deadlines
		ch.file.Close()
		return nil, &verr.Error{Verb: verb, Errno: syscall.EOPNOTSUPP, Msg: "the channel's file is of a kind that cannot be polled"}
	}
	if ch.raw, err = ch.file.SyscallConn(); err != nil {
		ch.file.Close()
		return nil, &verr.Error{Verb: verb, Msg: "wait for events of the channel's file", Err: err}
	}
	return ch, nil
}

// Next waits for the next event and gives its completion queue (struct ibv_cq *) and the cq_context that the queue was made
// with: ibv_get_cq_event(3). Each event goes to exactly one caller, and must be acknowledged by Ack.
//
// When ctx ends before there is an event, its error is the answer. No event is lost by that: it stays in the channel, and
// an event that was taken is given whatever ctx says meanwhile. After Close the error is os.ErrClosed; otherwise it
// is that of the library. An event that is there is taken without an allocation.
func (c *Channel) Next(ctx context.Context) (cq unsafe.Pointer, cqContext uintptr, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	select {
	case c.turn <- struct{}{}:
	default:
		select {
		case c.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case <-c.closing:
			return nil, 0, verr.Closed(verbNext, "the completion channel")
		}
	}
	defer func() { <-c.turn }()
	select {
	case <-c.closing:
		return nil, 0, verr.Closed(verbNext, "the completion channel")
	default:
	}
	if !c.take() {
		if err := c.wait(ctx); err != nil {
			return nil, 0, err
		}
	}
	if c.event.errno != 0 {
		return nil, 0, verr.Failed(verbNext, c.event.errno, nil)
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&c.event.cq)), c.event.context, nil
}

// take asks the library for an event; false when there is none yet. Only who has the turn calls it.
func (c *Channel) take() bool {
	var out C.struct_verbsgen_dpath_event
	C.verbsgen_dpath_get_event(C.uintptr_t(c.get), C.uintptr_t(c.object), &out)
	c.event = event{uintptr(out.cq), uintptr(out.context), syscall.Errno(out.code)}
	return c.event.errno != syscall.EAGAIN
}

// wait sleeps until take says true, which is the only way to nil. The end of ctx wakes it by a deadline, which is taken back
// before anybody else has the turn.
func (c *Channel) wait(ctx context.Context) error {
	if ctx.Done() != nil {
		fired := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			c.file.SetReadDeadline(time.Unix(1, 0))
			close(fired)
		})
		defer func() {
			if !stop() {
				<-fired
				c.file.SetReadDeadline(time.Time{})
			}
		}()
	}
	err := c.raw.Read(c.attempt)
	if err == nil {
		return nil
	}
	select {
	case <-c.closing:
		return verr.Closed(verbNext, "the completion channel")
	default:
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &verr.Error{Verb: verbNext, Msg: "wait for the channel's file", Err: err}
}

// Ack acknowledges n events of a completion queue: ibv_ack_cq_events, see ibv_get_cq_event(3). A queue with events that
// were given and not acknowledged cannot be destroyed: ibv_destroy_cq(3) waits for them. It takes a lock of the
// queue, so one call for many events is cheaper. Nothing happens for n below 1; a closed channel can still acknowledge.
func (c *Channel) Ack(cq unsafe.Pointer, n int) {
	for cq != nil && n > 0 {
		some := min(n, math.MaxInt32)
		C.verbsgen_dpath_ack_events(C.uintptr_t(c.ack), C.uintptr_t(uintptr(cq)), C.uint(some))
		n -= some
	}
}

// Close ends the use of the channel: all Next that wait give os.ErrClosed, and when it is back none touches the C object any
// more. It destroys nothing, and events that nobody took stay in the channel. A second Close is os.ErrClosed.
func (c *Channel) Close() error {
	err := verr.Closed("ibv_destroy_comp_channel", "the completion channel")
	c.once.Do(func() {
		close(c.closing)
		err = c.file.Close()
		c.turn <- struct{}{} // kept for good
	})
	return err
}

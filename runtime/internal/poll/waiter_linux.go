package poll

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
	"golang.org/x/sys/unix"
)

// Waiter lets goroutines take, one after the other, what comes on a file, and sleep on Go's poller until there is some.
type Waiter struct {
	verb string // for errors
	what string // is closed, in errors
	take func() bool

	file *os.File        // a second descriptor of the file, so that closing it leaves the first to the library
	raw  syscall.RawConn // of file

	turn    chan struct{} // full while one goroutine takes
	closing chan struct{} // closed by End
	once    sync.Once
	attempt func(uintptr) bool // take, made once
}

// New takes a descriptor into use, whose file becomes non-blocking. take asks for what came and is false when
// there is nothing; only who has the turn calls it.
func New(fd int, verb, what string, take func() bool) (*Waiter, error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		if err = unix.SetNonblock(own, true); err != nil {
			unix.Close(own)
		}
	}
	if err != nil {
		errno, _ := err.(syscall.Errno)
		return nil, &verr.Error{Verb: verb, Errno: errno, Msg: "wait for events of the file of " + what, Err: err}
	}
	w := &Waiter{verb: verb, what: what, take: take, file: os.NewFile(uintptr(own), "verbs events"),
		turn: make(chan struct{}, 1), closing: make(chan struct{}), attempt: func(uintptr) bool { return take() }}
	if w.file.SetReadDeadline(time.Time{}) != nil { // what Go cannot poll has no deadlines
		w.file.Close()
		return nil, &verr.Error{Verb: verb, Errno: syscall.EOPNOTSUPP, Msg: "the file of " + what + " is of a kind that cannot be polled"}
	}
	if w.raw, err = w.file.SyscallConn(); err != nil {
		w.file.Close()
		return nil, &verr.Error{Verb: verb, Msg: "wait for events of the file of " + what, Err: err}
	}
	return w, nil
}

// Begin waits until take was true. After a nil error the caller has the turn, until it calls Leave. If ctx ends first, its error is
// returned, and nothing that came is lost; after End the error is os.ErrClosed. A nil ctx is an error.
func (w *Waiter) Begin(ctx context.Context) error {
	if ctx == nil {
		return fail.NilValue(w.verb, "the context", "pass context.Background()")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case w.turn <- struct{}{}:
	default:
		select {
		case w.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		case <-w.closing:
			return w.closed()
		}
	}
	err := w.takeOrWait(ctx)
	if err != nil {
		w.Leave()
	}
	return err
}

// Leave gives the turn to the next.
func (w *Waiter) Leave() { <-w.turn }

func (w *Waiter) closed() error { return fail.Closed(w.verb, w.what) }

func (w *Waiter) takeOrWait(ctx context.Context) error {
	select {
	case <-w.closing:
		return w.closed()
	default:
	}
	if w.take() {
		return nil
	}
	return w.wait(ctx)
}

// wait sleeps until take says true, which is the only way to nil. The end of ctx wakes it by a deadline, which is taken back
// before anybody else has the turn.
func (w *Waiter) wait(ctx context.Context) error {
	if ctx.Done() != nil {
		fired := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			w.file.SetReadDeadline(time.Unix(1, 0))
			close(fired)
		})
		defer func() {
			if !stop() {
				<-fired
				w.file.SetReadDeadline(time.Time{})
			}
		}()
	}
	err := w.raw.Read(w.attempt)
	if err == nil {
		return nil
	}
	select {
	case <-w.closing:
		return w.closed()
	default:
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &verr.Error{Verb: w.verb, Msg: "wait for the file of " + w.what, Err: err}
}

// End makes all who wait give up. When it is back nobody takes any more. A second End is an error that verb made.
func (w *Waiter) End(verb string) error {
	err := fail.Closed(verb, w.what)
	w.once.Do(func() {
		close(w.closing)
		err = w.file.Close()
		w.turn <- struct{}{} // kept for good
	})
	return err
}

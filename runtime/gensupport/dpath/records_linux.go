package dpath

import (
	"context"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/internal/poll"
)

// Records waits for records that a library gives by a pointer, on a file of the library. NewRecords makes one. All methods may be called
// from any number of goroutines.
type Records[T any] struct {
	verb, closing string
	w             *poll.Waiter
	take          func() (*T, syscall.Errno, error)
	got           *T // of who has the turn
	errno         syscall.Errno
	err           error
}

// NewRecords starts the use of a file, which becomes non-blocking, also for C code that uses it. verb, the C function that gives a
// record, closing, the one that closes the file, and what, the object that has the file, are for errors. take asks for a record and
// gives it back to the library; it returns syscall.EAGAIN if there is none yet.
func NewRecords[T any](fd int, verb, closing, what string, take func() (*T, syscall.Errno, error)) (*Records[T], error) {
	r := &Records[T]{verb: verb, closing: closing, take: take}
	var err error
	if r.w, err = poll.New(fd, verb, what, r.try); err != nil {
		return nil, err
	}
	return r, nil
}

// try takes a record; false when there is none yet.
func (r *Records[T]) try() bool {
	for {
		r.got, r.errno, r.err = r.take()
		if r.errno != syscall.EINTR {
			return r.errno != syscall.EAGAIN
		}
	}
}

// Next waits for the next record. Each goes to exactly one caller. If ctx ends first, its error is returned, and no record is lost;
// after Close the error is os.ErrClosed.
func (r *Records[T]) Next(ctx context.Context) (*T, error) {
	if err := r.w.Begin(ctx); err != nil {
		return nil, err
	}
	defer r.w.Leave()
	switch {
	case r.errno != 0:
		return nil, fail.Failed(r.verb, r.errno, nil)
	case r.err != nil:
		return nil, r.err
	}
	return r.got, nil
}

// Close ends the use of the file: every waiting Next returns os.ErrClosed, and when Close returns no Next uses the library any more.
func (r *Records[T]) Close() error { return r.w.End(r.closing) }

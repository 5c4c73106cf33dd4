package dpath

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// pipe is a library that gives the bytes of a pipe as records.
type pipe struct {
	fd   int // of the end that is read: os.File.Fd would make the pipe blocking at each call
	w    *os.File
	fail map[byte]error // of records that cannot be taken over
}

func newPipe(t *testing.T) *pipe {
	t.Helper()
	r, w, err := os.Pipe()
	check(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	return &pipe{int(r.Fd()), w, map[byte]error{}}
}

func (p *pipe) take() (*byte, syscall.Errno, error) {
	b := make([]byte, 1)
	n, err := syscall.Read(p.fd, b)
	if errno, ok := err.(syscall.Errno); ok {
		return nil, errno, nil
	}
	if n == 0 {
		return nil, syscall.EPIPE, nil
	}
	return &b[0], 0, p.fail[b[0]]
}

func (p *pipe) give(t *testing.T, b ...byte) {
	t.Helper()
	if _, err := p.w.Write(b); err != nil {
		t.Fatal(err)
	}
}

func newRecords(t *testing.T, p *pipe) *Records[byte] {
	t.Helper()
	r, err := NewRecords(p.fd, "pipe_get", "pipe_close", "the pipe", p.take)
	check(t, err)
	return r
}

// TestRecords gives what is there and what comes later, each once and in order.
func TestRecords(t *testing.T) {
	p := newPipe(t)
	r := newRecords(t, p)
	p.give(t, 'a')
	if got, err := r.Next(t.Context()); err != nil || *got != 'a' {
		t.Errorf("%v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() { _, err := r.Next(ctx); waits <- err }()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was cancelled: %v", err)
	}
	go func() {
		got, err := r.Next(t.Context())
		if err == nil && *got != 'b' {
			err = errors.New("another record")
		}
		waits <- err
	}()
	p.give(t, 'b')
	check(t, <-waits)
}

// TestRecordsFail gives the error of the library and of a record that cannot be taken over, and goes on; after Close it is closed.
func TestRecordsFail(t *testing.T) {
	p := newPipe(t)
	r := newRecords(t, p)
	bad := errors.New("no handle")
	p.fail['x'] = bad
	p.give(t, 'x', 'y')
	if _, err := r.Next(t.Context()); !errors.Is(err, bad) {
		t.Errorf("a record without a handle: %v", err)
	}
	if got, err := r.Next(t.Context()); err != nil || *got != 'y' {
		t.Errorf("the next one: %v, %v", got, err)
	}
	p.w.Close()
	if _, err := r.Next(t.Context()); !errors.Is(err, syscall.EPIPE) || !strings.Contains(err.Error(), "pipe_get") {
		t.Errorf("an error of the library: %v", err)
	}
	check(t, r.Close())
	if _, err := r.Next(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := r.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a second Close: %v", err)
	}
	if _, err := NewRecords(-1, "pipe_get", "pipe_close", "the pipe", p.take); !errors.Is(err, syscall.EBADF) {
		t.Errorf("no file: %v", err)
	}
}

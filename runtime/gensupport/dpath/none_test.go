//go:build !linux || !cgo

package dpath

import (
	"context"
	"errors"
	"syscall"
	"testing"
)

// TestNone asks that all calls say that they are not to be had.
func TestNone(t *testing.T) {
	_, send := PostSendRange(nil, SendRange{})
	_, recv := PostRecvRange(nil, RecvRange{})
	_, spin := PollSpin(nil, nil, 1)
	both := PostAndPoll(nil, SendRange{}, nil, nil, 1)
	for i, errno := range []syscall.Errno{send, recv, spin, ReqNotify(nil, false), both.PostErrno, both.PollErrno} {
		if errno != syscall.ENOSYS {
			t.Errorf("call %d: %v", i, errno)
		}
	}
	c, err := NewChannel(nil, 0, 0)
	_, _, nextErr := c.Next(context.Background())
	for _, err := range []error{err, nextErr, c.Close()} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("channel: %v", err)
		}
	}
	c.Ack(nil, 1)
	a, err := NewAsync(nil, 0, 0)
	_, nextErr = a.Next(context.Background())
	for _, err := range []error{err, nextErr, a.Close()} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("events of a device: %v", err)
		}
	}
	a.Ack(AsyncEvent{})
}

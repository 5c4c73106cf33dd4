//go:build !linux || !cgo

package dpath

import (
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
	_, noChannel := NewChannel(nil, 0, 0)
	_, noAsync := NewAsync(nil, 0, 0)
	_, noEvents := NewEvents[int](0, "", "", "", nil)
	for _, err := range []error{noChannel, noAsync, noEvents} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("events: %v", err)
		}
	}
}

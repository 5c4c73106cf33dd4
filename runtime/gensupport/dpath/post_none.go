//go:build !linux || !cgo

package dpath

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// PostSend is ENOSYS: no queue pair can exist where verbs are not to be had.
func PostSend(*gate.Gate, *SendBatch, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

// PostSendFrom is ENOSYS.
func PostSendFrom(*gate.Gate, *SendBatch, int, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

// PostRecv is ENOSYS.
func PostRecv(*gate.Gate, *RecvBatch, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

// PostRecvFrom is ENOSYS.
func PostRecvFrom(*gate.Gate, *RecvBatch, int, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

func post[W record](int, *gate.Gate, *requests[W], int, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

// PollCQ is ENOSYS.
func PollCQ(*gate.Gate, []WC) (n int, errno syscall.Errno) { return 0, syscall.ENOSYS }

// PollSpin is ENOSYS.
func PollSpin(*gate.Gate, []WC, int) (n int, errno syscall.Errno) { return 0, syscall.ENOSYS }

// PostAndPoll is ENOSYS.
func PostAndPoll(*gate.Gate, SendRange, *gate.Gate, []WC, int) Posted {
	return Posted{PostErrno: syscall.ENOSYS, PollErrno: syscall.ENOSYS}
}

// ReqNotify is ENOSYS.
func ReqNotify(*gate.Gate, bool) syscall.Errno { return syscall.ENOSYS }

func addresses() *gate.Gate { return new(gate.Gate) }

func watchWindows() {}

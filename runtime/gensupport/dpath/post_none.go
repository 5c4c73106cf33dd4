//go:build !linux || !cgo

package dpath

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// post is ENOSYS: no queue can exist where verbs are not to be had.
func post[W record](int, *gate.Gate, *requests[W], int, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

func stateOf(*gate.Gate) int { return -1 }

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

//go:build !linux || !cgo

package dpath

import (
	"syscall"
	"unsafe"
)

// PostSend is ENOSYS: no queue pair can exist where verbs are not to be had.
func PostSend(unsafe.Pointer, *SendBatch, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

// PostSendFrom is ENOSYS.
func PostSendFrom(unsafe.Pointer, *SendBatch, int, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

// PostRecv is ENOSYS.
func PostRecv(unsafe.Pointer, *RecvBatch, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

// PostRecvFrom is ENOSYS.
func PostRecvFrom(unsafe.Pointer, *RecvBatch, int, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

// PollCQ is ENOSYS.
func PollCQ(unsafe.Pointer, []WC) (n int, errno syscall.Errno) { return 0, syscall.ENOSYS }

// PollSpin is ENOSYS.
func PollSpin(unsafe.Pointer, []WC, int) (n int, errno syscall.Errno) { return 0, syscall.ENOSYS }

// ReqNotify is ENOSYS.
func ReqNotify(unsafe.Pointer, bool) syscall.Errno { return syscall.ENOSYS }

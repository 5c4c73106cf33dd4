package dpath

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// The flags by which the generated package has constants.
const (
	FlagFence      = flagFence
	FlagSignaled   = flagSignaled
	FlagSolicited  = flagSolicited
	FlagInline     = flagInline
	FlagIPChecksum = flagIPChecksum
)

// At returns where the request lies.
func (w SendWR) At() unsafe.Pointer { return unsafe.Pointer(w.r) }

// SendSize is the size of a send request.
const SendSize = unsafe.Sizeof(SendRequest{})

// PostSend posts the first n requests of a batch. It returns the number of the refused one, as post does.
func PostSend(qp *gate.Gate, b *SendBatch, n int) (bad int, errno syscall.Errno) {
	return PostSendFrom(qp, b, 0, n)
}

// PostSendFrom posts n requests from number first on.
func PostSendFrom(qp *gate.Gate, b *SendBatch, first, n int) (bad int, errno syscall.Errno) {
	return post(toSend, qp, b.requests(), first, n)
}

// PostRecv posts the first n requests of a batch. It returns the number of the refused one, as post does.
func PostRecv(qp *gate.Gate, b *RecvBatch, n int) (bad int, errno syscall.Errno) {
	return PostRecvFrom(qp, b, 0, n)
}

// PostRecvFrom posts n requests from number first on.
func PostRecvFrom(qp *gate.Gate, b *RecvBatch, first, n int) (bad int, errno syscall.Errno) {
	return post(toRecv, qp, b.requests(), first, n)
}

// PollCQ polls once.
func PollCQ(cq *gate.Gate, wcs []WC) (n int, errno syscall.Errno) { return PollSpin(cq, wcs, 1) }

package dpath

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// What a queue pair or a completion queue may lack, for gate.Gate.Lack. A provider does not look: it reads through NULL, or takes a
// lock that was never made.
const (
	LacksSend   = 1 << toSend // a queue pair without a send queue
	LacksRecv   = 1 << toRecv // a queue pair without a receive queue
	LacksEvents = 1 << 5      // a completion queue without what a provider asks for an event with
	LacksOwn    = 1 << 6      // a queue pair that has no queue of its own: an object of another kind in the device

	LacksQueues = LacksSend | LacksRecv | LacksOwn
)

// refuse returns the results of a post to a queue that may lack what it needs. Where rules say why, the errno is that of a provider
// which looks.
func refuse(queue *gate.Gate, to, first int) (bad int, errno syscall.Errno) {
	lacks := queue.Lacks()
	switch {
	case lacks&(1<<to) == 0:
		return -1, 0
	case lacks&LacksOwn != 0:
		return -1, fail.ErrnoNoQueues
	}
	return first, syscall.EINVAL
}

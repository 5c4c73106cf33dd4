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
	LacksPath   = 1 << 7      // a queue pair whose provider divides by the path MTU that it learns on the way to RTR

	LacksQueues = LacksSend | LacksRecv | LacksOwn
)

// refuse returns the results of a post to a queue that may lack what it needs. Where rules say why, the errno is that of a provider
// which looks.
func refuse(queue *gate.Gate, to, first int) (bad int, errno syscall.Errno) {
	lacks := queue.Lacks()
	switch {
	case lacks&LacksPath != 0 && !FindPath(queue) && to == toSend:
		return -1, fail.ErrnoNoPath
	case lacks&(1<<to) == 0:
		return -1, 0
	case lacks&LacksOwn != 0:
		return -1, fail.ErrnoNoQueues
	}
	return first, syscall.EINVAL
}

// FindPath looks whether a queue pair that LacksPath has one by now, and keeps that: also a post in state ERR may divide, but only if the
// queue pair was in RTR before. So it is called after each change of state that the handle sees, and by posts of both kinds, as a
// connection manager changes the state without it. A queue pair that was closed has a path: the post says what is wrong.
func FindPath(qp *gate.Gate) bool {
	if qp.Lacks()&LacksPath == 0 {
		return true
	}
	switch state := stateOf(qp); {
	case state < 0:
		return true
	case state < stateRTR || state > stateSQE:
		return false
	}
	qp.Gain(LacksPath)
	return true
}

// The first and the last state of a queue pair with a path.
const (
	stateRTR = 2 // IBV_QPS_RTR
	stateSQE = 5 // IBV_QPS_SQE
)

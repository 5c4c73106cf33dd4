package fail

import (
	"strings"
	"syscall"
	"testing"
)

// TestQueueSize names what may be too large, and nothing that was not asked for.
func TestQueueSize(t *testing.T) {
	const inline = "MaxInlineData is 4096, and the device may carry less inline; no capability says how much that is"
	const room = "MaxSendWR is 20000 of at most 32768 (max_qp_wr), which is the limit for the smallest requests: those with MaxSendSGE " +
		"4 and MaxInlineData 0 take more room; ask for fewer"
	for _, c := range []struct {
		errno syscall.Errno
		q     Queue
		want  string
	}{
		{syscall.EINVAL, Queue{SendWR: 16, SendSGE: 1, Inline: 4096, Most: 32768}, inline},
		{syscall.EINVAL, Queue{SendWR: 16, SendSGE: 4, Most: 32768}, ""},
		{syscall.EINVAL, Queue{SendWR: 20000, SendSGE: 4, Most: 32768}, room},
		{syscall.EINVAL, Queue{SendWR: 20000, SendSGE: 1, Most: 32768}, ""},
		{syscall.EINVAL, Queue{SendWR: 40000, SendSGE: 4, Most: 32768}, ""}, // a rule says so
		{syscall.EPERM, Queue{SendWR: 20000, SendSGE: 4, Inline: 4096, Most: 32768}, ""},
	} {
		if got := strings.Join(QueueSize(c.errno, c.q), "; or "); got != c.want {
			t.Errorf("%v, %+v: %q, want %q", c.errno, c.q, got, c.want)
		}
	}
}

// TestCreateQP tells what the library refuses of an identifier from what the device does.
func TestCreateQP(t *testing.T) {
	const gone = "the peer has given the connection up, or it has ended, and the library can no longer prepare a queue pair for it; " +
		"close the identifier; or the queue pair is larger than the device makes it"
	for _, c := range []struct {
		errno    syscall.Errno
		own, typ uint32
		peer     bool
		want     string
	}{
		{syscall.EINVAL, typeRC, typeUD, false, "the queue pair is of type UD, and an identifier of PortSpaceTCP is for type RC; create it " +
			"as RC, or the identifier in the port space of UD"},
		{syscall.EINVAL, typeRC, typeRC, true, gone},
		{syscall.EINVAL, typeRC, typeRC, false, ""},
		{syscall.ENOMEM, typeRC, typeUD, true, ""},
	} {
		if got := strings.Join(CreateQP(c.errno, spaceTCP, c.own, c.typ, c.peer, Queue{}), "; or "); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

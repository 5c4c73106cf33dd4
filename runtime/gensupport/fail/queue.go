package fail

import (
	"fmt"
	"syscall"
)

// Queue is what a queue of sends was asked to hold.
type Queue struct {
	SendWR, SendSGE, Inline uint32
	Most                    int // max_qp_wr of the device, 0 if it is not known
}

// QueueSize explains a queue pair that is larger than the device makes it, by limits that no capability names.
func QueueSize(errno syscall.Errno, q Queue) (hints []string) {
	if errno != syscall.EINVAL && errno != syscall.ENOMEM {
		return nil
	}
	if q.Inline > 0 {
		hints = append(hints, fmt.Sprintf("MaxInlineData is %d, and the device may carry less inline; no capability says how much that is",
			q.Inline))
	}
	if q.Most > 0 && int64(q.SendWR) <= int64(q.Most) && 2*int64(q.SendWR) > int64(q.Most) && (q.SendSGE > 1 || q.Inline > 0) {
		hints = append(hints, fmt.Sprintf("MaxSendWR is %d of at most %d (max_qp_wr), which is the limit for the smallest requests: those with "+
			"MaxSendSGE %d and MaxInlineData %d take more room; ask for fewer", q.SendWR, q.Most, q.SendSGE, q.Inline))
	}
	return hints
}

// Types of queue pairs, and the port space of connections (enum ibv_qp_type, enum rdma_port_space).
const (
	typeRC, typeUC, typeUD = 2, 3, 4
	spaceTCP               = 0x0106
)

// CreateQP explains a queue pair of an identifier of a port space, whose own type the library goes by. It takes the queue pair through its
// states as one of that type (librdmacm/cma.c, rdma_create_qp_ex). peer is that it has begun to connect: what the peer gave up has no
// attributes any more (core/cm.c, cm_init_qp_init_attr).
func CreateQP(errno syscall.Errno, space, own, typ uint32, peer bool, q Queue) []string {
	if errno != syscall.EINVAL {
		return QueueSize(errno, q)
	}
	names := map[uint32]string{typeRC: "RC", typeUC: "UC", typeUD: "UD"}
	if (own == typeUD) != (typ == typeUD) && names[own] != "" && names[typ] != "" {
		of := fmt.Sprintf("port space 0x%x", space)
		if space == spaceTCP {
			of = "PortSpaceTCP"
		}
		return []string{fmt.Sprintf("the queue pair is of type %s, and an identifier of %s is for type %s; create it as %s, or the identifier "+
			"in the port space of %s", names[typ], of, names[own], names[own], names[typ])}
	}
	if !peer {
		return QueueSize(errno, q)
	}
	// What was asked for is not known any more: the library may have stored what was granted over it.
	return []string{"the peer has given the connection up, or it has ended, and the library can no longer prepare a queue pair for it; " +
		"close the identifier", "the queue pair is larger than the device makes it"}
}

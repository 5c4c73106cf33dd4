//go:build ignore

//verbsgen:with rdma_create_qp

package verbs

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// explainCreateQP says what the library or the device may not take of a queue pair. The struct is a struct ibv_qp_init_attr.
func (id *ID) explainCreateQP(errno syscall.Errno, attr unsafe.Pointer) []string {
	const cap, typ = 32, 52 // where max_send_wr and qp_type are
	c, no := (*cID)(id.h.C), fail.Sure(0)
	peer := id.requested.Known() != no || id.connecting.Known() != no
	return fail.CreateQP(errno, c.ps, c.qp_type, cmem.At[uint32](attr, typ), peer, fail.Queue{SendWR: cmem.At[uint32](attr, cap),
		SendSGE: cmem.At[uint32](attr, cap+8), Inline: cmem.At[uint32](attr, cap+16)})
}

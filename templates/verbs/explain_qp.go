//go:build ignore

//verbsgen:with QP capabilities

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// explainQP says what of a queue pair the device may not have.
func (dev *Device) explainQP(errno syscall.Errno, typ uint32, c *cQPCap) []string {
	if typ == uint32(QPTypeRawPacket) && errno == syscall.EPERM {
		return fail.NetRaw(dev.lib.src, errno, "raw packets")
	}
	most := 0
	if caps := dev.capabilities(); caps != nil {
		most = int(caps.orig_attr.max_qp_wr)
	}
	return fail.QueueSize(errno, fail.Queue{SendWR: c.max_send_wr, SendSGE: c.max_send_sge, Inline: c.max_inline_data, Most: most})
}

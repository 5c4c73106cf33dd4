//go:build ignore

//verbsgen:with ibv_create_flow

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// explainCreateFlow explains the errnos that are not about the flow alone.
func (qp *QP) explainCreateFlow(errno syscall.Errno, _ *cFlowAttr) []string {
	if errno == syscall.EEXIST {
		return []string{"the device has an equal flow already (port, type, priority and specs), of this program or of another; close it, or " +
			"give this one another Priority"}
	}
	return fail.NetRaw(qp.lib.src, errno, "flows")
}

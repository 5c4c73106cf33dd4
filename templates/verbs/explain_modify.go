//go:build ignore

//verbsgen:with AHAttr ibv_modify_qp ibv_query_port ibv_query_gid capabilities

package verbs

import (
	"fmt"
	"syscall"
)

// explainModifyQP explains the path, and says that the peer may have more reads under way than the device can hold.
func (qp *QP) explainModifyQP(errno syscall.Errno, attr *cQPAttr) []string {
	hints := qp.dev.explainPath(errno, &attr.ah_attr)
	caps := qp.dev.capabilities()
	if caps == nil {
		return hints
	}
	if most := caps.orig_attr.max_res_rd_atom; int64(most) > 0 && int64(attr.max_dest_rd_atomic) > int64(most) {
		hints = append(hints, fmt.Sprintf("MaxDestRDAtomic is %d, and all queue pairs of the device together have %d (max_res_rd_atom); "+
			"ask for less", attr.max_dest_rd_atomic, most))
	}
	return hints
}

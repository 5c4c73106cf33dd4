//go:build ignore

//verbsgen:with QP ibv_create_qp ibv_modify_qp

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// begun notes that posts to the queue pair divide by the path MTU, which is 0 until RTR: bnxt_re_fill_psns of rdma-core 65.0.
func (qp *QP) begun() {
	if QPType((*cQP)(qp.h.C).qp_type) == QPTypeRC && fail.Is(qp.lib.src, qp.dev.h.Label(), "bnxt_re") {
		qp.gate.Lack(dpath.LacksPath)
	}
}

// afterModifyQP looks whether it has a path MTU now.
func (qp *QP) afterModifyQP() { dpath.FindPath(&qp.gate) }

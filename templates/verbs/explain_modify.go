//go:build ignore

//verbsgen:with AHAttr ibv_modify_qp ibv_query_port ibv_query_gid

package verbs

import "syscall"

// explainModifyQP explains the path.
func (qp *QP) explainModifyQP(errno syscall.Errno, attr *cQPAttr) []string {
	return qp.dev.explainPath(errno, &attr.ah_attr)
}

//go:build ignore

//verbsgen:with ibv_create_qp capabilities

package verbs

import "syscall"

func (pd *PD) explainCreateQP(errno syscall.Errno, attr *cQPInitAttr) []string {
	return pd.dev.explainQP(errno, attr.qp_type, &attr.cap)
}

//go:build ignore

//verbsgen:with QP ibv_query_device_ex ibv_create_qp

package verbs

import "syscall"

func (pd *PD) explainCreateQP(errno syscall.Errno, attr *cQPInitAttr) []string {
	return pd.dev.explainQP(errno, attr.qp_type, &attr.cap)
}

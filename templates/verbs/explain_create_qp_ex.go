//go:build ignore

//verbsgen:with ibv_create_qp_ex capabilities

package verbs

import "syscall"

func (dev *Device) explainCreateQPEx(errno syscall.Errno, attr *cQPInitAttrEx) []string {
	return dev.explainQP(errno, attr.qp_type, &attr.cap)
}

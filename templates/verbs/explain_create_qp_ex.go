//go:build ignore

//verbsgen:with QP ibv_query_device_ex ibv_create_qp_ex

package verbs

import "syscall"

func (dev *Device) explainCreateQPEx(errno syscall.Errno, attr *cQPInitAttrEx) []string {
	return dev.explainQP(errno, attr.qp_type, &attr.cap)
}

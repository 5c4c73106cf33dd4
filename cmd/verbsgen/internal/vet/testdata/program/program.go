// Package program passes values through a function.
package program

import (
	v "github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func flags(pd *v.PD, dm *v.DM, buf []byte, some v.MRAccess, deep bool) {
	_, _ = pd.RegMR(buf, v.MRAccessRemoteWrite) // want VR-ibv_reg_mr-access-0001 |v.MRAccessLocalWrite
	//verbsgen:ignore VR-ibv_reg_mr-access-0001 on purpose
	_, _ = pd.RegMR(buf, v.MRAccessRemoteWrite)
	_, _ = pd.RegMR(buf, v.MRAccessRemoteWrite|v.MRAccessLocalWrite)
	_, _ = pd.RegMR(buf, v.MRAccessRemoteWrite|some)
	_, _ = pd.RegDMMR(dm, 0, 64, v.DMAccessLocalWrite) // want VR-ibv_reg_dm_mr-access-0002 |v.DMAccessZeroBased
	access := v.MRAccessRemoteWrite
	if deep {
		access |= v.MRAccessLocalWrite
	}
	_, _ = pd.RegMR(buf, access)
	access = v.MRAccessRemoteWrite
	if deep {
		access |= v.MRAccessLocalWrite
		return
	}
	_, _ = pd.RegMR(buf, access) // want VR-ibv_reg_mr-access-0001 |v.MRAccessLocalWrite
	for range 3 {
		_, _ = pd.RegMR(buf, access)
		access |= v.MRAccessLocalWrite
	}
	const fixed = v.MRAccessRemoteAtomic
	func() { _, _ = pd.RegMR(buf, fixed) }() // want VR-ibv_reg_mr-access-0003 |v.MRAccessLocalWrite
}

func address(pd *v.PD, buf []byte, change func(*v.MRAccess)) {
	access := v.MRAccessRemoteWrite
	change(&access)
	_, _ = pd.RegMR(buf, access)
}

func structs(pd *v.PD, cq *v.CQ) {
	attr := v.QPInitAttr{Type: v.QPTypeRC}
	attr.SendCQ = cq
	_, _ = pd.CreateQP(attr) // want VR-ibv_create_qp-recv_cq-0300
	attr.RecvCQ = cq
	_, _ = pd.CreateQP(attr)
}

func builders(dev *v.Device, pd *v.PD, qp *v.QP, other func(*v.SRQInitAttrEx)) {
	a := v.NewSRQInitAttrEx(pd, 10, 1)
	a.Type(v.SRQTypeXRC)
	_, _ = dev.CreateSRQEx(a) // want VR-ibv_create_srq_ex-comp_mask-1205
	other(a)
	_, _ = dev.CreateSRQEx(a)
	_ = qp.Modify(v.NewQPAttr(v.QPStateInit).Timeout(40)) // want VR-ibv_modify_qp-timeout-0241
	_, _ = pd.RegMREx(v.NewMRInitAttr(0, 0).Memory(mem.Bytes(nil)))
	_, _ = pd.RegMREx(v.NewMRInitAttr(0, 0).Memory(mem.Addr(4096, 0))) // want VR-ibv_reg_mr_ex-length-0060
	_, _ = dev.QueryPort(0)                                            // want VR-ibv_query_port-port_num-0170
}

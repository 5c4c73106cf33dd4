// Package states changes the states of objects that it makes.
package states

import v "github.com/verbsgen/verbsgen/gen/verbs"

func states(pd *v.PD, cq *v.CQ, other func(*v.QP)) error {
	qp, err := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeUC, SendCQ: cq, RecvCQ: cq,
		MaxSendWR: 1, MaxSendSGE: 1, MaxRecvWR: 1, MaxRecvSGE: 1})
	if err != nil {
		return err
	}
	_ = qp.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1)) // want VR-ibv_modify_qp-attr_mask-0221
	_ = qp.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1).AccessFlags(0))
	_ = qp.Modify(v.NewQPAttr(v.QPStateRTR)) // want VR-ibv_modify_qp-attr_mask-0221
	other(qp)
	_ = qp.Num()
	_ = qp.Modify(v.NewQPAttr(v.QPStateRTS).Timeout(1)) // want VR-ibv_modify_qp-attr_mask-0221, VR-ibv_modify_qp-attr_mask-0227
	return qp.Modify(v.NewQPAttr(v.QPStateErr))
}

func Memory(dev *v.Device, pd *v.PD) error {
	dm, err := dev.AllocDM(v.NewAllocDMAttr(4096))
	if err != nil {
		return err
	}
	_, _ = pd.RegDMMR(dm, 0, 8192, v.DMAccessZeroBased) // want VR-ibv_reg_dm_mr-dm_offset-0123
	_, err = pd.RegDMMR(dm, 0, 4096, v.DMAccessZeroBased)
	return err
}

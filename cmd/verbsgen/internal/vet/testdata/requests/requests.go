// Package requests fills in requests of batches and posts them.
package requests

import v "github.com/verbsgen/verbsgen/gen/verbs"

func Posted(pd *v.PD, cq *v.CQ, ah *v.AH, other func()) error {
	ud, err := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeUD, SendCQ: cq, RecvCQ: cq, SignalAll: true})
	if err != nil {
		return err
	}
	b, err := v.NewSendBatch(4, 2)
	if err != nil {
		return err
	}
	_ = ud.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1).QKey(1))
	_, _ = ud.PostSend(b, 1) // want VR-ibv_post_send-ah-0354, VR-ibv_post_send-state-0357
	_ = ud.Modify(v.NewQPAttr(v.QPStateRTR))
	_ = ud.Modify(v.NewQPAttr(v.QPStateRTS).SQPSN(0))
	_ = ah.Address(b.WR(0).Send(1), 1, 1)
	_, err = ud.PostSend(b, 1)
	b.WR(1).Write(2, 4096, 1). // want VR-ibv_post_send-opcode-0335
					Flags(v.SendSignaled) // want VR-ibv_post_send-send_flags-0342
	_, err = ud.PostSend(b, 1)
	_, err = ud.PostSend(b, 2)
	_, err = ud.PostSendRange(b.From(1, 1))
	other()
	b.WR(1).Send(2)
	_, err = ud.PostSend(b, 2)
	return err
}

func loop(qp *v.QP, b *v.SendBatch, mr *v.MR, n int, r uint64) {
	for i := range n {
		b.WR(i).Read(1, r, 1).SGE(0, 8, 1).
			Flags(v.SendInline) // want VR-ibv_post_send-send_flags-0344
		s, _ := mr.SGE(0, 4)
		b.WR(i).FetchAdd(1, 4, 1, 1). // want VR-ibv_post_send-remote_addr-0352
						Add(s) // want VR-ibv_post_send-length-0353
		b.WR(i).FetchAdd(1, r, 1, 1).Add(v.SGE{Addr: 1, Length: 8}).Flags(v.SendFence)
	}
	_, _ = qp.PostSend(b, n)
}

func Receives(pd *v.PD, cq *v.CQ, srq *v.SRQ, b *v.RecvBatch) {
	qp, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1})
	_ = qp.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1).QKey(1))
	b.WR(0).Recv(1).SGE(0, 39, 1)
	_, _ = qp.PostRecv(b, 1) // want VR-ibv_post_recv-sg_list-0364
	_, _ = srq.PostRecv(b, 1)
	rc, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq, SRQ: srq})
	_, _ = rc.PostRecv(b, 1) // want VR-ibv_post_recv-state-0365
}

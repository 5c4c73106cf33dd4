// Package all ranges over the requests of a batch: they are judged where they are built, and nothing is known of the batch afterwards.
package all

import v "github.com/verbsgen/verbsgen/gen/verbs"

func All(pd *v.PD, cq *v.CQ, r uint64) {
	ud, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeUD, SendCQ: cq, RecvCQ: cq, SignalAll: true})
	_ = ud.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1).QKey(1))
	_ = ud.Modify(v.NewQPAttr(v.QPStateRTR))
	_ = ud.Modify(v.NewQPAttr(v.QPStateRTS).SQPSN(0))
	b, _ := v.NewSendBatch(4, 2)
	b.WR(1).Write(2, 4096, 1)
	requests := b.All()
	for _, w := range requests {
		w.Send(1)
	}
	_, _ = ud.PostSend(b, 2)
	for i, w := range b.All() {
		w.Read(uint64(i), r, 1).SGE(0, 8, 1).
			Flags(v.SendInline) // want VR-ibv_post_send-send_flags-0344
	}
}

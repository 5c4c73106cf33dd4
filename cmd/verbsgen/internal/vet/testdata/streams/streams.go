// Package streams posts requests to streams of commands.
package streams

import v "github.com/verbsgen/verbsgen/gen/verbs"

func Streams(dev *v.Device, pd *v.PD, cq *v.CQ, b *v.SendBatch, hdr []byte) {
	qp, _ := dev.CreateQPEx(v.NewQPInitAttrEx(v.QPTypeUC, cq, cq, pd))
	s, _ := qp.Stream()
	b.WR(0).FetchAdd(1, 4, 1, 1) // want VR-ibv_wr_atomic_fetch_add-remote_addr-3120
	_, _ = s.Post(b, 1)          // want VR-ibv_wr_atomic_fetch_add-qp_type-3102
	b.WR(0).Write(1, 4, 1)
	b.WR(1).SendTSO(1, hdr[:0], 1000)
	_, _ = s.Post(b, 1)
	_, _ = s.PostRange(b.From(1, 1)) // want VR-ibv_wr_send_tso-qp_type-3113
}

// Package parameters passes arguments that are more, or fewer, than a parameter of C: memory with its length, a dma-buf, a list with its
// count, flags one by one, and windows and headers in requests.
package parameters

import (
	v "github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func memory(pd *v.PD, mr *v.MR, counters *v.Counters, fd int) {
	_, _ = pd.RegMR(make([]byte, 0), 1)       // want VR-ibv_reg_mr-length-0012
	_, _ = pd.RegMRFrom(mem.Addr(0, 4096), 1) // want VR-ibv_reg_mr-addr-0201
	_, _ = pd.RegMRFrom(mem.Addr(4096, 4096), 1)
	_, _ = pd.RegDMABufMR(mem.DMABuf{FD: fd, Offset: 4160}, 131072, 0) // want VR-ibv_reg_dmabuf_mr-iova-0046
	_, _ = pd.RegDMABufMR(mem.DMABuf{fd, 4160, 0}, 4160, 0)
	_ = counters.Read(make([]uint64, 0), 0) // want VR-ibv_read_counters-ncounters-0758
	_ = counters.Read(make([]uint64, 1), 0)
}

func Requests(pd *v.PD, cq *v.CQ, qp *v.QP, mr *v.MR) {
	window, _ := pd.AllocMW(v.MWType1)
	b, _ := v.NewSendBatch(1, 1)
	_ = window.Bind(b.WR(0), 1, v.MWBindAttr{MR: mr})
	_, _ = qp.PostSend(b, 1)                                        // want VR-ibv_post_send-type-0356
	_ = new(v.MW).Bind(b.WR(0), 1, v.MWBindAttr{MR: mr, Access: 1}) // want VR-ibv_post_send-mw_access_flags-0366
	_, _ = qp.PostSend(b, 1)
	rc, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	b.WR(0).Send(0).ToSRQ(1) // want VR-ibv_post_send-remote_srqn-1228
	_, _ = rc.PostSend(b, 1) // want VR-ibv_post_send-state-0357
	s, _ := qp.Stream()
	b.WR(0).SendTSO(0, make([]byte, 13), 0) // want VR-ibv_wr_send_tso-hdr_sz-4006
	_, _ = s.Post(b, 1)
	xrc, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeXRCSend, SendCQ: cq}) // want VR-ibv_create_qp-qp_type-0298
	s, _ = xrc.Stream()
	b.WR(0).Send(0).ToSRQ(1 << 24) // want VR-ibv_wr_set_xrc_srqn-remote_srqn-3118
	_, _ = s.Post(b, 1)
	_, _, _ = qp.Query(v.QPField(1), v.QPField(1<<30)) // want VR-ibv_query_qp-attr_mask-2020
}

// Package advanced changes requests after they were built: they are not judged.
package advanced

import v "github.com/verbsgen/verbsgen/gen/verbs"

func ring(qp *v.QP, b *v.SendBatch, n int) {
	for i := range n {
		b.WR(i).FetchAdd(1, 4, 1, 1).SGE(0, 8, 1)
	}
	b.From(0, n).Advance(v.Stride{Remote: 4})
	_, _ = qp.PostSend(b, n)
}

func known(qp *v.QP, b *v.SendBatch) {
	b.WR(0).FetchAdd(1, 4, 1, 1).SGE(0, 8, 1)
	b.From(0, 1).Advance(v.Stride{Remote: 4})
	_, _ = qp.PostSend(b, 1)
	b.WR(0).FetchAdd(1, 4, 1, 1).SGE(0, 8, 1) // want VR-ibv_post_send-remote_addr-0352
	_, _ = qp.PostSend(b, 1)
}

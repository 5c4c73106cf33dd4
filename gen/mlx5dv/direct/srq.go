//go:build linux && (amd64 || arm64)

package direct

import (
	"math/bits"

	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// SRQ is a shared receive queue to which Go writes. Use it only by pointer.
//
// C: struct mlx5dv_srq, mlx5dv_init_obj(3).
type SRQ struct {
	h object.Handle
	q shared
}

// TakeSRQ takes a shared receive queue from libmlx5, before the first receive is posted to it. From then on PostRecv of srq writes to the
// memory of the queue. Every queue pair that it serves must be taken too.
//
// C: mlx5dv_init_obj, mlx5dv_init_obj(3).
func TakeSRQ(dv *mlx5dv.Lib, srq *verbs.SRQ, opts ...Option) (*SRQ, error) {
	const verb = "mlx5dv_init_obj"
	info, err := dv.InitSRQ(srq)
	if err != nil {
		return nil, err
	}
	limits, err := srq.Query()
	if err != nil {
		return nil, err
	}
	t, err := take(verb, "srq", srq.Device().Lib(), srq)
	if err != nil {
		return nil, err
	}
	defer t.Exit()
	o := new(SRQ)
	q := &o.q
	q.shared, q.back.shared = chosen(opts).shared, true
	q.buf, q.shift = at(info.Buf), uint32(bits.TrailingZeros32(info.Stride))
	q.room, q.sges = limits.MaxSGE, limits.MaxSGE
	q.head, q.tail, q.rec = info.Head, info.Tail, (*uint32)(at(info.DBRec))
	if *q.rec != 0 {
		return nil, fail.Invalid(verb, "receives were posted to "+srq.String()+" before; take it before")
	}
	q.ids = make([]uint64, q.tail+1) // behind the last free entry are those that libmlx5 holds back
	if err := opened(t, "direct.SRQ", &o.h, o, o.end); err != nil {
		return nil, err
	}
	dpath.Take(t.gate, &dpath.Native{Recv: q.postRange})
	return o, nil
}

func (o *SRQ) end() error {
	if !o.q.stop() {
		return busy(o.String())
	}
	o.q.retire()
	return nil
}

// Close ends the use of the queue and waits for running calls. The verbs.SRQ can then only be closed.
func (o *SRQ) Close() error { return o.base().Close() }

// String returns the name that error messages use for the queue.
func (o *SRQ) String() string { return o.base().String() }

func (o *SRQ) base() *object.Handle {
	if o == nil {
		return object.Nil("direct.SRQ", "mlx5dv_init_obj")
	}
	return o.h.Or("direct.SRQ", "mlx5dv_init_obj")
}

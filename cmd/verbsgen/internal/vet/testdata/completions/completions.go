// Package completions waits where no wait can succeed, checks no completion, and takes requests that a batch does not have.
package completions

import (
	"context"

	v "github.com/verbsgen/verbsgen/gen/verbs"
)

func waits(ctx context.Context, dev *v.Device, ch *v.CompChannel, wcs []v.WC) error {
	none, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return err
	}
	defer none.Close()
	if _, err := none.Wait(ctx, wcs); err != nil { // want completion
		return err
	}
	one, err := dev.CreateCQ(1, ch, 0)
	if err != nil {
		return err
	}
	defer one.Close()
	_, err = one.Wait(ctx, wcs)
	either, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		either, err = dev.CreateCQ(1, ch, 0)
	}
	defer either.Close()
	_, err = either.Wait(ctx, wcs)
	return err
}

func unread(cq *v.CQ) (n uint32) {
	wcs := make([]v.WC, 4)
	got, _ := cq.PollInto(wcs) // want completion
	for _, wc := range wcs[:got] {
		n += wc.ByteLen
	}
	return n
}

func one(cq *v.CQ) uint32 {
	var wcs [1]v.WC
	_, _ = cq.PollInto(wcs[:]) // want completion
	return wcs[0].ImmData
}

func checked(cq *v.CQ) (n uint32) {
	wcs := make([]v.WC, 4)
	got, _ := cq.PollInto(wcs)
	for i := range wcs[:got] {
		if wc := &wcs[i]; wc.Err() == nil {
			n += wc.ByteLen
		}
	}
	return n
}

// drain needs nothing of them.
func drain(cq *v.CQ) (ids []uint64) {
	wcs := make([]v.WC, 4)
	got, _ := cq.PollInto(wcs)
	for _, wc := range wcs[:got] {
		ids = append(ids, wc.ID)
	}
	return ids
}

func handed(cq *v.CQ, check func(v.WC) error) (uint32, error) {
	wcs := make([]v.WC, 1)
	_, _ = cq.PollInto(wcs)
	return wcs[0].ByteLen, check(wcs[0])
}

func given(wc v.WC) uint32 { return wc.ByteLen }

func numbers(n int) {
	b, _ := v.NewSendBatch(1, 1)
	b.WR(3).Send(1) // want batch
	b.WR(0).Send(1)
	many, _ := v.NewRecvBatch(4, 1)
	many.WR(4).Recv(1) // want batch
	many.WR(3).Recv(1)
	some, _ := v.NewSendBatch(n, 1)
	some.WR(3).Send(1)
	grown, _ := v.NewSendBatch(1, 1)
	grown, _ = v.NewSendBatch(4, 1)
	grown.WR(3).Send(1)
}

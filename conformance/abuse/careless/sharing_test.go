//go:build linux && cgo

package careless

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// together has goroutines make calls until one of them gets an error or a panic that is not a full queue, and returns it.
func together(w *world, calls ...func() error) error {
	errs := make(chan error, len(calls))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for _, do := range calls {
		wg.Go(func() {
			full := call{full: true}
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := func() (err error) {
					defer sentence(&err)
					return do()
				}()
				if err != nil && !full.goesOn(err) {
					errs <- err
					return
				}
			}
		})
	}
	var err error
	select {
	case err = <-errs:
	case <-time.After(30 * time.Second):
	}
	close(stop)
	wg.Wait()
	return err
}

// empty polls, so that a queue does not stay full.
func (w *world) empty() {
	var wcs [64]verbs.WC
	_, _ = w.a.CQ.PollInto(wcs[:])
}

func sharingMistakes() []mistake {
	all := []mistake{
		{name: "a batch that two goroutines post", race: true, says: []string{"SendBatch.*belongs to one goroutine at a time"},
			make: func(w *world) error {
				b := w.sends(16)
				for i := range b.Len() {
					b.WR(i).Write(1, uint64(w.b.MR.Addr()), w.b.MR.RKey()).SGE(uint64(w.a.MR.Addr()), 8, w.a.MR.LKey()).Flags(verbs.SendSignaled)
				}
				post := func() error { w.empty(); return result(w.a.QP.PostSend(b, 16)) }
				return together(w, post, post, post)
			}},
		{name: "a batch that goroutines post in parts", race: true, says: []string{"each request that was posted completed"}, make: countedPosts},
		{name: "a batch that is changed while it is posted", race: true,
			says: []string{"SendBatch.*belongs to one goroutine at a time"}, make: func(w *world) error {
				b := w.sends(16)
				for i := range b.Len() {
					b.WR(i).Write(1, uint64(w.b.MR.Addr()), w.b.MR.RKey()).SGE(uint64(w.a.MR.Addr()), 8, w.a.MR.LKey()).Flags(verbs.SendSignaled)
				}
				return together(w, func() error { w.empty(); return result(w.a.QP.PostSend(b, 16)) }, func() error { b.WR(3).SetID(1); return nil })
			}},
	}
	all = append(all, mistake{name: "a queue whose event is not acknowledged",
		says: []string{"CQ still has an event of ibv_get_cq_event without its Done"}, make: unacknowledged})
	return append(all, append(batchMistakes(), nilMistakes()...)...)
}

// unacknowledged closes a queue whose event still lacks its Done.
func unacknowledged(w *world) error {
	b := w.write(uint64(w.a.MR.Addr()), w.a.MR.LKey(), uint64(w.b.MR.Addr()), w.b.MR.RKey())
	b.WR(0).Flags(verbs.SendSignaled)
	if err := errors.Join(w.a.CQ.ReqNotify(false), result(w.a.QP.PostSend(b, 1))); err != nil {
		return nil
	}
	ev, err := w.a.Ch.Next(context.Background())
	if err != nil || w.a.QP.Close() != nil {
		return nil
	}
	defer ev.Done()
	return w.a.CQ.Close()
}

// closed closes a batch.
func closed(b interface{ Close() error }) {
	if err := b.Close(); err != nil {
		panic(err)
	}
}

func batchMistakes() []mistake {
	return []mistake{
		{name: "a closed batch, posted", says: []string{"SendBatch is closed"}, make: func(w *world) error {
			b := w.sends(1)
			closed(b)
			return result(w.a.QP.PostSend(b, 1))
		}},
		{name: "a closed batch, again", says: []string{"SendBatch is closed"}, make: func(w *world) error {
			b := w.sends(1)
			closed(b)
			return b.Close()
		}},
		{name: "a closed batch, asked for a request", says: []string{"SendBatch is closed"}, make: func(w *world) error {
			b := w.sends(1)
			closed(b)
			b.WR(0)
			return nil
		}},
		{name: "a request of a closed batch", says: []string{"its batch is closed"}, make: func(w *world) error {
			b := w.sends(1)
			wr := b.WR(0)
			closed(b)
			wr.Send(1).SGE(1, 1, 1)
			return nil
		}},
		{name: "a request of another batch", says: []string{"the other batch has 8 bytes", "its batch is closed"}, make: otherBatch},
		{name: "a range of a closed batch", says: []string{"SendBatch is closed"}, make: func(w *world) error {
			b := w.sends(4)
			r := b.From(1, 2)
			closed(b)
			return result(w.a.QP.PostSendRange(r))
		}},
		{name: "more requests than the batch has", says: []string{"5 requests from number 0 on: the SendBatch has only 4"},
			make: func(w *world) error {
				return result(w.a.QP.PostSend(w.sends(4), 5))
			}},
		{name: "a negative number of requests", says: []string{"-1 requests"}, make: func(w *world) error {
			return result(w.a.QP.PostSend(w.sends(4), -1))
		}},
		{name: "a request beyond the batch", says: []string{"index out of range"}, make: func(w *world) error { w.sends(4).WR(4); return nil }},
		{name: "more elements than a request has", says: []string{"no room for one more scatter/gather element"}, make: func(w *world) error {
			w.sends(1).WR(0).Send(1).SGE(1, 1, 1).SGE(1, 1, 1)
			return nil
		}},
		{name: "inline data without room", says: []string{"InlineRoom"}, make: func(w *world) error {
			w.sends(1).WR(0).Send(1).InlineData(make([]byte, 8))
			return nil
		}},
		{name: "a batch of receives that is closed", says: []string{"RecvBatch is closed"}, make: func(w *world) error {
			b, err := verbs.NewRecvBatch(1, 1)
			if err != nil {
				return nil
			}
			closed(b)
			return result(w.a.QP.PostRecv(b, 1))
		}},
		{name: "a datagram without an address", over: datagram, says: []string{"request 0", `wr\.ud\.ah NULL`, "needs an address handle"},
			make: func(w *world) error {
				return result(w.a.QP.PostSend(w.sends(1), 1))
			}},
		{name: "a datagram that was a write before", over: datagram, says: []string{"the request has no address", "AH.Address"},
			make: func(w *world) error {
				b := w.sends(1)
				if err := w.ah.Address(b.WR(0).Send(1), 1, 1); err != nil {
					return nil
				}
				b.WR(0).Write(1, 4096, 1).Send(1)
				return result(w.a.QP.PostSend(b, 1))
			}},
		{name: "a datagram to a closed address", over: datagram, says: []string{"the AH of the request is closed"}, make: func(w *world) error {
			b := w.sends(1)
			if err := errors.Join(w.ah.Address(b.WR(0).Send(1), 1, 1), w.ah.Close()); err != nil {
				return nil
			}
			return result(w.a.QP.PostSend(b, 1))
		}},
		{name: "a batch of the zero value", says: []string{"the SendBatch was never opened"}, make: func(w *world) error {
			return result(w.a.QP.PostSend(new(verbs.SendBatch), 1))
		}},
	}
}

// otherBatch goes on with a request whose batch is closed, when there is another batch: that one stays as it is.
func otherBatch(w *world) (err error) {
	first := w.sends(1)
	wr := first.WR(0)
	closed(first)
	b := w.write(uint64(w.a.MR.Addr()), w.a.MR.LKey(), uint64(w.b.MR.Addr()), w.b.MR.RKey())
	wr.Send(7)
	wr.SetRemote(1)
	if err := w.completion(b); err != nil {
		return nil
	}
	defer func() { err = errors.Join(errors.New("the other batch has 8 bytes written"), err) }()
	defer sentence(&err)
	wr.SGE(1, 1, 1)
	return nil
}

// nilMistakes use handles and batches that are nil, or were never opened.
func nilMistakes() []mistake {
	var (
		qp  verbs.QP
		cq  verbs.CQ
		mr  verbs.MR
		dm  verbs.DM
		pd  verbs.PD
		dev verbs.Device
	)
	var wcs [1]verbs.WC
	return []mistake{
		{name: "a nil batch, posted", says: []string{"SendBatch is nil", "NewSendBatch"},
			make: func(w *world) error { return result(w.a.QP.PostSend(nil, 1)) }},
		{name: "a nil batch of receives, posted", says: []string{"RecvBatch is nil", "NewRecvBatch"},
			make: func(w *world) error { return result(w.a.QP.PostRecv(nil, 1)) }},
		{name: "a nil batch, asked for a request", says: []string{"SendBatch is nil"},
			make: func(w *world) error { (*verbs.SendBatch)(nil).WR(0); return nil }},
		{name: "a nil batch, closed", says: []string{"SendBatch is nil"}, make: func(w *world) error { return (*verbs.SendBatch)(nil).Close() }},
		{name: "nil handles", says: []string{"QP is nil", "CQ is nil", "MR is nil", "PD is nil", "Device is nil", "AH is nil"},
			make: func(w *world) error {
				_, _, query := (*verbs.QP)(nil).Query()
				return errors.Join(result((*verbs.QP)(nil).PostSend(w.sends(1), 1)), result((*verbs.CQ)(nil).PollInto(wcs[:])),
					(*verbs.MR)(nil).Close(),
					result((*verbs.PD)(nil).RegMR(make([]byte, 1), 0)), result((*verbs.Device)(nil).AllocPD()),
					(*verbs.AH)(nil).Address(w.sends(1).WR(0), 1, 1), query)
			}},
		{name: "handles that were never opened", says: []string{"QP was never opened", "CQ was never opened", "device memory",
			"ibv_reg_mr: PD was never opened", "ibv_alloc_pd: Device was never opened"}, make: func(w *world) error {
			return errors.Join(result(qp.PostSend(w.sends(1), 1)), result(cq.PollInto(wcs[:])), cq.ReqNotify(false), mr.Close(),
				result(dm.WriteAt(make([]byte, 8), 0)),
				result(pd.RegMR(make([]byte, 1), 0)), result(dev.AllocPD()), dev.CloseAll())
		}},
	}
}

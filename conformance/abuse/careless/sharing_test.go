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
	return append(all, mistake{name: "a queue whose event is not acknowledged",
		says: []string{"CQ still has an event of ibv_get_cq_event without its Done"}, make: unacknowledged})
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

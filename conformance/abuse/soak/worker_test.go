//go:build linux && cgo

package soak

import (
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// worker is a goroutine with batches of its own.
type worker struct {
	soak  *soak
	rng   *rand.Rand
	sends *verbs.SendBatch
	recvs *verbs.RecvBatch
	wcs   []verbs.WC
	wcx   []verbs.WCEx
	idle  int
}

func newWorker(s *soak, seed, number uint64) *worker {
	w := &worker{soak: s, rng: rand.New(rand.NewPCG(seed, number)), wcs: make([]verbs.WC, 32), wcx: make([]verbs.WCEx, 32)}
	w.renew()
	return w
}

// renew begins new batches.
func (w *worker) renew() {
	var err error
	if w.sends, err = verbs.NewSendBatch(slots, 2, verbs.InlineRoom(inline)); err == nil {
		w.recvs, err = verbs.NewRecvBatch(slots, 1)
	}
	if err != nil {
		w.soak.problem("a batch: %v", err)
	}
}

func (w *worker) closeBatches() {
	w.soak.ok("Close of a batch", w.sends.Close())
	w.soak.ok("Close of a batch", w.recvs.Close())
}

// mostLinks is how many connections there are at a time.
const mostLinks = 16

func (w *worker) work() {
	for !w.soak.over.Load() {
		w.step()
	}
	w.closeBatches()
}

func (w *worker) step() {
	switch p := w.rng.IntN(1000); {
	case p < 700:
		w.use()
	case p < 850:
		if w.soak.links.len() < mostLinks {
			w.newLink()
		}
	case p < 860:
		if l := w.soak.links.take(w.rng); l != nil {
			w.closeLink(l)
		}
	case p < 866:
		if l := w.soak.links.take(w.rng); l != nil {
			w.closeUnder(l)
		}
	case p < 868:
		if h := w.hub(w.soak.slots[w.rng.IntN(len(w.soak.slots))]); h != nil {
			w.soak.closeHub(h)
		}
	case p < 870:
		w.closeBatches()
		w.renew()
	case p < 960:
		w.churn()
	case p < 961:
		w.guest()
	case w.soak.faults && p < 985:
		w.trouble()
	default:
		w.events()
	}
}

// use does some rounds on a connection, and closes it when it is broken.
func (w *worker) use() {
	l := w.soak.links.some(w.rng)
	if l == nil {
		w.pause()
		return
	}
	for range 1 + w.rng.IntN(10) {
		if l.gone() || w.soak.over.Load() {
			break
		}
		w.round(l)
	}
	l.users.RUnlock()
	if l.gone() && w.soak.links.remove(l) {
		w.closeLink(l)
	}
}

// pause lets others work, and sleeps now and then.
func (w *worker) pause() {
	if w.idle++; w.idle%64 == 0 {
		time.Sleep(50 * time.Microsecond)
		return
	}
	runtime.Gosched()
}

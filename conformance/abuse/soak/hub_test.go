//go:build linux && cgo

package soak

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// slot is one of the devices in the list. It is opened again after everything on it was closed.
type slot struct {
	name string
	mu   sync.Mutex
	hub  *hub
	all  []*hub // that were ever opened
}

// hub is an open device, with objects that all goroutines share.
type hub struct {
	name     string
	dev      *verbs.Device
	pd       *verbs.PD
	gid      verbs.GID
	channel  *verbs.CompChannel
	queues   []*queue
	shared   *basin // a shared receive queue
	srq      *verbs.SRQ
	xrcd     *verbs.XRCD // nil if the device has none
	xrc      *basin      // a shared receive queue of the XRC domain
	xrcNum   uint32
	counter  *memory // a number that requests of all connections add 1 to
	counted  atomic.Int64
	perhaps  atomic.Int64 // requests that were perhaps executed
	isClosed atomic.Bool  // or is being closed
	links    sync.Map     // by the number of a queue pair
}

const (
	sharedDepth  = 512
	sharedCQE    = 1 << 14
	sharedQueues = 3
)

// hub returns the open device of a slot, nil if it cannot be opened now.
func (w *worker) hub(sl *slot) *hub {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	if sl.hub != nil && !sl.hub.isClosed.Load() {
		return sl.hub
	}
	dev, err := w.soak.lib.OpenDevice(sl.name)
	if !w.soak.ok("OpenDevice", err) {
		return nil
	}
	note(dev)
	h := &hub{name: sl.name, dev: dev}
	sl.all = append(sl.all, h)
	if err := h.fill(w); !w.soak.ok("the objects of a device", err) {
		h.isClosed.Store(true) // it is closed at the end
		return nil
	}
	sl.hub = h
	return h
}

func (h *hub) fill(w *worker) (err error) {
	if h.pd, err = h.dev.AllocPD(); err != nil {
		return err
	}
	if h.gid, err = h.dev.QueryGID(1, 0); err != nil {
		return err
	}
	if h.channel, err = h.dev.CreateCompChannel(); err != nil {
		return err
	}
	for i := range sharedQueues {
		channel := h.channel
		if i == 0 {
			channel = nil
		}
		q, err := newQueue(h.dev, sharedCQE, channel, i == 2)
		if err != nil {
			return err
		}
		h.queues = append(h.queues, q)
	}
	if h.srq, err = h.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: sharedDepth, MaxSGE: 1}); err != nil {
		return err
	}
	m, err := w.soak.newMemory(w.rng, h.pd, sharedDepth*chunkSize)
	if err != nil {
		return err
	}
	h.shared = newBasin(w.soak, m, sharedDepth, h.explains, h.srq.PostRecv)
	if h.counter, err = w.soak.goMemory(h.pd, 64); err != nil {
		return err
	}
	return h.fillXRC(w)
}

// explains reports whether a receive for a queue pair may fail.
func (h *hub) explains(num uint32) bool {
	l, ok := h.links.Load(num)
	return h.isClosed.Load() || !ok || l.(*link).gone()
}

// fillXRC makes an XRC domain and its shared receive queue, where the device has them.
func (h *hub) fillXRC(w *worker) (err error) {
	h.xrcd, err = h.dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT))
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	srq, err := h.dev.CreateSRQEx(verbs.NewSRQInitAttrEx(h.pd, sharedDepth, 1).Type(verbs.SRQTypeXRC).XRCD(h.xrcd).CQ(h.queues[0].cq))
	if err != nil {
		return err
	}
	if h.xrcNum, err = srq.Num(); err != nil {
		return err
	}
	m, err := w.soak.newMemory(w.rng, h.pd, sharedDepth*chunkSize)
	if err != nil {
		return err
	}
	h.xrc = newBasin(w.soak, m, sharedDepth, h.explains, srq.PostRecv)
	return nil
}

// closeHub closes a device with everything on it, while others use it.
func (s *soak) closeHub(h *hub) {
	h.isClosed.Store(true)
	s.closeAll(h.dev)
	for _, b := range []*basin{h.shared, h.xrc} {
		if b != nil {
			b.mem.close(s)
		}
	}
	h.links.Clear()
	s.counts.devices.Add(1)
}

// closeAll closes an object with everything that was made from it.
func (s *soak) closeAll(c interface{ CloseAll() error }) {
	var err error
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(100 * time.Microsecond) {
		if err = c.CloseAll(); err == nil {
			return
		}
		if !s.explained(err) {
			break
		}
	}
	s.problem("a %T cannot be closed: %v", c, err)
}

// check compares the counter of a device that is closed with what was done.
func (h *hub) check(s *soak) {
	if h.counter == nil {
		return
	}
	n, err := h.counter.word(0)
	low, high := h.counted.Load(), h.counted.Load()+h.perhaps.Load()
	if err != nil || int64(n) < low || int64(n) > high {
		s.problem("%s: requests added %d to a counter, %d to %d were posted (%v)", h.name, n, low, high, err)
	}
}

//go:build linux && cgo

package soak

import (
	"bytes"
	"context"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// churn makes some objects on a shared device, uses them, and closes them, or leaves them to those who close the device.
func (w *worker) churn() {
	h := w.hub(w.soak.slots[w.rng.IntN(len(w.soak.slots))])
	if h == nil {
		return
	}
	w.soak.counts.churned.Add(1)
	if w.rng.IntN(4) == 0 {
		w.makeUnderClose(h)
		return
	}
	pd, err := h.dev.AllocPD()
	if !w.soak.ok("AllocPD", err) {
		return
	}
	makers := []func(h *hub, pd *verbs.PD) ([]io.Closer, error){w.regions, w.window, w.deviceMemory, w.exported, w.queues, w.domains, w.again}
	var open []io.Closer
	for range 1 + w.rng.IntN(4) {
		made, err := makers[w.rng.IntN(len(makers))](h, pd)
		w.soak.ok("an object", err)
		open = append(open, made...)
	}
	if w.rng.IntN(8) == 0 {
		return
	}
	for i := range open {
		w.soak.shut(open[len(open)-1-i])
	}
	w.soak.ok("CloseAll of a domain", pd.CloseAll())
}

// made returns an object in a list, without nil.
func made[T io.Closer](c T, err error) ([]io.Closer, error) {
	if err != nil {
		return nil, err
	}
	return []io.Closer{c}, nil
}

// makeUnderClose makes objects in a domain while another goroutine closes it: those that come late are refused and do not stay.
func (w *worker) makeUnderClose(h *hub) {
	pd, err := h.dev.AllocPD()
	if !w.soak.ok("AllocPD", err) {
		return
	}
	if w.soak.faults && w.rng.IntN(2) == 0 {
		w.order("ibv_dereg_mr")
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 40 {
				if _, err := pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite); !w.soak.ok("RegMR", err) && !w.soak.faults {
					return
				}
			}
		})
	}
	time.Sleep(time.Duration(w.rng.IntN(100)) * time.Microsecond)
	w.soak.ok("CloseAll of a domain", pd.CloseAll())
	wg.Wait()
	w.soak.closeAll(pd)
}

func (w *worker) regions(_ *hub, pd *verbs.PD) (all []io.Closer, err error) {
	p := make([]byte, 1<<w.rng.IntN(16))
	mr, err := pd.RegMR(p, verbs.MRAccessLocalWrite)
	if err != nil {
		return nil, err
	}
	change := new(verbs.MRChange).Access(rights)
	if w.rng.IntN(2) == 0 {
		change.Memory(mem.Bytes(make([]byte, 64)))
	}
	return []io.Closer{mr}, unsupported(mr.Rereg(change))
}

func (w *worker) window(_ *hub, pd *verbs.PD) ([]io.Closer, error) {
	return made(pd.AllocMW(verbs.MWType1 + verbs.MWType(w.rng.IntN(2))))
}

func (w *worker) deviceMemory(h *hub, pd *verbs.PD) (all []io.Closer, err error) {
	const size = 4096
	dm, err := h.dev.AllocDM(verbs.NewAllocDMAttr(size))
	if err != nil {
		return nil, unsupported(err)
	}
	all = append(all, dm)
	mr, err := pd.RegDMMR(dm, 0, size, verbs.DMAccessZeroBased|verbs.DMAccessRemoteRead)
	if err == nil {
		all = append(all, mr)
	}
	p, q := sealed(w.rng, 1, size), make([]byte, size)
	if _, err := dm.WriteAt(p, 0); err != nil {
		return all, err
	}
	if _, err := dm.ReadAt(q, 0); err != nil {
		return all, err
	}
	if !bytes.Equal(p, q) {
		w.soak.problem("device memory has other bytes than were written")
	}
	return all, err
}

// exported registers device memory by its descriptor, and a buffer.
func (w *worker) exported(h *hub, pd *verbs.PD) (all []io.Closer, err error) {
	buf, err := pd.AllocBuf(8192)
	if err != nil {
		return nil, unsupported(err)
	}
	all = append(all, buf)
	dm, err := h.dev.AllocDM(verbs.NewAllocDMAttr(4096))
	if err != nil {
		return all, unsupported(err)
	}
	all = append(all, dm)
	fd, err := dm.ExportDMABufFD()
	if err != nil {
		return all, unsupported(err)
	}
	defer syscall.Close(fd)
	mr, err := pd.RegDMABufMR(mem.DMABuf{FD: fd, Length: 4096}, 0, verbs.DMABufAccessLocalWrite)
	if err != nil {
		return all, unsupported(err)
	}
	return append(all, mr), nil
}

func (w *worker) queues(h *hub, pd *verbs.PD) (all []io.Closer, err error) {
	cq, err := newQueue(h.dev, 16, nil, w.rng.IntN(2) == 0)
	if cq == nil || cq.cq == nil {
		return nil, err
	}
	all = append(all, cq.cq)
	if err != nil {
		return all, err
	}
	srq, err := pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 8, MaxSGE: 1})
	if err != nil {
		return all, err
	}
	all = append(all, srq)
	if err := srq.Modify(verbs.NewSRQAttr().Limit(4)); err != nil {
		return all, err
	}
	for range w.rng.IntN(4) {
		qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq.cq, RecvCQ: cq.cq, SRQ: srq, MaxSendWR: 4, MaxSendSGE: 1})
		if err != nil {
			return all, err
		}
		all = append(all, qp)
		if _, _, err := qp.Query(); err != nil {
			return all, err
		}
	}
	return all, cq.cq.Resize(64)
}

func (w *worker) domains(h *hub, pd *verbs.PD) (all []io.Closer, err error) {
	td, err := h.dev.AllocTD()
	if err != nil {
		return nil, unsupported(err)
	}
	all = append(all, td)
	parent, err := h.dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).ThreadDomain(td))
	if err != nil {
		return all, unsupported(err)
	}
	all = append(all, parent)
	ah, err := parent.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: h.gid, HopLimit: 1})
	if err != nil {
		return all, err
	}
	return append(all, ah), nil
}

// again opens the device once more, by its name or its descriptor, and closes it with what it makes there.
func (w *worker) again(h *hub, _ *verbs.PD) ([]io.Closer, error) {
	open := func() (*verbs.Device, error) { return w.soak.lib.OpenDevice(h.name) }
	if w.rng.IntN(2) == 0 {
		fd, err := syscall.Dup(h.dev.CmdFD())
		if err != nil {
			return nil, nil // it is closed
		}
		defer syscall.Close(fd)
		open = func() (*verbs.Device, error) { return w.soak.lib.ImportDevice(fd) }
	}
	dev, err := open()
	if err != nil {
		return nil, unsupported(err)
	}
	defer w.soak.closeAll(dev)
	pd, err := dev.AllocPD()
	if err != nil {
		return nil, err
	}
	_, err = pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite)
	return nil, err
}

// unsupported drops the error of a device that lacks something.
func unsupported(err error) error {
	if isUnsupported(err) {
		return nil
	}
	return err
}

// events waits for events of a device, and asks it for its state.
func (w *worker) events() {
	h := w.hub(w.soak.slots[w.rng.IntN(len(w.soak.slots))])
	if h == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if ev, err := h.dev.NextEvent(ctx); err == nil {
		ev.Done()
	} else if ctx.Err() == nil {
		w.soak.ok("NextEvent", err)
	}
	_, err := h.dev.QueryPort(1)
	w.soak.ok("QueryPort", err)
	_, err = h.srq.Query()
	w.soak.ok("Query of a shared queue", err)
}

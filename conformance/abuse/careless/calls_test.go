//go:build linux && cgo

package careless

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// call is what the goroutines of a program do again and again.
type call struct {
	name string
	says string // what its error names, once the object is closed
	over kind
	// make prepares the calls of one goroutine.
	make func(w *world) (do func() error, err error)
	full bool // a queue may be full, which ends nothing
}

func (c call) goesOn(err error) bool { return c.full && errors.Is(err, syscall.ENOMEM) }

func calling(do func(w *world) error) func(*world) (func() error, error) {
	return func(w *world) (func() error, error) { return func() error { return do(w) }, nil }
}

// sentence makes an error of a panic with a sentence, for a defer. A panic of another kind goes on.
func sentence(err *error) {
	p := recover()
	text, ok := p.(string)
	if p != nil && !ok {
		panic(p)
	}
	if ok && strings.HasPrefix(text, "dpath: ") {
		*err = fmt.Errorf("panic: %s", text)
		if strings.Contains(text, "is closed: ") {
			*err = fmt.Errorf("%w: %w", *err, os.ErrClosed)
		}
	}
}

// result is the error of a call whose other result does not matter.
func result[T any](_ T, err error) error { return err }

func postSend(w *world) (func() error, error) {
	b, err := verbs.NewSendBatch(16, 1)
	if err != nil {
		return nil, err
	}
	for i := range b.Len() {
		b.WR(i).Write(uint64(i), uint64(w.b.MR.Addr()), w.b.MR.RKey()).SGE(uint64(w.a.MR.Addr()), 8, w.a.MR.LKey())
	}
	w.batches = append(w.batches, b)
	return func() error { return result(w.a.QP.PostSend(b, 16)) }, nil
}

func postRecv(w *world) (func() error, error) {
	b, err := verbs.NewRecvBatch(16, 1)
	if err != nil {
		return nil, err
	}
	w.batches = append(w.batches, b)
	return func() error { return result(w.a.QP.PostRecv(b, 16)) }, nil
}

// postDatagrams posts requests to an address that was put into them once.
func postDatagrams(w *world) (func() error, error) {
	b, err := verbs.NewSendBatch(4, 1)
	if err != nil {
		return nil, err
	}
	for i := range b.Len() {
		if err := w.ah.Address(b.WR(i).Send(uint64(i)), w.b.QP.Num(), 1); err != nil {
			return nil, err
		}
	}
	w.batches = append(w.batches, b)
	return func() error { return result(w.a.QP.PostSend(b, 4)) }, nil
}

// sendTo puts the address into each request anew.
func sendTo(w *world) (func() error, error) {
	b, err := verbs.NewSendBatch(1, 1)
	if err != nil {
		return nil, err
	}
	w.batches = append(w.batches, b)
	qpn := w.b.QP.Num()
	return func() (err error) {
		defer sentence(&err) // of WR, when the batch is closed
		if err := w.ah.Address(b.WR(0).Send(1), qpn, 1); err != nil {
			return err
		}
		return result(w.a.QP.PostSend(b, 1))
	}, nil
}

func poll(tries int) func(*world) (func() error, error) {
	return calling(func(w *world) error {
		var wcs [16]verbs.WC
		return result(w.a.CQ.PollSpin(wcs[:], tries))
	})
}

// waitForCompletions is a server on events: it posts, waits for the completion, and acknowledges the event.
func waitForCompletions(w *world) (func() error, error) {
	post, err := postSend(w)
	if err != nil {
		return nil, err
	}
	b := w.batches[len(w.batches)-1].(*verbs.SendBatch)
	b.WR(15).Flags(verbs.SendSignaled)
	return func() error {
		if err := errors.Join(w.a.CQ.ReqNotify(false), post()); err != nil {
			return err
		}
		ev, err := w.a.Ch.Next(context.Background())
		if err != nil {
			return err
		}
		defer ev.Done()
		var wcs [16]verbs.WC
		return result(ev.CQ.PollInto(wcs[:]))
	}, nil
}

// waitForPorts makes events of the device, and acknowledges them.
func waitForPorts(w *world) error {
	if err := errors.Join(w.soft.SetPort("soft0", 1, false), w.soft.SetPort("soft0", 1, true)); err != nil {
		return err
	}
	ev, err := w.dev.NextEvent(context.Background())
	if err == nil {
		ev.Done()
	}
	return err
}

// copies are the ways to reach device memory.
func copies() (all []call) {
	copying := func(n int, do func(dm *verbs.DM, p []byte) (int, error)) func(*world) (func() error, error) {
		return func(w *world) (func() error, error) {
			p := make([]byte, n)
			return func() error { return result(do(w.dm, p)) }, nil
		}
	}
	write := func(dm *verbs.DM, p []byte) (int, error) { return dm.WriteAt(p, 64) }
	read := func(dm *verbs.DM, p []byte) (int, error) { return dm.ReadAt(p, 64) }
	for _, over := range []struct {
		kind
		name string
	}{{direct, "direct "}, {shim, ""}} {
		for name, do := range map[string]func(*world) (func() error, error){
			"write":      copying(64, write),
			"read":       copying(64, read),
			"long write": copying(1<<13, write),
			"long read":  copying(1<<13, read),
			"put":        calling(func(w *world) error { return w.dm.PutUint32(8, 1) }),
			"get":        calling(func(w *world) error { return result(w.dm.GetUint32(8)) }),
		} {
			all = append(all, call{name: over.name + name, says: "device memory", over: over.kind, make: do})
		}
	}
	return all
}

// register makes regions and leaves them open.
func register(w *world) error {
	return result(w.a.PD.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite))
}

// deregister closes each region that it makes; others may be faster.
func deregister(w *world) error {
	mr, err := w.a.PD.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite)
	if err != nil {
		return err
	}
	w.latest.Store(mr)
	return mr.Close()
}

// reregister changes the access of a region of both callers.
func reregister(w *world) error {
	return w.a.MR.Rereg(new(verbs.MRChange).Access(verbs.MRAccessLocalWrite))
}

// move moves a region to the other domain and back.
func move(w *world) (func() error, error) {
	mr, err := w.a.PD.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite)
	return func() error {
		return errors.Join(mr.Rereg(new(verbs.MRChange).PD(w.b.PD)), mr.Rereg(new(verbs.MRChange).PD(w.a.PD)))
	}, err
}

// registerDeviceMemory makes regions of device memory and closes them.
func registerDeviceMemory(w *world) (func() error, error) {
	pd, err := w.dev.AllocPD()
	return func() error {
		mr, err := pd.RegDMMR(w.dm, 0, 64, verbs.DMAccessZeroBased)
		if err != nil {
			return err
		}
		return mr.Close()
	}, err
}

func modify(w *world) error { return w.a.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)) }

func modifyShared(w *world) error { return w.srq.Modify(verbs.NewSRQAttr().Limit(1)) }

func query(w *world) error {
	_, _, err := w.a.QP.Query()
	return err
}

func queryShared(w *world) error { return result(w.srq.Query()) }

func queryDevice(w *world) error {
	return errors.Join(result(w.dev.QueryPort(1)), result(w.dev.QueryDeviceEx()), result(w.dev.QueryGID(1, 0)))
}

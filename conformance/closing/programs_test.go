//go:build linux && cgo

package closing

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/conformance/fakeprov"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/devmem"
	"github.com/verbsgen/verbsgen/runtime/dpath"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// kind is what a world is made of: a connection, or device memory that the processor reaches directly, or by calls.
type kind int

const (
	connection kind = iota
	direct
	shim
)

// software is a software device and the library to open it with.
type software struct {
	*verbs.Lib
	device *softverbs.Device
}

// world is one open device with what a program uses.
type world struct {
	soft    *softverbs.Device
	dev     *verbs.Device
	a, b    *link.End // connected
	dm      *verbs.DM
	batches []interface{ Close() error }
}

const size = 1 << 14 // of device memory, in bytes

// providers make the device memory of each kind of world.
var providers = map[kind]fakeprov.Kind{connection: fakeprov.Words, direct: fakeprov.MLX5, shim: fakeprov.Words}

// load gives a software device with device memory of a provider in the folder.
func load(folder string, k kind) (*software, error) {
	p, err := fakeprov.Load(filepath.Join(folder, providers[k].File))
	if err != nil {
		return nil, err
	}
	soft := softverbs.New(softverbs.Name("soft0"),
		softverbs.Override("alloc_dm", p.Op("alloc_dm")), softverbs.Override("free_dm", p.Op("free_dm")))
	lib, err := verbs.LoadFrom(soft)
	return &software{lib, soft}, err
}

func newWorld(lib *software, k kind) (w *world, err error) {
	w = &world{soft: lib.device}
	if w.dev, err = lib.OpenDevice("soft0"); err != nil {
		return nil, err
	}
	if k == connection {
		w.a, w.b, err = link.Pair(w.dev, w.dev)
		return w, err
	}
	if w.dm, err = w.dev.AllocDM(verbs.NewAllocDMAttr(size)); err != nil {
		return nil, err
	}
	if (w.dm.Mode() == devmem.Direct4) != (k == direct) {
		return nil, errors.New("mode " + w.dm.Mode().String())
	}
	return w, nil
}

// end closes what the program left open.
func (w *world) end() error {
	for _, b := range w.batches {
		_ = b.Close() // the program may have closed it
	}
	if err := w.dev.CloseAll(); err != nil && !isClosed(err) {
		return err
	}
	return nil
}

// call is what the goroutines of a program do again and again.
type call struct {
	name string
	over kind
	// make prepares the calls of one goroutine.
	make func(w *world) (do func() error, err error)
	full bool // a queue may be full, which ends nothing
}

func (c call) goesOn(err error) bool { return c.full && errors.Is(err, syscall.ENOMEM) }

// end is a Close that ends the object of calls.
type end struct {
	name string
	run  func(w *world) error
}

func calling(do func(w *world) error) func(*world) (func() error, error) {
	return func(w *world) (func() error, error) { return func() error { return do(w) }, nil }
}

func postSend(w *world) (func() error, error) {
	b, err := dpath.NewSendBatch(16, 1)
	if err != nil {
		return nil, err
	}
	for i := range b.Len() {
		b.WR(i).Write(uint64(i), w.b.MR.IOVA(), w.b.MR.RKey()).Add(w.a.MR.UncheckedSGE(0, 8))
	}
	w.batches = append(w.batches, b)
	return func() error { _, err := w.a.QP.PostSend(b, 16); return err }, nil
}

func postRecv(w *world) (func() error, error) {
	b, err := dpath.NewRecvBatch(16, 1)
	if err != nil {
		return nil, err
	}
	w.batches = append(w.batches, b)
	return func() error { _, err := w.a.QP.PostRecv(b, 16); return err }, nil
}

func poll(tries int) func(*world) (func() error, error) {
	return calling(func(w *world) error {
		var wcs [16]dpath.WC
		_, err := w.a.CQ.PollSpin(wcs[:], tries)
		return err
	})
}

func copying(n int, do func(dm *verbs.DM, p []byte) (int, error)) func(*world) (func() error, error) {
	return func(w *world) (func() error, error) {
		p := make([]byte, n)
		return func() error { _, err := do(w.dm, p); return err }, nil
	}
}

func write(dm *verbs.DM, p []byte) (int, error) { return dm.WriteAt(p, 64) }
func read(dm *verbs.DM, p []byte) (int, error)  { return dm.ReadAt(p, 64) }

// waitForCompletions is a server on events: it posts, waits for the completion, and acknowledges the event.
func waitForCompletions(w *world) (func() error, error) {
	post, err := postSend(w)
	if err != nil {
		return nil, err
	}
	b := w.batches[len(w.batches)-1].(*dpath.SendBatch)
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
		var wcs [16]dpath.WC
		_, err = ev.CQ.PollInto(wcs[:])
		return err
	}, nil
}

// acknowledged closes what may have events that were taken and not acknowledged yet.
func acknowledged(c interface{ Close() error }) error {
	for {
		err := c.Close()
		if !errors.Is(err, syscall.EBUSY) {
			return err
		}
		time.Sleep(10 * time.Microsecond)
	}
}

// everything is a device that is closed with all that was made from it.
type everything struct{ *verbs.Device }

func (d everything) Close() error { return d.CloseAll() }

func isClosed(err error) bool { return errors.Is(err, os.ErrClosed) }

// programs are all calls against all that ends their object.
func programs() (all []program) {
	dev := end{"the device", func(w *world) error { return acknowledged(everything{w.dev}) }}
	add := func(calls []call, ends ...end) {
		for _, c := range calls {
			for _, e := range append(ends, dev) {
				all = append(all, program{c, e})
			}
		}
	}
	add([]call{{name: "post send", make: postSend, full: true}, {name: "post recv", make: postRecv, full: true}},
		end{"the queue pair", func(w *world) error { return w.a.QP.Close() }},
		end{"its domain", func(w *world) error { return w.a.PD.CloseAll() }},
		end{"its batch", func(w *world) error {
			var errs []error
			for _, b := range w.batches {
				errs = append(errs, b.Close())
			}
			return errors.Join(errs...)
		}})
	add([]call{
		{name: "poll", make: poll(1)}, {name: "spin", make: poll(1 << 30)},
		{name: "notify", make: calling(func(w *world) error { return w.a.CQ.ReqNotify(false) })},
	},
		end{"the queue", func(w *world) error { return errors.Join(w.a.QP.Close(), w.a.CQ.Close()) }})
	add([]call{{name: "wait", make: calling(func(w *world) error { _, err := w.a.Ch.Next(context.Background()); return err })},
		{name: "wait for completions", make: waitForCompletions, full: true}},
		end{"the channel", func(w *world) error {
			return errors.Join(acknowledged(w.a.QP), acknowledged(w.a.CQ), acknowledged(w.a.Ch))
		}})
	add([]call{{name: "wait for the device", make: calling(func(w *world) error { _, err := w.dev.NextEvent(context.Background()); return err })},
		{name: "wait for ports", make: calling(func(w *world) error {
			if err := errors.Join(w.soft.SetPort("soft0", 1, false), w.soft.SetPort("soft0", 1, true)); err != nil {
				return err
			}
			ev, err := w.dev.NextEvent(context.Background())
			if err == nil {
				ev.Done()
			}
			return err
		})}})
	var copies []call
	for _, over := range []struct {
		kind
		name string
	}{{direct, "direct "}, {shim, ""}} {
		copies = append(copies, call{name: over.name + "write", over: over.kind, make: copying(64, write)},
			call{name: over.name + "read", over: over.kind, make: copying(64, read)},
			call{name: over.name + "long write", over: over.kind, make: copying(1<<13, write)},
			call{name: over.name + "long read", over: over.kind, make: copying(1<<13, read)},
			call{name: over.name + "put", over: over.kind, make: calling(func(w *world) error { return w.dm.PutUint32(8, 1) })},
			call{name: over.name + "get", over: over.kind, make: calling(func(w *world) error { _, err := w.dm.GetUint32(8); return err })})
	}
	add(copies, end{"the memory", func(w *world) error { return w.dm.Close() }})
	return all
}

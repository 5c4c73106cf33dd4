//go:build linux && cgo

package careless

import (
	"errors"
	"path/filepath"
	"sync/atomic"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// kind is what a world is made of: a connection, datagrams, or device memory, which the processor reaches directly, or by calls, or
// which is the software device's own, so that it can be registered.
type kind int

const (
	connection kind = iota
	datagram
	direct
	shim
	registered
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
	srq     *verbs.SRQ
	ah      *verbs.AH // from a to b
	dm      *verbs.DM
	batches []interface{ Close() error }
	latest  atomic.Pointer[verbs.MR] // the region that a caller made last
}

const size = 1 << 14 // of device memory, in bytes

// providers make the device memory of each kind of world.
var providers = map[kind]fakeprov.Kind{direct: fakeprov.MLX5, shim: fakeprov.Words}

// load returns a software device with device memory of a provider in the folder.
func load(folder string, k kind) (*software, error) {
	options := []softverbs.Option{softverbs.Name("soft0"), softverbs.AnotherDevice("soft1"), softverbs.NetRaw()}
	if provider, ok := providers[k]; ok {
		p, err := fakeprov.Load(filepath.Join(folder, provider.File))
		if err != nil {
			return nil, err
		}
		options = append(options, softverbs.Override("alloc_dm", p.Op("alloc_dm")), softverbs.Override("free_dm", p.Op("free_dm")))
	}
	soft := softverbs.New(options...)
	lib, err := verbs.LoadFrom(soft)
	return &software{lib, soft}, err
}

func newWorld(lib *software, k kind) (w *world, err error) {
	w = &world{soft: lib.device}
	if w.dev, err = lib.OpenDevice("soft0"); err != nil {
		return nil, err
	}
	switch k {
	case connection, datagram:
		return w, w.connect(k)
	}
	if w.dm, err = w.dev.AllocDM(verbs.NewAllocDMAttr(size)); err != nil {
		return nil, err
	}
	if k == registered {
		return w, nil
	}
	if (w.dm.Mode() == devmem.Direct4) != (k == direct) {
		return nil, errors.New("mode " + w.dm.Mode().String())
	}
	return w, nil
}

// connect makes two sides, a shared receive queue beside the first, and the address of the second for datagrams.
func (w *world) connect(k kind) error {
	at, err := link.First(w.dev)
	if err != nil {
		return err
	}
	c := link.Default()
	if k == datagram {
		c.Type = verbs.QPTypeUD
	}
	if w.a, w.b, err = c.Pair(at, at); err != nil {
		return err
	}
	if w.srq, err = w.a.PD.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}); err != nil {
		return err
	}
	way, _ := w.a.Way(w.b)
	w.ah, err = w.a.PD.CreateAH(way)
	return err
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

//go:build linux

package suite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// Software is the name that asks for a device made of software.
const Software = "softverbs"

// softName is the name that such a device has.
const softName = "soft0"

// Config says what to test.
type Config struct {
	Device     string // a device of the kernel, or Software
	PeerDevice string // a second device of this machine, connected to the first one; empty: the device is its own peer
	Port       uint8  // of both devices; 0 for 1
	GIDIndex   int    // entry of the GID table of both ports, or far.AnyGID
	// Far makes the other ends somewhere else; nil for ends on a device of this machine.
	Far far.Maker
	// Overlay gives a library with device memory made of host memory, for devices without; nil for none.
	Overlay func(verbs.Symbols) verbs.Symbols
	// Take is called for the queues of a case that posts to a queue pair by batches and polls: Go may take them from the library. It
	// returns what gives them up before the queue pair is closed. nil for none.
	Take func(qp *verbs.QP, sends, recvs *verbs.CQ) (done func() error, err error)
	// Soft are options of the software device, over those of DefaultSoft.
	Soft []softverbs.Option
	// Defects are the known ones; nil for the embedded list.
	Defects Defects
}

// DefaultSoft is a software device that can do all that the cases need.
func DefaultSoft() []softverbs.Option {
	return []softverbs.Option{softverbs.Name(softName), softverbs.GUID(0x0223450001abcdef), softverbs.Ports(2),
		softverbs.ODP(3, 0x1f, 0x3, 0x3), softverbs.NetRaw()}
}

// Target is a device under test. Cases run on it one after the other, each with a context of its own, and on a software
// device with a device of its own.
type Target struct {
	cfg      Config
	name     string
	peerName string
	mode     string
	provider string
	source   verbs.Symbols // nil for a software device
	overlay  verbs.Symbols // nil without one
	host     report.Host
	library  report.Library
	device   report.Device
	peer     *report.Peer          // the other machine; nil: there is none
	lacking  map[Capability]string // why; absent: it is there
	defects  Defects
	started  time.Time
}

// Open finds the device and asks what it can do. A machine without the device, or without any, is an error.
func Open(cfg Config) (*Target, error) {
	g := &Target{cfg: cfg, name: cfg.Device, peerName: cfg.PeerDevice, mode: report.ModeDevice, defects: cfg.Defects, started: time.Now()}
	if g.defects == nil {
		var err error
		if g.defects, err = KnownDefects(); err != nil {
			return nil, err
		}
	}
	if cfg.Port == 0 {
		g.cfg.Port = 1
	}
	if cfg.Device == Software {
		g.name, g.mode = softName, report.ModeSoftware
		if cfg.PeerDevice != "" {
			return nil, fmt.Errorf("a peer device %q beside a device made of software, which is its own peer", cfg.PeerDevice)
		}
	} else {
		real, err := dl.Open("")
		if err != nil {
			return nil, err
		}
		g.source = real
		g.library = report.Library{Name: real.Path(), RDMACore: real.Release()}
	}
	g.host.Kernel = kernelRelease(g.name)
	g.host.Name = hostName(g.host.Kernel)
	if err := g.look(); err != nil {
		return nil, err
	}
	return g, nil
}

// look lists the devices, opens the one under test and asks it.
func (g *Target) look() error {
	t := &T{target: g, mode: g.mode, ctx: context.Background()}
	defer t.clean()
	if err := g.begin(t); err != nil {
		return err
	}
	list, err := t.lib.Devices()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("the machine has no RDMA device")
	}
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
	}
	for _, want := range []string{g.name, g.peerName} {
		if want != "" && !slices.Contains(names, want) {
			return fmt.Errorf("no device %q; there are: %s", want, strings.Join(names, ", "))
		}
	}
	dev, err := t.lib.OpenDevice(g.name)
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = dev.CloseAll() }) // what the probes left is told by the cases
	attr, err := dev.QueryDeviceEx()
	if err != nil {
		return err
	}
	g.device = report.Device{Name: g.name, Firmware: attr.OrigAttr.FWVer, VendorID: attr.OrigAttr.VendorID, PartID: attr.OrigAttr.VendorPartID}
	if t.soft != nil {
		g.library = report.Library{Name: t.soft.String(), RDMACore: t.soft.Release()}
		g.provider = Software
	} else {
		g.provider = provider(g.name)
	}
	g.device.Provider = g.provider
	if g.lacking, err = probe(t, dev, attr); err != nil {
		return err
	}
	if g.lacking[DM] != "" && g.cfg.Overlay != nil && g.source != nil {
		g.overlay = g.cfg.Overlay(g.source)
		delete(g.lacking, DM)
	}
	return nil
}

// begin opens for a case its library, and on software its device.
func (g *Target) begin(t *T) (err error) {
	switch {
	case t.mode == report.ModeOverlay:
		t.source = g.overlay
	case g.source != nil:
		t.source = g.source
	default:
		t.soft = softverbs.New(append(DefaultSoft(), g.cfg.Soft...)...)
		t.source = t.soft
		t.Cleanup(func() {
			leaks := t.soft.Leaks()
			if len(leaks) > 0 {
				t.Errorf("left behind: %s", strings.Join(leaks, "; "))
			}
			if err := t.soft.Close(); err != nil && len(leaks) == 0 {
				t.Errorf("closing the software device: %v", err)
			}
		})
	}
	g.census(t)
	t.lib, err = verbs.LoadFrom(t.source)
	return err
}

// modeOf says what a case runs on: one that needs device memory may run on an overlay.
func (g *Target) modeOf(c *Case) string {
	if g.overlay != nil && slices.Contains(c.Needs, DM) {
		return report.ModeOverlay
	}
	return g.mode
}

// Has reports whether the device has a capability.
func (g *Target) Has(c Capability) bool { return g.lacking[c] == "" }

// Lacking reports why a capability is not there; empty: it is.
func (g *Target) Lacking(c Capability) string { return g.lacking[c] }

// String names the device and where it is.
func (g *Target) String() string {
	return fmt.Sprintf("%s (%s, %s), kernel %s, rdma-core %s, %s/%s", g.name, g.mode, g.provider, g.host.Kernel, g.library.RDMACore,
		runtime.GOOS, runtime.GOARCH)
}

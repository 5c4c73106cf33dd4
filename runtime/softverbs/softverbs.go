package softverbs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Device is a software libibverbs with the devices in its list. It is a symbol source: the LoadFrom of a generated
// package takes it. All methods may be called from several goroutines.
type Device struct {
	mu      sync.Mutex
	slot    int
	err     error // why there is none, os.ErrClosed after Close
	release string
	without []string
	names   []string
	peers   map[string]*Peer
}

// New makes a device. There is room for 64 at a time in a process; one too many, and any mistake in the options, make a
// Device without symbols whose Err tells why.
func New(opts ...Option) *Device {
	s, err := newSettings(opts)
	d := &Device{slot: -1, release: s.release, peers: map[string]*Peer{}}
	if err == nil {
		d.slot, err = newInstance(s)
	}
	if err != nil {
		d.err = err
		return d
	}
	d.without = s.without
	for _, dev := range s.devices {
		d.names = append(d.names, dev.name)
	}
	for _, f := range s.failures {
		if err := d.Fail(f.verb, f.nth, f.errno); err != nil {
			d.Close()
			d.err = err
			return d
		}
	}
	return d
}

// Err is nil when the device can be used.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// String names the library in messages.
func (d *Device) String() string { return "softverbs as rdma-core " + d.release }

// Release is the release of rdma-core that is imitated.
func (d *Device) Release() string { return d.release }

// Symbol gives the address of the C function called name, 0 when this library lacks it. version is the symbol's default
// version ("IBVERBS_1.1") or empty; under another one there is nothing.
func (d *Device) Symbol(name, version string) uintptr {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil || slices.Contains(d.without, name) {
		return 0
	}
	return symbol(d.slot, name, version)
}

// Fail is the option Fail for a device that is in use: n counts from now.
func (d *Device) Fail(verb string, nth uint64, errno syscall.Errno) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	if errno == 0 {
		return fmt.Errorf("softverbs: Fail(%q, %d, 0): 0 is no error", verb, nth)
	}
	return arm(d.slot, verb, nth, errno)
}

// SetPort takes a port of the device called name down or up again, as a pulled cable does. Each change is an event
// PORT_ERR or PORT_ACTIVE of every context of that device. Nothing leaves or reaches a port that is down; requests that
// start there fail with LOC_QP_OP_ERR.
func (d *Device) SetPort(name string, port uint32, up bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	if err := setPort(d.slot, name, port, up); err != nil {
		return fmt.Errorf("softverbs: SetPort(%q, %d): %w", name, port, err)
	}
	return nil
}

// Leaks names, a line each, what contexts left behind when they were closed, and what is open now. It is empty for a
// program that freed all it got.
func (d *Device) Leaks() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil
	}
	return d.lines()
}

func (d *Device) lines() []string {
	text := strings.TrimSuffix(report(d.slot), "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}

// Close stops the peers and gives the slot back. With a context or a device list in use, or a duplicate of a context's
// descriptor open, it does neither and answers an error that is EBUSY and names them. A second Close is os.ErrClosed.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		if d.err == os.ErrClosed {
			return fmt.Errorf("softverbs: close: %w", d.err)
		}
		return nil // never opened
	}
	for name, p := range d.peers {
		p.stop()
		delete(d.peers, name)
	}
	if err := closeInstance(d.slot); err != nil {
		return fmt.Errorf("softverbs: close: %w: %s", err, strings.Join(d.lines(), "; "))
	}
	d.slot = -1
	d.err = os.ErrClosed
	return nil
}

package softverbs

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Device is a software libibverbs with one or more devices in its list. It is a symbol source for the LoadFrom of a
// generated package. All methods may be called from several goroutines.
type Device struct {
	mu      sync.Mutex
	slot    int
	err     error // why there is none, os.ErrClosed after Close
	release string
	without []string
	names   []string
	peers   map[string]*Peer
}

// New creates a Device. A process can have 64 at a time. For the 65th, or with a wrong option, New returns a Device without symbols whose
// Err has the reason. Close it.
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
	for _, f := range s.faults {
		if err := f(d); err != nil {
			d.Close()
			d.err = err
			return d
		}
	}
	return d
}

// Err returns nil if the device can be used, os.ErrClosed after Close, and otherwise the reason why New failed. A nil Device and a zero
// value cannot be used.
func (d *Device) Err() error {
	if d == nil || d.release == "" && d.err == nil {
		return errors.New("softverbs: the device is nil or was never opened; New makes one")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// String returns the name of the library for messages.
func (d *Device) String() string { return "softverbs as rdma-core " + d.release }

// Release returns the rdma-core release that is imitated.
func (d *Device) Release() string { return d.release }

// Names returns the names of the devices in the list.
func (d *Device) Names() []string { return slices.Clone(d.names) }

// Symbol returns the address of the C function called name, 0 if this library lacks it. version is the default version
// of the symbol ("IBVERBS_1.1") or empty; for any other version it returns 0.
func (d *Device) Symbol(name, version string) uintptr {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil || slices.Contains(d.without, name) {
		return 0
	}
	return symbol(d.slot, name, version)
}

// Memlock returns the limit of MemlockLimit of a device and the bytes of host memory that are registered with it now; limit 0 for none.
// Errors of registrations name both.
func (d *Device) Memlock(device string) (limit, pinned uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return 0, 0
	}
	return memlock(d.slot, device)
}

// Fail is like the option Fail, for a device in use. It counts calls from now on.
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

// SetPort takes a port of the device called name down or up, like a pulled cable. Each change sends an event PORT_ERR or PORT_ACTIVE to
// every context of that device. Nothing leaves or reaches a port that is down. Requests that start there fail with LOC_QP_OP_ERR.
func (d *Device) SetPort(name string, port uint32, up bool) error {
	return d.fault(fmt.Sprintf("SetPort(%q, %d)", name, port), func() error { return setPort(d.slot, name, port, up) })
}

// Leaks returns a line for each object that is open now, or that was open when its context was closed. It is empty if the program closed
// everything.
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

// Close stops the peers and frees the device. While a context, a device list or a duplicate of a context's descriptor is open, it does
// neither, and returns an error that is EBUSY and names the open objects. A second Close returns os.ErrClosed.
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

package softverbs

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// Peer is the other end of a connection to one device: it does RDMA operations on memory registered with that device, by
// rkey and remote address, and returns how each completed. It may be used from several goroutines.
type Peer struct {
	mu     sync.RWMutex
	handle unsafe.Pointer // struct svb_peer; nil when stopped
	err    error
}

// The operations, as enum svb_rdma_op has them.
const (
	opWrite = iota
	opRead
	opFetchAdd
	opCompareSwap
)

// Peer returns the peer of the first device of the list; each call returns the same one. It ends with the Device.
func (d *Device) Peer() *Peer {
	p, err := d.PeerOn("")
	if err != nil {
		return &Peer{err: err}
	}
	return p
}

// PeerOn returns the peer of the device called name.
func (d *Device) PeerOn(name string) (*Peer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	if name == "" && len(d.names) > 0 {
		name = d.names[0]
	}
	if p := d.peers[name]; p != nil {
		return p, nil
	}
	handle, err := peerStart(d.slot, name)
	if err != nil {
		return nil, fmt.Errorf("softverbs: peer on device %q: %w", name, err)
	}
	p := &Peer{handle: handle}
	d.peers[name] = p
	return p, nil
}

func (p *Peer) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.handle != nil {
		peerStop(p.handle)
	}
	p.handle, p.err = nil, os.ErrClosed
}

func (p *Peer) do(op int, rkey uint32, addr uint64, data []byte, a, b uint64) (uint64, Status, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.handle == nil {
		return 0, 0, fmt.Errorf("softverbs: peer: %w", p.err)
	}
	return peerOp(p.handle, op, rkey, addr, data, a, b)
}

// Write does an RDMA write of data to addr. The status is the answer of the device; err is set only when the operation
// could not be tried. Without data the write succeeds and no key is checked.
func (p *Peer) Write(rkey uint32, addr uint64, data []byte) (Status, error) {
	_, s, err := p.do(opWrite, rkey, addr, data, 0, 0)
	return s, err
}

// Read does an RDMA read from addr into data, which changes only if the status is success. err is as for Write.
func (p *Peer) Read(rkey uint32, addr uint64, data []byte) (Status, error) {
	_, s, err := p.do(opRead, rkey, addr, data, 0, 0)
	return s, err
}

// FetchAdd adds to the 8 bytes at addr, in the byte order of this machine, and returns their old value. err is as for
// Write.
func (p *Peer) FetchAdd(rkey uint32, addr, add uint64) (old uint64, s Status, err error) {
	return p.do(opFetchAdd, rkey, addr, nil, add, 0)
}

// CompareSwap stores swap in the 8 bytes at addr if they are equal to compare, and returns their old value. err is as
// for Write.
func (p *Peer) CompareSwap(rkey uint32, addr, compare, swap uint64) (old uint64, s Status, err error) {
	return p.do(opCompareSwap, rkey, addr, nil, compare, swap)
}

// Stress is a peer that writes without pause. See Peer.Start.
type Stress struct{ p *Peer }

// Report is the result of a Stress.
type Report struct {
	Passes uint64 // passes that wrote everything
	Status Status // of the last pass; a status other than success ended the writing
}

// Start makes the peer write length bytes at addr again and again, until Stop or an error: byte i of pass n is n + i,
// counted from 0. Other operations of the peer run between passes. A peer has one Stress at a time.
func (p *Peer) Start(rkey uint32, addr, length uint64) (*Stress, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.handle == nil {
		return nil, fmt.Errorf("softverbs: peer: %w", p.err)
	}
	if err := peerStress(p.handle, rkey, addr, length); err != nil {
		return nil, fmt.Errorf("softverbs: peer: start: %w", err)
	}
	return &Stress{p}, nil
}

// Report returns the result so far.
func (s *Stress) Report() (Report, error) { return s.ask("report", false) }

// Stop ends the writing after the current pass, at least one, and returns the result. The memory then has the pattern
// of pass Passes-1. A second Stop is an error.
func (s *Stress) Stop() (Report, error) { return s.ask("stop", true) }

func (s *Stress) ask(what string, stop bool) (Report, error) {
	s.p.mu.RLock()
	defer s.p.mu.RUnlock()
	if s.p.handle == nil {
		return Report{}, fmt.Errorf("softverbs: peer: %w", s.p.err)
	}
	r, err := peerReport(s.p.handle, stop)
	if err != nil {
		return Report{}, fmt.Errorf("softverbs: peer: %s: %w", what, err)
	}
	return r, nil
}

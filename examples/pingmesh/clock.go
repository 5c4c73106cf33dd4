package main

import (
	"cmp"
	"errors"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// clockKind says who takes the time when a datagram leaves or arrives.
type clockKind uint8

const (
	software clockKind = 1 + iota // this program: before it posts a send, and when it sees what arrived
	device                        // the device, in cycles of its clock
)

func (k clockKind) String() string { return [...]string{"", "software", "device"}[k] }

// clock is the clock of a completion queue.
type clock struct {
	kind clockKind
	kHz  uint64 // of a device clock
	mask uint64 // bits of a device clock that count
}

// newCQ makes a queue with the clock of the device, if it has one. No provider has only the wall clock of completions.
func newCQ(dev *verbs.Device, ch *verbs.CompChannel, entries uint32) (cq *verbs.CQ, c clock, err error) {
	attr, err := dev.QueryDeviceEx()
	if err != nil {
		return nil, c, err
	}
	c = clock{kind: device, kHz: attr.HCACoreClock, mask: cmp.Or(attr.CompletionTimestampMask, ^uint64(0))}
	err = errors.ErrUnsupported
	if c.kHz != 0 {
		cq, err = dev.CreateCQEx(verbs.NewCQInitAttrEx(entries, c.fields()).Channel(ch))
	}
	if errors.Is(err, errors.ErrUnsupported) {
		c = clock{kind: software}
		cq, err = dev.CreateCQEx(verbs.NewCQInitAttrEx(entries, c.fields()).Channel(ch))
	}
	return cq, c, err
}

// fields are the fields of completions that the program reads.
func (c *clock) fields() verbs.WCField {
	const always = verbs.WCFieldByteLen | verbs.WCFieldSrcQP
	if c.kind == device {
		return always | verbs.WCFieldCompletionTS
	}
	return always
}

// stamp is the time of a completion that the program saw at the time seen.
func (c *clock) stamp(wc *verbs.WCEx, seen int64) uint64 {
	if c.kind == device {
		return wc.CompletionTS
	}
	return uint64(seen)
}

// between is the time from one stamp to a later one. A device clock starts again at 0 after its last value.
func (c *clock) between(from, to uint64) time.Duration {
	if c.kind != device {
		return time.Duration(to - from)
	}
	cycles, hz := (to-from)&c.mask, c.kHz*1000
	return time.Duration(cycles/hz)*time.Second + time.Duration(cycles%hz*uint64(time.Second)/hz)
}

// stamps are the times of one probe.
type stamps struct {
	t1        int64         // the program posts the probe
	t2        uint64        // the probe leaves
	t5        uint64        // the first acknowledgement arrives
	t6        int64         // the program sees it
	responder time.Duration // t4 - t3, between the arrival of the probe and the departure of the first acknowledgement
}

// sample is what a probe measured, in nanoseconds.
type sample struct{ rtt, prober, responder int64 }

// measure tells the network and the two programs apart. t1 and t6 are of one clock, t2 and t5 of another, t3 and t4 of a third:
// only differences of times of the same clock are taken.
func (c *clock) measure(s *stamps) sample {
	away := c.between(s.t2, s.t5)
	return sample{
		rtt:       int64(away - s.responder),
		prober:    s.t6 - s.t1 - int64(away),
		responder: int64(s.responder),
	}
}

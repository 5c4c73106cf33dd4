package softverbs

import (
	"fmt"
	"time"
)

// counter is what a fault counts, beside calls of verbs.
type counter int

const (
	requests counter = iota
	completions
)

func onOrder(f func(*Device) error) Option {
	return func(s *settings) error {
		s.faults = append(s.faults, f)
		return nil
	}
}

// FailRequest makes the nth request that is posted to a send queue from now on end with status, once; n counts from 1 over all queue
// pairs, in the order of the posts, and 0 means every request. The request is not executed. Its queue pair goes to ERR, so those
// behind it are flushed, as after any error. The option may be used several times. Every status of an error is possible:
// Status(verbs.WCStatusRetryExcErr), for example.
func FailRequest(nth uint64, status Status) Option {
	return onOrder(func(d *Device) error { return d.FailRequest(nth, status) })
}

// FailRequest does what the option FailRequest does, for a device that is in use: it counts requests from now.
func (d *Device) FailRequest(nth uint64, status Status) error {
	if status <= StatusSuccess || int(status) >= len(statusNames) {
		return fmt.Errorf("softverbs: FailRequest(%d, %d): not a status of an error; those are 1 to %d", nth, int(status), len(statusNames)-1)
	}
	call := fmt.Sprintf("FailRequest(%d, %v)", nth, status)
	return d.fault(call, func() error { return armCount(d.slot, requests, nth, int(status)) })
}

// LoseCompletion makes the nth completion from now on, of sends and receives together, never reach its completion queue, once; n
// counts from 1, and 0 means every completion. What the request did is done. The option may be used several times.
func LoseCompletion(nth uint64) Option {
	return onOrder(func(d *Device) error { return d.LoseCompletion(nth) })
}

// LoseCompletion does what the option LoseCompletion does, for a device that is in use: it counts completions from now.
func (d *Device) LoseCompletion(nth uint64) error {
	return d.fault(fmt.Sprintf("LoseCompletion(%d)", nth), func() error { return armCount(d.slot, completions, nth, 1) })
}

// DelayCompletions makes each completion reach its completion queue only after a time between least and most, which differ from one
// completion to the next but are the same in each run of a program. Completions of one queue keep their order; those of different
// queue pairs overtake each other when least and most differ.
func DelayCompletions(least, most time.Duration) Option {
	return onOrder(func(d *Device) error { return d.DelayCompletions(least, most) })
}

// DelayCompletions does what the option DelayCompletions does, for a device that is in use. With 0, 0 completions come at once again;
// those that wait already come when they are due.
func (d *Device) DelayCompletions(least, most time.Duration) error {
	call := fmt.Sprintf("DelayCompletions(%v, %v)", least, most)
	if least < 0 || most < least {
		return fmt.Errorf("softverbs: %s: the first is at least 0 and at most the second", call)
	}
	return d.fault(call, func() error { return delay(d.slot, least, most) })
}

// HoldCompletions makes the completions of a queue pair wait, so that those of others overtake them as a test wants it. qpn is the
// number of the queue pair on the device called name. With on false, those that wait come in their order. What a queue pair that
// was destroyed held back never comes.
func (d *Device) HoldCompletions(name string, qpn uint32, on bool) error {
	return d.fault(fmt.Sprintf("HoldCompletions(%q, 0x%x, %t)", name, qpn, on), func() error { return hold(d.slot, name, qpn, on) })
}

// DisassocDestroy lets the verbs that destroy work on a device that was taken away, as rdma-core does with the environment variable
// RDMAV_ALLOW_DISASSOC_DESTROY; without it they fail with EIO, and only ibv_close_device frees anything.
func DisassocDestroy() Option { return set(func(d *device) { d.freesGone = true }) }

// TakeAway takes the device called name away, as when a card is reset or pulled out. Each of its contexts gets an event
// DEVICE_FATAL. After that event every verb on it fails with EIO: those that wait for events, those that destroy (but see
// [DisassocDestroy]), and poll_cq too, which a real provider would let run on. ibv_close_device works and
// frees all; Leaks does not list what could no longer be destroyed. The device does not come back.
func (d *Device) TakeAway(name string) error {
	return d.fault(fmt.Sprintf("TakeAway(%q)", name), func() error { return setGone(d.slot, name) })
}

// fault orders one from a device that can be used.
func (d *Device) fault(call string, f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	if err := f(); err != nil {
		return fmt.Errorf("softverbs: %s: %w", call, err)
	}
	return nil
}

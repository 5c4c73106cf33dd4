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
	return always(func(s *settings) { s.faults = append(s.faults, f) })
}

// FailRequest makes the nth send request fail with status, such as Status(verbs.WCStatusRetryExcErr). Requests are counted from 1, over all
// send queues together; with nth 0 every request fails. The device does not execute a request that fails. The queue pair goes to ERR, and
// its later requests are flushed. The option may be used several times.
func FailRequest(nth uint64, status Status) Option {
	return onOrder(func(d *Device) error { return d.FailRequest(nth, status) })
}

// FailRequest is like the option FailRequest, for a device in use. It counts requests from now on.
func (d *Device) FailRequest(nth uint64, status Status) error {
	if status <= StatusSuccess || int(status) >= len(statusNames) {
		return fmt.Errorf("softverbs: FailRequest(%d, %d): not a status of an error; those are 1 to %d", nth, int(status), len(statusNames)-1)
	}
	call := fmt.Sprintf("FailRequest(%d, %v)", nth, status)
	return d.fault(call, func() error { return armCount(d.slot, requests, nth, int(status)) })
}

// LoseCompletion drops the nth completion, of sends and receives together, counted from 1, or every completion if n is 0. The request
// itself is executed. The option may be used several times.
func LoseCompletion(nth uint64) Option {
	return onOrder(func(d *Device) error { return d.LoseCompletion(nth) })
}

// LoseCompletion is like the option LoseCompletion, for a device in use. It counts completions from now on.
func (d *Device) LoseCompletion(nth uint64) error {
	return d.fault(fmt.Sprintf("LoseCompletion(%d)", nth), func() error { return armCount(d.slot, completions, nth, 1) })
}

// DelayCompletions delays each completion by a time between least and most. The times differ between completions, but are the same in each
// run of a program. Completions of one queue keep their order. Completions of different queue pairs overtake each other if least and
// most differ.
func DelayCompletions(least, most time.Duration) Option {
	return onOrder(func(d *Device) error { return d.DelayCompletions(least, most) })
}

// DelayCompletions is like the option DelayCompletions, for a device in use. 0, 0 ends the delays; completions that wait already come when
// they are due.
func (d *Device) DelayCompletions(least, most time.Duration) error {
	call := fmt.Sprintf("DelayCompletions(%v, %v)", least, most)
	if least < 0 || most < least {
		return fmt.Errorf("softverbs: %s: the first is at least 0 and at most the second", call)
	}
	return d.fault(call, func() error { return delay(d.slot, least, most) })
}

// HoldCompletions holds back the completions of queue pair qpn on the device called name, so that other completions overtake them. With on
// false it releases them in order. Destroying the queue pair drops its held completions.
func (d *Device) HoldCompletions(name string, qpn uint32, on bool) error {
	return d.fault(fmt.Sprintf("HoldCompletions(%q, 0x%x, %t)", name, qpn, on), func() error { return hold(d.slot, name, qpn, on) })
}

// DisassocDestroy lets verbs destroy objects of a device that was taken away, as rdma-core does with the environment variable
// RDMAV_ALLOW_DISASSOC_DESTROY. Without it they fail with EIO, and only ibv_close_device frees anything.
func DisassocDestroy() Option { return set(func(d *device) { d.freesGone = true }) }

// TakeAway removes the device called name, like a card that is reset or pulled out. Each of its contexts gets an event DEVICE_FATAL.
// Afterwards every verb on it fails with EIO, also verbs that wait for events or destroy objects (but see [DisassocDestroy]), and poll_cq,
// which a real provider would let run on. ibv_close_device works and frees everything. Leaks does not list objects that could no longer be
// destroyed. The device does not come back.
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

package softcm

import (
	"fmt"
	"net/netip"
	"syscall"
)

// Message is a message between two identifiers, as InfiniBand names them.
type Message int

const (
	MessageREQ     Message = iota // request of a connection
	MessageREP                    // its answer
	MessageRTU                    // the answer has arrived: the connection is established
	MessageREJ                    // rejection
	MessageDREQ                   // end of a connection
	MessageDREP                   // the other end has heard of it
	MessageSIDRREQ                // request of a datagram service
	MessageSIDRREP                // its answer
	MessageMRA                    // a request or its answer has arrived: the sender waits another 68.7 s before it sends it again
	messages
)

func onOrder(f func(*Manager) error) Option {
	return func(s *settings) error {
		s.faults = append(s.faults, f)
		return nil
	}
}

// fault orders one from a Manager that can be used.
func (m *Manager) fault(call string, f func() error) error {
	if err := m.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := f(); err != nil {
		return fmt.Errorf("softcm: %s: %w", call, err)
	}
	return nil
}

// Fail makes the nth call of a function from now on fail with errno, once; n counts from 1, and 0 means every call. The option may be used
// several times.
func Fail(verb string, nth uint64, errno syscall.Errno) Option {
	return onOrder(func(m *Manager) error { return m.Fail(verb, nth, errno) })
}

// Fail does what the option Fail does, for a Manager that is in use.
func (m *Manager) Fail(verb string, nth uint64, errno syscall.Errno) error {
	call := fmt.Sprintf("Fail(%q, %d, %d)", verb, nth, int(errno))
	if errno == 0 {
		return fmt.Errorf("softcm: %s: 0 is no error", call)
	}
	return m.fault(call, func() error { return fail(m.slot, verb, nth, errno) })
}

// Lose drops one message of the given kind: the nth that is sent after this call, counted from 1. With nth 0 it drops every such message.
// A message that is sent again counts too. A peer repeats a message if the next one is lost, for example an answer if its MessageRTU is
// lost. It repeats it soon only if its MessageMRA is lost as well. The option may be used several times.
func Lose(what Message, nth uint64) Option {
	return onOrder(func(m *Manager) error { return m.Lose(what, nth) })
}

// Lose does what the option Lose does, for a Manager that is in use.
func (m *Manager) Lose(what Message, nth uint64) error {
	call := fmt.Sprintf("Lose(%d, %d)", int(what), nth)
	if what < 0 || what >= messages {
		return fmt.Errorf("softcm: %s: not a message", call)
	}
	return m.fault(call, func() error { return lose(m.slot, what, nth) })
}

// Silence makes an address answer nothing, like a machine that was switched off: it is not resolved, and messages from and to it are lost.
// With on false it answers again.
func Silence(a netip.Addr) Option {
	return onOrder(func(m *Manager) error { return m.Silence(a, true) })
}

// Silence does what the option Silence does, for a Manager that is in use.
func (m *Manager) Silence(a netip.Addr, on bool) error {
	call := fmt.Sprintf("Silence(%v, %t)", a, on)
	if !a.IsValid() {
		return fmt.Errorf("softcm: %s: not an address", call)
	}
	return m.fault(call, func() error { return silence(m.slot, a.Unmap(), on) })
}

// RemoveDevice removes the device called name from the connection manager, as when its driver is unloaded. Each identifier that is bound to
// it gets an event DEVICE_REMOVAL, and every call for it but that of Close fails with ENXIO; its peer sees the connection end. The device
// does not come back. To take it away from the verbs, too, use softverbs.Device.TakeAway.
func (m *Manager) RemoveDevice(name string) error {
	return m.fault(fmt.Sprintf("RemoveDevice(%q)", name), func() error { return removeDevice(m.slot, name) })
}

// ChangeAddress sends an event ADDR_CHANGE to each identifier that is bound to the device called name, as when another network card of a
// bond takes over.
func (m *Manager) ChangeAddress(name string) error {
	return m.fault(fmt.Sprintf("ChangeAddress(%q)", name), func() error { return changeAddress(m.slot, name) })
}

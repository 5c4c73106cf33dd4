package softcm

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Verbs is the source of the functions of libibverbs: a softverbs.Device.
type Verbs interface {
	Symbol(name, version string) uintptr
}

// Manager is a software librdmacm. It is a symbol source for the LoadFrom of rdmacm. All methods may be called from several goroutines.
type Manager struct {
	mu    sync.Mutex
	verbs Verbs // kept alive: its functions are called
	slot  int
	err   error // why there is none, os.ErrClosed after Close
}

type settings struct {
	response, timewait time.Duration
	retries            int
	loopback           bool
	faults             []func(*Manager) error
}

// Option configures a Manager. Manager.Err returns the error of a wrong option.
type Option func(*settings) error

// The times of Linux on RoCE.
const (
	responseTime = 6442 * time.Millisecond
	responses    = 15
	timewait     = 2147 * time.Millisecond
)

// Retries sets how often a message without an answer is sent again, and how long its sender waits each time. The default is that of Linux:
// 15 times, 6.4 s each.
func Retries(n int, wait time.Duration) Option {
	return func(s *settings) error {
		if n < 0 || wait <= 0 {
			return fmt.Errorf("softcm: Retries(%d, %v): the number is at least 0, and the time is positive", n, wait)
		}
		s.retries, s.response = n, wait
		return nil
	}
}

// TimeWait sets how long a connection that ended is remembered, until an event TIMEWAIT_EXIT. The default is that of Linux, 2.1 s.
func TimeWait(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("softcm: TimeWait(%v): the time is positive", d)
		}
		s.timewait = d
		return nil
	}
}

// Loopback has 127.0.0.1 and ::1 lead to the first port of the first device, whose address the identifier gets. Without it, as on Linux
// with RoCE, the address is resolved, but there is no route to it.
func Loopback() Option {
	return func(s *settings) error { s.loopback = true; return nil }
}

// New makes a Manager for the devices of a libibverbs. A process can have 64 at a time. Without memory, or with a wrong option, New
// returns a Manager without symbols whose Err has the reason. The caller calls Close, before that of the devices.
func New(verbs Verbs, opts ...Option) *Manager {
	s := &settings{response: responseTime, retries: responses, timewait: timewait}
	m := &Manager{verbs: verbs, slot: -1}
	if verbs == nil {
		m.err = errors.New("softcm: New(nil); pass a softverbs.Device")
		return m
	}
	if e, ok := verbs.(interface{ Err() error }); ok && e.Err() != nil {
		m.err = fmt.Errorf("softcm: the devices cannot be used: %w", e.Err())
		return m
	}
	for _, o := range opts {
		if o == nil {
			continue
		}
		if m.err = o(s); m.err != nil {
			return m
		}
	}
	if m.slot, m.err = newMachine(s, verbs); m.err != nil {
		return m
	}
	for _, f := range s.faults {
		if err := f(m); err != nil {
			m.Close()
			m.err = err
			return m
		}
	}
	return m
}

// Err returns nil if the Manager can be used, os.ErrClosed after Close, and otherwise why New failed.
func (m *Manager) Err() error {
	if m == nil {
		return errors.New("softcm: the manager is nil; New makes one")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil && m.verbs == nil {
		return errors.New("softcm: the manager was never opened; New makes one")
	}
	return m.err
}

// String returns the name of the library for messages.
func (m *Manager) String() string { return "softcm" }

// Symbol returns the address of the C function called name, 0 if this library lacks it. version is the default version of the symbol
// ("RDMACM_1.0") or empty; for any other version it returns 0.
func (m *Manager) Symbol(name, version string) uintptr {
	if m.Err() != nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return symbol(m.slot, name, version)
}

// Leaks returns a line for each event channel, identifier and list of devices that is open now.
func (m *Manager) Leaks() []string {
	if m.Err() != nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lines()
}

func (m *Manager) lines() []string {
	text := strings.TrimSuffix(report(m.slot), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// Close closes the devices that the library has opened, and frees it. While an event channel, an identifier or a list of devices is open,
// it does neither and returns an error that is EBUSY and names what is open. A second Close is os.ErrClosed.
func (m *Manager) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		if m.err == os.ErrClosed {
			return fmt.Errorf("softcm: close: %w", m.err)
		}
		return nil // never opened
	}
	if m.verbs == nil {
		return nil
	}
	if err := closeMachine(m.slot); err != nil {
		return fmt.Errorf("softcm: close: %w: %s", err, strings.Join(m.lines(), "; "))
	}
	m.slot, m.err = -1, os.ErrClosed
	return nil
}

// code returns the error of a C function that returns an errno.
func code(rc int) error {
	if rc != 0 {
		return syscall.Errno(rc)
	}
	return nil
}

//go:build !linux

package fail

import (
	"net/netip"
	"syscall"
)

// Unlisted finds nothing on this system.
func Unlisted(src any, wanted string, listed []string) string { return "" }

// NoRDMA finds nothing on this system.
func NoRDMA(src any) string { return "" }

// NotOpened returns the plain error on this system.
func NotOpened(verb string, src any, device, char string, errno syscall.Errno) error {
	return Failed(verb, errno, nil)
}

// NoNode returns the plain error on this system.
func NoNode(verb string, src any, node string, errno syscall.Errno) error {
	return Failed(verb, errno, nil)
}

func mappings(errno syscall.Errno, addr, length, access uint64) string { return "" }

// withoutDAX knows nothing of a file on this system.
func withoutDAX(path string) bool { return false }

// OpenQP returns nil on this system.
func OpenQP(verb string, src any, device string) error { return nil }

// Singly finds nothing on this system.
func Singly(src any, device string) uint64 { return 0 }

// Is finds nothing on this system.
func Is(src any, device, provider string) bool { return false }

// Divisor returns n on this system.
func Divisor[T uint8 | uint16 | uint32 | uint64](src any, device, provider string, n T) T { return n }

// Unreached finds nothing on this system.
func Unreached(src any, peer netip.Addr) []string { return nil }

// netdev finds nothing on this system.
func (p Path) netdev() (d netdev) { return d }

// wayTo finds nothing on this system.
func wayTo(from, to netip.Addr, netdev uint32) (w way) { return w }

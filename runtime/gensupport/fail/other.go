//go:build !linux

package fail

import (
	"net/netip"
	"syscall"
)

// tryNode finds nothing wrong with a node on this system.
func (s system) tryNode(name, module, class string) (syscall.Errno, string) { return 0, "" }

func filesLeft() (left, limit uint64) { return fewFiles, 0 }

func noThreadHint() string { return "" }

// MapHint finds no cause: it knows only Linux.
func MapHint(uint64) string { return "" }

func memlockHint(more uint64) string { return "" }

func mappings(errno syscall.Errno, addr, length, access uint64) string { return "" }

// withoutDAX knows nothing of a file on this system.
func withoutDAX(path string) bool { return false }

// netdev finds nothing on this system.
func (p Path) netdev() (d netdev) { return d }

// wayTo finds nothing on this system.
func wayTo(from, to netip.Addr, netdev uint32) (w way) { return w }

//go:build !linux || !cgo

package softcm

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

var errNoC = fmt.Errorf("softcm: needs linux and cgo: %w", errors.ErrUnsupported)

func newMachine(*settings, Verbs) (int, error)      { return -1, errNoC }
func closeMachine(int) error                        { return errNoC }
func symbol(int, string, string) uintptr            { return 0 }
func report(int) string                             { return "" }
func fail(int, string, uint64, syscall.Errno) error { return errNoC }
func lose(int, Message, uint64) error               { return errNoC }
func silence(int, netip.Addr, bool) error           { return errNoC }
func removeDevice(int, string) error                { return errNoC }
func changeAddress(int, string) error               { return errNoC }

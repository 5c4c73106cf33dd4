//go:build !linux

package bridge

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// DuplicateFD fails: there are no verbs on this system.
func DuplicateFD(verb, _ string, _ int) (int, error) {
	return -1, &verr.Error{Verb: verb, Errno: syscall.ENOSYS}
}

// RefusedFD does nothing.
func RefusedFD(int, int) {}

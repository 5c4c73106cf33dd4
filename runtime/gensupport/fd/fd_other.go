//go:build !linux

package fd

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Duplicate fails: there are no verbs on this system.
func Duplicate(verb, _ string, _ int) (int, error) {
	return -1, &verr.Error{Verb: verb, Errno: syscall.ENOSYS}
}

// Refused does nothing.
func Refused(int, int) {}

//go:build !linux

package mem

import (
	"errors"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

var errNoLinux = &verr.Error{Msg: "map a buffer: this program was built without Linux, and only there devices can use it",
	Err: errors.ErrUnsupported}

func mapMemory(length uint64, c config) (unsafe.Pointer, uintptr, error) {
	return nil, 0, errNoLinux
}

func unmapMemory(base unsafe.Pointer, mapped uintptr) error { return errNoLinux }

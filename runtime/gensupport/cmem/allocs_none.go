//go:build !linux || !cgo

package cmem

import (
	"errors"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// register would make an allocator known; in this build nothing can call it.
func (e *allocEntry) register() (alloc, free uintptr, err error) {
	return 0, 0, &verr.Error{
		Msg: "register an allocator: this program was built without Linux or without cgo, and only with both a provider can call it",
		Err: errors.ErrUnsupported,
	}
}

// release has nothing to forget in this build.
func (e *allocEntry) release() {}

//go:build !linux || !cgo

package cmem

import (
	"errors"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// registerAlloc would make f an allocator; in this build nothing can call it.
func registerAlloc(allocFuncs) (ctx, alloc, free uintptr, err error) {
	return 0, 0, 0, &verr.Error{
		Msg: "register an allocator: this program was built without Linux or without cgo, and only with both a provider can call it",
		Err: errors.ErrUnsupported,
	}
}

// releaseAlloc has nothing to forget in this build.
func releaseAlloc(uintptr) (leaked int) { return 0 }

// lastAllocError returns nothing in this build.
func lastAllocError(uintptr) error { return nil }

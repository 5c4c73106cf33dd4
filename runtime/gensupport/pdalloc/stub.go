//go:build !linux || !cgo

package pdalloc

import (
	"errors"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Register would make f an allocator; in this build nothing can call it.
func Register(f Funcs) (ctx, alloc, free uintptr, err error) {
	return 0, 0, 0, &verr.Error{
		Msg: "register an allocator: this program was built without Linux or without cgo, and only with both a provider can call it",
		Err: errors.ErrUnsupported,
	}
}

// Release has nothing to forget in this build.
func Release(ctx uintptr) (leaked int) { return 0 }

// Outstanding has nothing to count in this build.
func Outstanding(ctx uintptr) int { return 0 }

// LastError returns nothing in this build.
func LastError(ctx uintptr) error { return nil }

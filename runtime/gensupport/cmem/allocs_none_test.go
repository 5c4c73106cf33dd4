//go:build !linux || !cgo

package cmem

import (
	"errors"
	"testing"
)

func TestStub(t *testing.T) {
	ctx, alloc, free, err := registerAlloc(allocFuncs{})
	const want = "register an allocator: this program was built without Linux or without cgo, and only with both a provider can call it"
	if ctx != 0 || alloc != 0 || free != 0 || !errors.Is(err, errors.ErrUnsupported) || err.Error() != want {
		t.Errorf("registerAlloc = %d, %d, %d, %v", ctx, alloc, free, err)
	}
	if releaseAlloc(1) != 0 || lastAllocError(1) != nil {
		t.Error("something is registered")
	}
}

//go:build !linux || !cgo

package cmem

import (
	"errors"
	"testing"
)

func TestStub(t *testing.T) {
	calls, alloc, free, ctx, err := NewAllocCalls(Allocator[int]{})
	const want = "register an allocator: this program was built without Linux or without cgo, and only with both a provider can call it"
	if calls != nil || ctx != 0 || alloc != 0 || free != 0 || !errors.Is(err, errors.ErrUnsupported) || err.Error() != want {
		t.Errorf("NewAllocCalls = %v, %d, %d, %d, %v", calls, alloc, free, ctx, err)
	}
}

//go:build !linux || !cgo

package pdalloc

import (
	"errors"
	"testing"
)

func TestStub(t *testing.T) {
	ctx, alloc, free, err := Register(Funcs{})
	const want = "register an allocator: this program was built without Linux or without cgo, and only with both a provider can call it"
	if ctx != 0 || alloc != 0 || free != 0 || !errors.Is(err, errors.ErrUnsupported) || err.Error() != want {
		t.Errorf("Register = %d, %d, %d, %v", ctx, alloc, free, err)
	}
	if Release(1) != 0 || Outstanding(1) != 0 || LastError(1) != nil {
		t.Error("something is registered")
	}
}

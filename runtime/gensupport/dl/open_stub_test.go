//go:build !linux || !cgo

package dl

import (
	"errors"
	"testing"
)

func TestStub(t *testing.T) {
	l, err := Open("")
	const want = "load libibverbs.so.1: this program was built without Linux or without cgo; " +
		"libibverbs needs both: build on or for Linux with CGO_ENABLED=1 and a C compiler"
	if l != nil || !errors.Is(err, errors.ErrUnsupported) || err.Error() != want {
		t.Errorf("Open = %v, %v\nwant %s", l, err, want)
	}
	if new(Library).Symbol("ibv_get_device_list", "") != 0 {
		t.Error("a library without a loader has symbols")
	}
}

package cmem

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
)

func TestPadded(t *testing.T) {
	given := []byte{1, 2}
	b, err := Padded("v", "wqe", given, 4)
	given[0] = 9
	if err != nil || !bytes.Equal(b, []byte{1, 2, 0, 0}) {
		t.Errorf("%v, %v", b, err)
	}
	if b, err := Padded("v", "wqe", nil, 4); err != nil || len(b) != 4 {
		t.Errorf("of nothing: %v, %v", b, err)
	}
	if _, err := Padded("v", "wqe", make([]byte, 5), 4); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("of too many: %v", err)
	}
}

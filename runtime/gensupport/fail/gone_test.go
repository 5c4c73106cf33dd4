package fail

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

func TestRemoved(t *testing.T) {
	for _, c := range []struct {
		err    error
		answer syscall.Errno
		gone   bool
	}{
		{Failed("v", syscall.EIO, nil), syscall.EIO, true},
		{Failed("v", syscall.EIO, nil), 0, false},
		{Failed("v", syscall.EIO, nil), syscall.ENOSYS, false},
		{Failed("v", syscall.EBUSY, nil), syscall.EIO, false},
		{(&Once{Verb: "v"}).Overrun(), syscall.EIO, false},
		{os.ErrClosed, syscall.EIO, false},
		{nil, syscall.EIO, false},
	} {
		got := Removed(c.err, func() syscall.Errno { return c.answer })
		if errors.Is(got, verr.ErrDeviceRemoved) != c.gone || !c.gone && got != c.err {
			t.Errorf("%v, and the query %v: %v", c.err, c.answer, got)
		}
		if c.gone && (!errors.Is(got, syscall.EIO) || got.Error() != "v: input/output error (EIO): the device was removed") {
			t.Errorf("%v", got)
		}
	}
}

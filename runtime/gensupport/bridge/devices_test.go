package bridge

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"
)

// library is a list of devices with the names given. freed counts the lists given back.
type library struct {
	names []string
	array []*string
	freed int
}

func newLibrary(names ...string) *library {
	l := &library{names: names}
	for i := range names {
		l.array = append(l.array, &l.names[i])
	}
	l.array = append(l.array, nil) // as in C, and so that there is an array without devices too
	return l
}

func (l *library) library() DeviceList {
	return DeviceList{
		List: func(n *int32) (unsafe.Pointer, syscall.Errno) {
			*n = int32(len(l.names))
			return unsafe.Pointer(unsafe.SliceData(l.array)), 0
		},
		Free: func(list unsafe.Pointer) {
			if list == unsafe.Pointer(unsafe.SliceData(l.array)) {
				l.freed++
			}
		},
	}
}

func name(c unsafe.Pointer) string { return *(*string)(c) }

func TestEachFails(t *testing.T) {
	for _, c := range []struct {
		errno syscall.Errno
		is    error
		text  string
	}{
		{syscall.ENOSYS, errors.ErrUnsupported,
			"v: the kernel has no RDMA; load the modules of the device and ib_uverbs: function not implemented (ENOSYS)"},
		{syscall.ENOMEM, syscall.ENOMEM, "v: cannot allocate memory (ENOMEM)"},
	} {
		l := DeviceList{List: func(*int32) (unsafe.Pointer, syscall.Errno) { return nil, c.errno },
			Free: func(unsafe.Pointer) { t.Error("a list is freed that there is not") }}
		if err := l.Each("v", nil); !errors.Is(err, c.is) || err.Error() != c.text {
			t.Errorf("%v: %v", c.errno, err)
		}
	}
}

func TestFind(t *testing.T) {
	l := newLibrary("a", "b", "c")
	opened := ""
	open := func(c unsafe.Pointer) error { opened += name(c); return nil }
	if err := l.library().Find("v", "b", name, open); err != nil || opened != "b" || l.freed != 1 {
		t.Errorf("opened %q, freed %d times, %v", opened, l.freed, err)
	}
	refused := errors.New("refused")
	if err := l.library().Find("v", "b", name, func(unsafe.Pointer) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("the error of open: %v", err)
	}
	for _, c := range []struct {
		l    *library
		text string
	}{
		{l, `v: no device "x"; there is a, b, c: no such device (ENODEV)`},
		{newLibrary(), `v: no device "x"; there is none: no such device (ENODEV)`},
	} {
		if err := c.l.library().Find("v", "x", name, open); !errors.Is(err, syscall.ENODEV) || err.Error() != c.text {
			t.Errorf("got %v, want %s", err, c.text)
		}
	}
	failing := DeviceList{List: func(*int32) (unsafe.Pointer, syscall.Errno) { return nil, syscall.EPERM }}
	if err := failing.Find("v", "x", name, open); !errors.Is(err, syscall.EPERM) {
		t.Errorf("the error of the list: %v", err)
	}
}

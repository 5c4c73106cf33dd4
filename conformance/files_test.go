//go:build linux

package conformance

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestFewFiles asks for the devices with hardly any file descriptor left. What a library then says of devices, that it finds none
// or that there is no RDMA, is not taken as true; a list that it could make is.
func TestFewFiles(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &before)
	free := must(unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0))(t) // the lowest descriptor that is free
	unix.Close(free)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(free), Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]softverbs.Option{
		"an empty list": softverbs.NoDevices(),
		"no RDMA":       softverbs.Fail("ibv_get_device_list", 1, syscall.ENOSYS),
	} {
		soft := softverbs.New(opt)
		list, err := must(verbs.LoadFrom(soft))(t).Devices()
		if !errors.Is(err, syscall.EMFILE) || errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "RLIMIT_NOFILE") {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		if err := soft.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	soft := softverbs.New()
	if list, err := must(verbs.LoadFrom(soft))(t).Devices(); err != nil || len(list) != 1 {
		t.Errorf("a list of one device: %+v, %v", list, err)
	}
	if err := soft.Close(); err != nil {
		t.Error(err)
	}
}

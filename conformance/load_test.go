//go:build linux

package conformance

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestLoadReal loads the machine's own libibverbs through the same code as every test.
func TestLoadReal(t *testing.T) {
	lib, err := verbs.Load()
	if errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("VERBS_REQUIRE_LIBRARY") != "" {
			t.Fatal(err)
		}
		t.Skipf("no libibverbs on this machine: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if again := must(verbs.Load())(t); again == nil {
		t.Error("a second Load gives nothing")
	}
	devices, err := lib.Devices()
	if _, none := os.Stat(sysfs.Path("class/infiniband_verbs")); none != nil {
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "kernel has no RDMA") {
			t.Errorf("without RDMA in the kernel Devices = %v, %v", devices, err)
		}
		if _, err := lib.OpenDevice("mlx5_0"); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("OpenDevice: %v", err)
		}
		return
	}
	if err != nil {
		t.Errorf("Devices: %v", err)
	}
}

// TestMissingOp uses a provider that lacks an operation, and a library without the extended queries.
func TestMissingOp(t *testing.T) {
	b := open(t, softverbs.WithoutOp("alloc_dm", "query_device_ex", "query_port"))
	if _, err := b.dev.AllocDM(verbs.NewAllocDMAttr(64)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("AllocDM: %v", err)
	}
	attr := must(b.dev.QueryDeviceEx())(t)
	if attr.OrigAttr.MaxMR == 0 || attr.MaxDMSize != 0 {
		t.Errorf("the plain query in place of the extended one: %+v", attr)
	}
	if port := must(b.dev.QueryPort(1))(t); port.State != verbs.PortStateActive || port.ActiveSpeedEx != 0 {
		t.Errorf("the first release's port query: %+v", port)
	}
	old := open(t, softverbs.WithoutSymbol("ibv_reg_mr_iova2"))
	pd := must(old.dev.AllocPD())(t)
	must(pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessRelaxedOrdering))(t)
}

// TestBrokenSource loads from sources that lack what nothing works without: an error, never a crash. Nobody
// knows the first release with these symbols, so the error names none.
func TestBrokenSource(t *testing.T) {
	for _, symbol := range []string{"ibv_get_device_list", "ibv_free_device_list", "ibv_open_device"} {
		soft := softverbs.New(softverbs.WithoutSymbol(symbol))
		lib := must(verbs.LoadFrom(soft))(t)
		if _, err := lib.OpenDevice("soft0"); !errors.Is(err, errors.ErrUnsupported) ||
			!strings.Contains(err.Error(), " has no symbol "+symbol+"; load a newer or complete library") {
			t.Errorf("without %s: %v", symbol, err)
		}
		soft.Close()
	}
	wrong := softverbs.New(softverbs.Release("1.0"))
	if _, err := verbs.LoadFrom(wrong); err == nil || err != wrong.Err() {
		t.Errorf("a source that says why it cannot be used: %v", err)
	}
}

// TestQueryRefused has the extended query of a device answer that it is not supported: the plain one follows. Any other error stays.
func TestQueryRefused(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOSYS, syscall.EOPNOTSUPP} {
		b := open(t, softverbs.Fail("ibv_query_device_ex", 1, errno))
		if attr := must(b.dev.QueryDeviceEx())(t); attr.OrigAttr.MaxMR == 0 || attr.MaxDMSize != 0 {
			t.Errorf("after %v: %+v", errno, attr)
		}
	}
	b := open(t, softverbs.Fail("ibv_query_device_ex", 1, syscall.EIO))
	if _, err := b.dev.QueryDeviceEx(); !errors.Is(err, syscall.EIO) {
		t.Errorf("after EIO: %v", err)
	}
}

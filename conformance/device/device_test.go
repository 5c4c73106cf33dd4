//go:build linux && cgo

package device

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestDevices compares the device list with what the kernel shows in sysfs.
func TestDevices(t *testing.T) {
	real, name := library(t)
	list := must(must(verbs.LoadFrom(real))(t).Devices())(t)
	seen := false
	for _, d := range list {
		seen = seen || d.Name == name
		guid := strings.TrimSpace(string(must(os.ReadFile(sysfs.Path("class/infiniband", d.Name, "node_guid")))(t)))
		if got := guidText(d.GUID); got != guid {
			t.Errorf("%s: GUID %s, sysfs has %s", d.Name, got, guid)
		}
		kind := strings.TrimSpace(string(must(os.ReadFile(sysfs.Path("class/infiniband", d.Name, "node_type")))(t)))
		if got := fmt.Sprintf("%d:", d.NodeType); !strings.HasPrefix(kind, got) {
			t.Errorf("%s: node type %d, sysfs has %s", d.Name, d.NodeType, kind)
		}
		if _, err := os.Stat("/dev/infiniband/" + d.DevName); err != nil {
			t.Errorf("%s: DevName %s: %v", d.Name, d.DevName, err)
		}
		for _, path := range []string{d.IBDevPath, d.DevPath} {
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
		if d.Index < 0 || d.Transport == verbs.TransportTypeUnknown {
			t.Errorf("%s: index %d, transport %v", d.Name, d.Index, d.Transport)
		}
	}
	if !seen {
		t.Errorf("%s is not in the list %+v", name, list)
	}
}

// guidText writes a GUID as sysfs and ibv_devinfo do.
func guidText(v uint64) string {
	return fmt.Sprintf("%04x:%04x:%04x:%04x", v>>48, v>>32&0xffff, v>>16&0xffff, v&0xffff)
}

// TestOpen opens the device twice, closes it, and looks for one that is not there.
func TestOpen(t *testing.T) {
	b := open(t)
	again := must(b.lib.OpenDevice(b.name))(t)
	if again.CmdFD() == b.dev.CmdFD() || again.NumCompVectors() < 1 {
		t.Errorf("command channels %d and %d, %d completion vectors", b.dev.CmdFD(), again.CmdFD(), again.NumCompVectors())
	}
	fd := again.CmdFD()
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); !errors.Is(err, syscall.EBADF) {
		t.Errorf("the command channel after Close: %v", err)
	}
	if err := again.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if _, err := again.AllocPD(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("AllocPD after Close: %v", err)
	}
	if _, err := b.lib.OpenDevice("no_such_device"); !errors.Is(err, syscall.ENODEV) || !strings.Contains(err.Error(), b.name) {
		t.Errorf("a device that is not there: %v", err)
	}
}

// TestPD allocates protection domains; their handles are the kernel's.
func TestPD(t *testing.T) {
	b := open(t)
	before := resources(t, b.name)
	first, second := must(b.dev.AllocPD())(t), must(b.dev.AllocPD())(t)
	if first.Handle() == second.Handle() || first.Device() != b.dev || first.Parent() != nil {
		t.Errorf("handles %d and %d", first.Handle(), second.Handle())
	}
	if before != "" && resources(t, b.name) == before {
		t.Error("the kernel counts no new object")
	}
	for _, pd := range []*verbs.PD{first, second} {
		if err := pd.Close(); err != nil {
			t.Error(err)
		}
	}
	if now := resources(t, b.name); now != before {
		t.Errorf("objects of the kernel before %q, after %q", before, now)
	}
	if err := first.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
}

// TestCloseOrder closes in the wrong order; the refusal names what is open, and everything still works.
func TestCloseOrder(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	if err := b.dev.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "PD") {
		t.Errorf("Close of the device: %v", err)
	}
	if err := pd.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "MR") {
		t.Errorf("Close of the PD: %v", err)
	}
	must(pd.RegMR(make([]byte, 64), 0))(t)
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
	if err := b.dev.CloseAll(); err != nil {
		t.Error(err)
	}
	if _, err := pd.RegMR(make([]byte, 64), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("RegMR after CloseAll: %v", err)
	}
}

// TestUnsupported calls what soft-RoCE does not have. Each is an error that is ErrUnsupported, and leaves nothing behind.
func TestUnsupported(t *testing.T) {
	b := open(t)
	if !strings.HasPrefix(b.name, "rxe") {
		t.Skipf("the answers are those of rxe; this is %s", b.name)
	}
	pd := must(b.dev.AllocPD())(t)
	fd := must(unix.MemfdCreate("memory", unix.MFD_CLOEXEC))(t)
	defer unix.Close(fd)
	for name, call := range map[string]func() error{
		"AllocTD":           func() error { _, err := b.dev.AllocTD(); return err },
		"AllocParentDomain": func() error { _, err := b.dev.AllocParentDomain(verbs.NewParentDomainAttr(pd)); return err },
		"AllocDM":           func() error { _, err := b.dev.AllocDM(verbs.NewAllocDMAttr(4096)); return err },
		"AllocNullMR":       func() error { _, err := pd.AllocNullMR(); return err },
		"RegDMABufMR":       func() error { _, err := pd.RegDMABufMR(0, 4096, 0, fd, verbs.DMABufAccessLocalWrite); return err },
		"ImportDM":          func() error { _, err := b.dev.ImportDM(1, 64); return err },
		"ImportDevice": func() error {
			_, err := b.lib.ImportDevice(b.dev.CmdFD())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := call()
			if !errors.Is(err, errors.ErrUnsupported) || refusal(err) != nil {
				t.Errorf("%v", err)
			}
			t.Log(err)
		})
	}
}

//go:build linux && cgo

package conformance

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"golang.org/x/sys/unix"
)

// descriptors returns the number of open file descriptors of the process.
func descriptors(t *testing.T) int {
	t.Helper()
	return len(must(os.ReadDir("/proc/self/fd"))(t))
}

// stillOpen checks that a descriptor is open.
func stillOpen(t *testing.T, fd int, after string) {
	t.Helper()
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
		t.Errorf("%s descriptor %d is closed: %v", after, fd, err)
	}
}

// TestImportKeepsDescriptor imports a context by the descriptor of an open device itself, which stays the device's: a second Close of
// one number closes a file of somebody else, such as that of Go's poller.
func TestImportKeepsDescriptor(t *testing.T) {
	b := open(t)
	fd, before := b.dev.CmdFD(), descriptors(t)
	other := must(b.lib.ImportDevice(fd))(t)
	if other.CmdFD() == fd {
		t.Errorf("both contexts have descriptor %d", fd)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	stillOpen(t, fd, "after Close of the import")
	if err := b.soft.Fail("ibv_import_device", 1, syscall.EIO); err != nil {
		t.Fatal(err)
	}
	if _, err := b.lib.ImportDevice(fd); !errors.Is(err, syscall.EIO) {
		t.Errorf("a refused import: %v", err)
	}
	stillOpen(t, fd, "after a refused import")
	if _, err := b.lib.ImportDevice(1e6); !errors.Is(err, syscall.EBADF) {
		t.Errorf("an import by a descriptor that is not open: %v", err)
	}
	if now := descriptors(t); now != before {
		t.Errorf("%d descriptors are open, before it were %d", now, before)
	}
}

// TestNoDescriptor exports descriptors from closed objects. Beside the error is -1, since 0 is the descriptor of another file, which a
// deferred close would end.
func TestNoDescriptor(t *testing.T) {
	b := open(t)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
	pd := must(b.dev.AllocPD())(t)
	buf := must(pd.AllocBuf(4096))(t)
	if err := errors.Join(dm.Close(), buf.Close(), pd.Close()); err != nil {
		t.Fatal(err)
	}
	for name, export := range map[string]func() (int, error){"DM": dm.ExportDMABufFD, "Buf": buf.ExportDMABufFD} {
		if fd, err := export(); fd != -1 || !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s.ExportDMABufFD = %d, %v", name, fd, err)
		}
	}
	if n, err := b.dev.GetPKeyIndex(1, 0x1234); n != -1 || err == nil {
		t.Errorf("GetPKeyIndex of a key that is not there = %d, %v", n, err)
	}
}

// TestCmdFDClosed: the number that a closed device had may be that of another file.
func TestCmdFDClosed(t *testing.T) {
	b := open(t)
	dev := must(b.lib.OpenDevice("soft0"))(t)
	if fd := dev.CmdFD(); fd < 0 {
		t.Errorf("open: %d", fd)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	var none *verbs.Device
	for what, dev := range map[string]*verbs.Device{"closed": dev, "nil": none, "zero": {}} {
		if fd := dev.CmdFD(); fd != -1 {
			t.Errorf("%s: %d, want -1", what, fd)
		}
	}
}

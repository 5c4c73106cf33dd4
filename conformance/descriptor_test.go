//go:build linux && cgo

package conformance

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

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

// TestLocate imports a region of which it then says where it lies, so that requests can name its bytes.
func TestLocate(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 4096), rw))(t)
	imported := must(must(importer(t, b).ImportPD(pd.Handle()))(t).ImportMR(mr.Handle()))(t)
	if _, err := imported.SGE(8, 8); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "MR.Locate") {
		t.Errorf("before: %v", err)
	}
	if err := imported.Locate(mr.IOVA(), mr.Length()); err != nil {
		t.Fatal(err)
	}
	addr, rkey, err := imported.Remote()
	if one := must(imported.SGE(8, 8))(t); one != must(mr.SGE(8, 8))(t) || imported.IOVA() != mr.IOVA() || addr != mr.IOVA() ||
		rkey != mr.RKey() || err != nil {
		t.Errorf("element %+v, address %#x, key %#x, %v", one, addr, rkey, err)
	}
	if _, err := imported.SGE(4096, 1); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("behind its end: %v", err)
	}
	for what, x := range map[string]*verbs.MR{"again": imported, "of a region of one's own": mr} {
		if err := x.Locate(mr.IOVA(), mr.Length()); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := imported.Close(); err != nil {
		t.Fatal(err)
	}
	if err := imported.Locate(0, 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := (*verbs.MR)(nil).Locate(0, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("nil: %v", err)
	}
}

// TestBufDMABuf has a buffer of a parent domain that allocates shared memory: it is exported, and what is written to one end is seen
// at the other.
func TestBufDMABuf(t *testing.T) {
	b := open(t)
	parent := must(b.dev.AllocPD())(t)
	pd := must(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(parent).AllowCCUnprotectedAlloc()))(t)
	buf := must(pd.AllocBuf(4096))(t)
	fd := must(buf.ExportDMABufFD())(t)
	defer func() { _ = unix.Close(fd) }()
	if _, err := buf.WriteAt([]byte("shared"), 10); err != nil {
		t.Error(err)
	}
	got := make([]byte, 6)
	if n, err := unix.Pread(fd, got, 10); n != 6 || err != nil || string(got) != "shared" {
		t.Errorf("through the descriptor: %q, %v", got, err)
	}
	mr := must(pd.RegBufMR(buf, buf.Addr(), 4096, verbs.MRAccessLocalWrite))(t)
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
	attr := verbs.NewMRInitAttr(4096, 0).Buf(buf).Memory(mem.Addr(buf.Addr(), 4096)).IOVA(4096)
	if _, err := pd.RegMREx(attr); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an address of its own for a dma-buf: %v", err)
	}
}

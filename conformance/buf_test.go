//go:build linux && cgo

package conformance

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// TestBuf allocates a buffer, writes and reads it, and registers parts of it in both ways. It cannot be closed before its regions, nor
// its protection domain before it.
func TestBuf(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	buf := must(pd.AllocBuf(10000))(t)
	if n, err := buf.WriteAt([]byte("provider"), 5000); n != 8 || err != nil || !bytes.Equal(buf.Bytes()[5000:5008], []byte("provider")) {
		t.Errorf("WriteAt: %d, %v", n, err)
	}
	if buf.Len() != 10000 || len(buf.Bytes()) != 10000 || buf.Addr() != uintptr(unsafe.Pointer(&buf.Bytes()[0])) || buf.PD() != pd {
		t.Errorf("%d bytes at %#x", buf.Len(), buf.Addr())
	}
	mr := must(pd.RegBufMR(buf, buf.Addr()+4096, 4096, verbs.MRAccessLocalWrite))(t)
	if mr.Addr() != buf.Addr()+4096 || mr.Length() != 4096 {
		t.Errorf("region of %d bytes at %#x", mr.Length(), mr.Addr())
	}
	ex := must(pd.RegMREx(verbs.NewMRInitAttr(10000, verbs.MRAccessLocalWrite).Buf(buf).Memory(mem.Addr(buf.Addr(), 10000))))(t)
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close with two regions: %v", err)
	}
	for _, err := range []error{mr.Close(), ex.Close()} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := pd.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the domain with a buffer: %v", err)
	}
	if fd, err := buf.ExportDMABufFD(); !errors.Is(err, syscall.ENODATA) {
		t.Errorf("a descriptor of ordinary memory: %d, %v", fd, err)
	}
	if err := buf.Close(); err != nil {
		t.Error(err)
	}
	if _, err := buf.ReadAt(make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) || buf.Bytes() != nil || buf.Addr() != 0 {
		t.Errorf("after Close: %v", err)
	}
	if _, err := pd.RegBufMR(buf, 0x10000, 1, 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("RegBufMR after Close: %v", err)
	}
}

// TestBufRefused registers what the buffer does not have, and in another protection domain: EINVAL.
func TestBufRefused(t *testing.T) {
	b := open(t)
	pd, other := must(b.dev.AllocPD())(t), must(b.dev.AllocPD())(t)
	buf := must(pd.AllocBuf(4096))(t)
	at := buf.Addr()
	for _, c := range []struct {
		what   string
		pd     *verbs.PD
		addr   uintptr
		length uint64
	}{{"before it", pd, at - 1, 1}, {"beyond it", pd, at + 1, 4096}, {"of another domain", other, at, 4096}} {
		if _, err := c.pd.RegBufMR(buf, c.addr, c.length, 0); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("a region %s: %v", c.what, err)
		}
	}
	if _, err := pd.RegBufMR(buf, at, 4096, verbs.MRAccessRemoteWrite); err == nil {
		t.Error("REMOTE_WRITE without LOCAL_WRITE is accepted")
	}
	if _, err := pd.RegMREx(verbs.NewMRInitAttr(4096, 0).Buf(buf)); err == nil {
		t.Error("a buffer without an address is accepted")
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

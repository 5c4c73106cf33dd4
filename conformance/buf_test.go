//go:build linux && cgo

package conformance

import (
	"errors"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

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

//go:build linux

package conformance

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// registered is a region, and the memory that it covers.
type registered struct {
	name string
	mr   *verbs.MR
	iova uint64
	off  uint64 // of the memory in the region
	view func(t *testing.T) []byte
}

// registrations makes a region of each kind that a device can read from.
func registrations(t *testing.T, dev *verbs.Device, pd *verbs.PD) []registered {
	t.Helper()
	buf := must(mem.New(4096))(t)
	slice, pinned := make([]byte, 4096), make([]byte, 4096)
	pin := must(mem.PinBytes(pinned))(t)
	t.Cleanup(pin.Unpin)
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
	fd := must(unix.MemfdCreate("dmabuf", unix.MFD_CLOEXEC))(t)
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Ftruncate(fd, 8192); err != nil {
		t.Fatal(err)
	}
	file := must(unix.Mmap(fd, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED))(t)
	t.Cleanup(func() { unix.Munmap(file) })

	bytesOf := func(b []byte) func(*testing.T) []byte { return func(*testing.T) []byte { return b } }
	ofDM := func(t *testing.T) []byte {
		b := make([]byte, 4096)
		if _, err := dm.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		return b
	}
	at := uint64(buf.Addr())
	attr := func() *verbs.MRInitAttr { return verbs.NewMRInitAttr(4096, rw) }
	sliceMR, pinMR := must(pd.RegMR(slice, rw))(t), must(pd.RegMRFrom(pin, rw))(t)
	return []registered{
		{"slice", sliceMR, uint64(sliceMR.Addr()), 0, bytesOf(slice)},
		{"pin", pinMR, uint64(pin.Addr()), 0, bytesOf(pinned)},
		{"buffer", must(pd.RegMRFrom(buf, rw))(t), at, 0, bytesOf(buf.Bytes())},
		{"address", must(pd.RegMRFrom(mem.Addr(buf.Addr(), 4096), rw))(t), at, 0, bytesOf(buf.Bytes())},
		{"iova", must(pd.RegMRIOVAFrom(buf, 0x70000, rw))(t), 0x70000, 0, bytesOf(buf.Bytes())},
		{"zero-based", must(pd.RegMRIOVAFrom(buf, 0, rw))(t), 0, 0, bytesOf(buf.Bytes())},
		{"implicit", must(pd.RegMRImplicitODP(rw))(t), 0, at, bytesOf(buf.Bytes())},
		{"ex", must(pd.RegMREx(attr().Memory(buf)))(t), at, 0, bytesOf(buf.Bytes())},
		{"ex of a pin", must(pd.RegMREx(attr().Memory(pin)))(t), uint64(pin.Addr()), 0, bytesOf(pinned)},
		{"ex with an iova", must(pd.RegMREx(attr().Memory(mem.Addr(buf.Addr(), 4096)).IOVA(0x3000)))(t), 0x3000, 0, bytesOf(buf.Bytes())},
		{"dma-buf", must(pd.RegDMABufMR(mem.DMABuf{FD: fd, Offset: 4096, Length: 4096}, 0x5000,
			verbs.DMABufAccess(rw)))(t), 0x5000, 0, bytesOf(file[4096:])},
		{"device memory", must(pd.RegDMMR(dm, 0, 4096, verbs.DMAccessZeroBased|verbs.DMAccess(rw)))(t), 0, 0, ofDM},
	}
}

// TestElements has a device write to a piece of each kind of region and read it back, by elements that the region gave. Pieces
// beyond its end are refused, and all of them after its Close.
func TestElements(t *testing.T) {
	dev := open(t, softverbs.ODP(3, 0xff, 0, 0)).dev
	a, b := pair(t, dev)
	for _, r := range registrations(t, dev, a.PD) {
		t.Run(r.name, func(t *testing.T) {
			if addr, rkey, err := r.mr.Remote(); err != nil || addr != r.iova || rkey != r.mr.RKey() {
				t.Errorf("Remote %#x, %#x, %v, want %#x, %#x", addr, rkey, err, r.iova, r.mr.RKey())
			}
			if got := r.mr.IOVA(); got != r.iova {
				t.Errorf("IOVA %#x, want %#x", got, r.iova)
			}
			text := []byte("by an element of " + r.name)
			n := uint64(len(text))
			copy(b.Buf, text)
			sge := must(r.mr.SGE(r.off+100, n))(t)
			if got := r.mr.UncheckedSGE(r.off+100, uint32(n)); got != sge {
				t.Errorf("unchecked %+v, checked %+v", got, sge)
			}
			for i, fill := range []func(verbs.SendWR){
				func(w verbs.SendWR) { w.Read(1, b.MR.IOVA(), b.MR.RKey()).Add(sge) },
				func(w verbs.SendWR) { w.Write(2, b.MR.IOVA()+1000, b.MR.RKey()).Add(sge) },
			} {
				if wc := a.Do(t, fill); wc.Err() != nil {
					t.Fatalf("request %d: %v", i, wc.Err())
				}
			}
			if got := r.view(t)[100 : 100+n]; !bytes.Equal(got, text) {
				t.Errorf("the memory has %q", got)
			}
			if got := b.Buf[1000 : 1000+n]; !bytes.Equal(got, text) {
				t.Errorf("written were %q", got)
			}
			if _, err := r.mr.SGE(r.mr.Length()-1, 1); err != nil {
				t.Errorf("the last byte: %v", err)
			}
			if _, err := r.mr.SGE(r.mr.Length()-1, 2); !errors.Is(err, syscall.EFAULT) {
				t.Errorf("beyond the end: %v", err)
			}
			if err := r.mr.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := r.mr.SGE(0, 1); !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), "MR (lkey 0x") {
				t.Errorf("after Close: %v", err)
			}
			if addr, rkey, err := r.mr.Remote(); !errors.Is(err, os.ErrClosed) || addr != 0 || rkey != 0 {
				t.Errorf("after Close, Remote: %#x, %#x, %v", addr, rkey, err)
			}
			if got := r.mr.UncheckedSGE(0, 1); got.LKey != 0 {
				t.Errorf("after Close, unchecked: %+v", got)
			}
		})
	}
}

// TestElementsOfNothing asks for elements of a null region, which has all addresses, and of no region.
func TestElementsOfNothing(t *testing.T) {
	pd := must(open(t).dev.AllocPD())(t)
	mr := must(pd.AllocNullMR())(t)
	if s, err := mr.SGE(1<<40, 64); err != nil || s != (verbs.SGE{Addr: 1 << 40, Length: 64, LKey: mr.LKey()}) {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := (*verbs.MR)(nil).SGE(0, 1); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "MR is nil") {
		t.Errorf("a nil region: %v", err)
	}
	allocs.None(t, "SGE", func() { _, _ = mr.SGE(0, 64) })
}

// TestElementsZeroBased registers with ZERO_BASED on a device that ignores it: nobody can know, and elements are refused.
func TestElementsZeroBased(t *testing.T) {
	pd := must(open(t, softverbs.LikeRXE61()).dev.AllocPD())(t)
	buf := make([]byte, 4096)
	mr := must(pd.RegMR(buf, rw|verbs.MRAccessZeroBased))(t)
	if _, err := mr.SGE(0, 64); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "ZERO_BASED") {
		t.Errorf("an element: %v", err)
	}
	if _, _, err := mr.Remote(); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "IOVA for a peer") {
		t.Errorf("the address for a peer: %v", err)
	}
	if _, err := must(pd.RegMR(buf, rw))(t).SGE(0, 64); err != nil {
		t.Errorf("without the flag: %v", err)
	}
}

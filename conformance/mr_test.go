//go:build linux

package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

const rw = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead

// TestRegisteredMemory has a peer write to memory registered in every form, and compares the bytes.
func TestRegisteredMemory(t *testing.T) {
	b := open(t, softverbs.ODP(3, 0xff, 0, 0))
	pd := must(b.dev.AllocPD())(t)
	buf := must(mem.New(3 * 4096))(t)
	page := buf.Bytes()[4096:8192]
	slice := make([]byte, 4096)
	for _, c := range []struct {
		name string
		reg  func() (*verbs.MR, error)
		at   func(mr *verbs.MR) uint64 // remote address of the first byte
		view []byte
	}{
		{"slice", func() (*verbs.MR, error) { return pd.RegMR(slice, rw) }, addr, slice},
		{"buffer", func() (*verbs.MR, error) { return pd.RegMRFrom(buf, rw) }, addr, buf.Bytes()},
		{"address", func() (*verbs.MR, error) { return pd.RegMRFrom(mem.Addr(buf.Addr()+4096, 4096), rw) }, addr, page},
		{"optional flag", func() (*verbs.MR, error) { return pd.RegMR(slice, rw|verbs.MRAccessRelaxedOrdering) }, addr, slice},
		{"iova", func() (*verbs.MR, error) { return pd.RegMRIOVAFrom(mem.Addr(buf.Addr()+4096, 4096), 0x70000, rw) }, at(0x70000), page},
		{"iova 0", func() (*verbs.MR, error) { return pd.RegMRIOVAFrom(mem.Addr(buf.Addr()+4096, 4096), 0, rw) }, at(0), page},
		{"iova of a buffer", func() (*verbs.MR, error) { return pd.RegMRIOVAFrom(buf, 0x1000, rw) }, at(0x1000), buf.Bytes()},
		{"ex", func() (*verbs.MR, error) {
			return pd.RegMREx(verbs.NewMRInitAttr(4096, rw).Memory(mem.Addr(buf.Addr()+4096, 4096)).IOVA(0x3000))
		}, at(0x3000), page},
	} {
		t.Run(c.name, func(t *testing.T) {
			mr := must(c.reg())(t)
			text := []byte("by a peer: " + c.name)
			if s, err := b.soft.Peer().Write(mr.RKey(), c.at(mr)+100, text); s != softverbs.StatusSuccess || err != nil {
				t.Fatalf("write: %v, %v", s, err)
			}
			if got := c.view[100 : 100+len(text)]; !bytes.Equal(got, text) {
				t.Errorf("memory holds %q", got)
			}
			if s, _ := b.soft.Peer().Write(mr.RKey(), c.at(mr)+mr.Length()-4, text); s != softverbs.StatusRemAccess {
				t.Errorf("past the end: %v", s)
			}
			rkey := mr.RKey()
			if err := mr.Close(); err != nil {
				t.Fatal(err)
			}
			if s, _ := b.soft.Peer().Write(rkey, c.at(mr), text); s != softverbs.StatusRemAccess {
				t.Errorf("stale key: %v", s)
			}
			if err := mr.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("second Close: %v", err)
			}
		})
	}
	if err := buf.Close(); err != nil {
		t.Errorf("the buffer is still held: %v", err)
	}
}

func addr(mr *verbs.MR) uint64 { return uint64(mr.Addr()) }

func at(a uint64) func(*verbs.MR) uint64 { return func(*verbs.MR) uint64 { return a } }

// TestBufferHeld shows that a registered buffer cannot be closed, and that its Close says by what it is held.
func TestBufferHeld(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	buf := must(mem.New(4096))(t)
	mr := must(pd.RegMRFrom(buf, 0))(t)
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "MR (lkey") {
		t.Errorf("Close of a registered buffer: %v", err)
	}
	if err := mr.Close(); err != nil {
		t.Fatal(err)
	}
	if err := buf.Close(); err != nil {
		t.Errorf("after the region's Close: %v", err)
	}
}

// TestLargeBuffer registers more than 4 GiB.
func TestLargeBuffer(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	buf, err := mem.New(5 << 30)
	if err != nil {
		t.Skipf("5 GiB of address space cannot be had: %v", err)
	}
	defer buf.Close()
	mr := must(pd.RegMRFrom(buf, rw))(t)
	if mr.Length() != 5<<30 {
		t.Errorf("Length = %d", mr.Length())
	}
	if s, err := b.soft.Peer().Write(mr.RKey(), addr(mr)+5<<30-8, []byte("the end.")); s != softverbs.StatusSuccess || err != nil {
		t.Errorf("write at the end: %v, %v", s, err)
	}
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
}

// TestDMABuf registers a part of a descriptor's memory.
func TestDMABuf(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	fd := must(unix.MemfdCreate("dmabuf", unix.MFD_CLOEXEC))(t)
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, 8192); err != nil {
		t.Fatal(err)
	}
	mr := must(pd.RegDMABufMR(4096, 4096, 0x20000, fd, verbs.DMABufAccessLocalWrite|verbs.DMABufAccessRemoteWrite))(t)
	if s, err := b.soft.Peer().Write(mr.RKey(), 0x20000, []byte("into the fd")); s != softverbs.StatusSuccess || err != nil {
		t.Fatalf("write: %v, %v", s, err)
	}
	got := make([]byte, 11)
	if _, err := unix.Pread(fd, got, 4096); err != nil || string(got) != "into the fd" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if a := mr.Addr(); a != 4096 {
		t.Errorf("Addr = %#x: not the offset in the dma-buf", a)
	}
	_, err := pd.RegDMABufMR(100, 4096, 0x20000, fd, 0)
	refused(t, err, "ibv_reg_dmabuf_mr", syscall.EINVAL)
}

// TestRefused names calls that the rules refuse, and what the refusal says.
func TestRefused(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
	buf := make([]byte, 64)
	for _, c := range []struct {
		name string
		call func() error
		says []string
	}{
		{"remote write alone", func() error { _, err := pd.RegMR(buf, verbs.MRAccessRemoteWrite); return err },
			[]string{"ibv_reg_mr: access REMOTE_WRITE (0x2): ", "add MRAccessLocalWrite", "[VR-ibv_reg_mr-access-0001]"}},
		{"remote atomic alone", func() error { _, err := pd.RegMR(buf, verbs.MRAccessRemoteAtomic); return err },
			[]string{"REMOTE_ATOMIC (0x8)", "MRAccessLocalWrite"}},
		{"unknown bit", func() error { _, err := pd.RegMR(buf, 1<<12); return err }, []string{"0x1000"}},
		{"not zero-based", func() error { _, err := pd.RegDMMR(dm, 0, 4096, verbs.DMAccessLocalWrite); return err },
			[]string{"ibv_reg_dm_mr: access LOCAL_WRITE (0x1): ", "add DMAccessZeroBased"}},
		{"past the end", func() error { _, err := pd.RegDMMR(dm, 4, 4096, verbs.DMAccessZeroBased); return err }, []string{"ibv_reg_dm_mr"}},
		{"wrap-around", func() error { _, err := pd.RegDMMR(dm, math.MaxUint64-3, 8, verbs.DMAccessZeroBased); return err },
			[]string{"ibv_reg_dm_mr"}},
		{"alignment", func() error { _, err := b.dev.AllocDM(verbs.NewAllocDMAttr(64).LogAlignReq(64)); return err },
			[]string{"attr.log_align_req 64"}},
		{"nil attribute", func() error { _, err := b.dev.AllocDM(nil); return err }, []string{"AllocDMAttr is nil"}},
		{"nil handle", func() error { _, err := pd.RegDMMR(nil, 0, 8, verbs.DMAccessZeroBased); return err }, []string{"DM is nil"}},
		{"nil receiver", func() error { _, err := (*verbs.PD)(nil).RegMR(buf, 0); return err }, []string{"PD is nil"}},
		{"zero handle", func() error { _, err := new(verbs.PD).RegMR(buf, 0); return err }, []string{"ibv_reg_mr"}},
		{"empty slice", func() error { _, err := pd.RegMR(nil, 0); return err }, []string{"empty"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.call()
			if err == nil {
				t.Fatal("accepted")
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q does not say %q", err, s)
				}
			}
		})
	}
	err := func() error { _, err := pd.RegMR(buf, verbs.MRAccessRemoteWrite); return err }()
	if long := fmt.Sprintf("%+v", err); !strings.Contains(long, "ibv_reg_mr(3), DESCRIPTION") {
		t.Errorf("%%+v does not give page and section: %s", long)
	}
}

// refused checks that err is one of the verb, with the errno.
func refused(t *testing.T, err error, verb string, errno syscall.Errno) {
	t.Helper()
	if err == nil || !errors.Is(err, errno) || !strings.HasPrefix(err.Error(), verb+": ") {
		t.Errorf("error %v, want %s of %s", err, errno, verb)
	}
}

// TestFailureExplained shows that a call that the kernel refuses says what may be the cause.
func TestFailureExplained(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	_, err := pd.RegMR(make([]byte, 64), verbs.MRAccessZeroBased)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "may be: ") ||
		!strings.Contains(err.Error(), "ZERO_BASED") {
		t.Errorf("zero-based plain region: %v", err)
	}
	for _, errno := range []syscall.Errno{syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EPROTONOSUPPORT} {
		if err := b.soft.Fail("ibv_alloc_pd", 1, errno); err != nil {
			t.Fatal(err)
		}
		if _, err := b.dev.AllocPD(); !errors.Is(err, errors.ErrUnsupported) || !errors.Is(err, errno) {
			t.Errorf("%v: %v", errno, err)
		}
	}
}

// TestImplicitODP covers the whole address space.
func TestImplicitODP(t *testing.T) {
	b := open(t, softverbs.ODP(3, 0xff, 0, 0))
	pd := must(b.dev.AllocPD())(t)
	mr := must(pd.RegMRImplicitODP(rw))(t)
	buf := must(mem.New(4096))(t)
	defer buf.Close()
	if s, err := b.soft.Peer().Write(mr.RKey(), uint64(buf.Addr()), []byte("anywhere")); s != softverbs.StatusSuccess || err != nil {
		t.Fatalf("write: %v, %v", s, err)
	}
	if string(buf.Bytes()[:8]) != "anywhere" {
		t.Errorf("memory holds %q", buf.Bytes()[:8])
	}
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
}

// TestDroppedRegion drops every reference to a pinned region and runs the collector: no panic, the memory stays, the bytes still
// arrive, and the parent's Close names it.
func TestDroppedRegion(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	var rkey, lkey uint32
	var where uint64
	m := give(func(b []byte) {
		mr := must(pd.RegMR(b, rw))(t)
		rkey, lkey, where = mr.RKey(), mr.LKey(), addr(mr)
	})
	if freed(m) {
		t.Fatal("the memory was freed while the region lives")
	}
	if s, err := b.soft.Peer().Write(rkey, where, []byte("still here")); s != softverbs.StatusSuccess || err != nil {
		t.Fatalf("write: %v, %v", s, err)
	}
	got := make([]byte, 10)
	if s, err := b.soft.Peer().Read(rkey, where, got); s != softverbs.StatusSuccess || err != nil || string(got) != "still here" {
		t.Errorf("read: %v, %v, %q", s, err, got)
	}
	if err := pd.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), fmt.Sprintf("MR (lkey 0x%x)", lkey)) {
		t.Errorf("Close of the PD: %v", err)
	}
}

// TestUnderCollector has the peer write without pause while the collector runs hard and memory is allocated. The region alone
// keeps its memory.
func TestUnderCollector(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	var mr *verbs.MR
	m := give(func(b []byte) { mr = must(pd.RegMR(b, rw))(t) })
	if freed(m) { // what the peer writes to may be in use by others
		t.Fatal("the memory was freed while the region lives")
	}
	stress := must(b.soft.Peer().Start(mr.RKey(), addr(mr), mr.Length()))(t)
	for i := range 50 {
		runtime.GC()
		junk := make([][]byte, 64)
		for j := range junk {
			junk[j] = make([]byte, 1<<10*(1+i%8))
		}
		runtime.KeepAlive(junk)
	}
	report := must(stress.Stop())(t)
	if report.Status != softverbs.StatusSuccess || report.Passes == 0 {
		t.Fatalf("peer: %+v", report)
	}
	first := m.Value()
	if first == nil {
		t.Fatal("the memory was freed while the region lives")
	}
	for i, v := range unsafe.Slice(first, mr.Length()) {
		if want := byte(report.Passes - 1 + uint64(i)); v != want {
			t.Fatalf("byte %d is %#x, want %#x after %d passes", i, v, want, report.Passes)
		}
	}
	runtime.KeepAlive(mr)
}

// TestGoHeapAddress registers addresses of Go's heap, which the collector may free: each form refuses them. A package variable stays
// where it is, and is registered.
func TestGoHeapAddress(t *testing.T) {
	dev := open(t).dev
	pd := must(dev.AllocPD())(t)
	region := must(pd.RegMR(make([]byte, 64), rw))(t)
	slice := make([]byte, 64)
	forms := map[string]func(addr uintptr) error{
		"RegMRFrom":     func(a uintptr) error { return closed(pd.RegMRFrom(mem.Addr(a, 64), rw)) },
		"RegMRIOVAFrom": func(a uintptr) error { return closed(pd.RegMRIOVAFrom(mem.Addr(a, 64), uint64(a), rw)) },
		"MRInitAttr":    func(a uintptr) error { return closed(pd.RegMREx(verbs.NewMRInitAttr(64, rw).Memory(mem.Addr(a, 64)))) },
		"MRChange":      func(a uintptr) error { return region.Rereg(new(verbs.MRChange).Memory(mem.Addr(a, 64))) },
	}
	for name, reg := range forms {
		var e *verr.Error
		err := reg(uintptr(unsafe.Pointer(unsafe.SliceData(slice))))
		if !errors.As(err, &e) || !errors.Is(err, syscall.EINVAL) || !e.Refused || !strings.Contains(err.Error(), "Go's heap") {
			t.Errorf("%s of the heap: %v", name, err)
		}
		if err := reg(uintptr(unsafe.Pointer(&global))); err != nil {
			t.Errorf("%s of a package variable: %v", name, err)
		}
	}
	runtime.KeepAlive(slice)
}

var global [64]byte

// closed closes a region that was registered.
func closed(mr *verbs.MR, err error) error {
	if err != nil {
		return err
	}
	return mr.Close()
}

//go:build linux

package conformance

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"weak"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestCloseOrder closes in every wrong order: each is refused and names what is open; then in the right one.
func TestCloseOrder(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	td := must(b.dev.AllocTD())(t)
	pp := must(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).ThreadDomain(td)))(t)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
	mr := must(pp.RegDMMR(dm, 0, 64, verbs.DMAccessZeroBased))(t)
	if pp.Parent() != pd || pd.Parent() != nil || mr.PD() != pp {
		t.Error("Parent or PD is not the one given")
	}
	for _, c := range []struct {
		name  string
		close func() error
		names string
	}{
		{"device", b.dev.Close, "DM"},
		{"PD with a parent domain", pd.Close, "PD"},
		{"TD in a parent domain", td.Close, "PD"},
		{"parent domain with an MR", pp.Close, "MR"},
		{"DM with an MR", dm.Close, "MR"},
	} {
		if err := c.close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, close := range []func() error{mr.Close, dm.Close, pp.Close, td.Close, pd.Close} {
		if err := close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := pd.RegMR(make([]byte, 8), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("use after Close: %v", err)
	}
	if _, err := dm.WriteAt(make([]byte, 4), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("copy after Close: %v", err)
	}
	if leaks := b.soft.Leaks(); len(leaks) > 1 { // the device itself is open
		t.Errorf("left behind: %v", leaks)
	}
}

// TestPrinted prints handles, alone and by slog, while another goroutine uses and closes one: with the names that errors use.
func TestPrinted(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 8), 0))(t)
	name := fmt.Sprintf("MR (lkey 0x%x)", mr.LKey())
	if err := pd.Close(); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("%v does not name %s", err, name)
	}
	var out strings.Builder
	slog.New(slog.NewJSONHandler(&out, nil)).Info("made", "mr", mr, "dev", b.dev, "none", (*verbs.QP)(nil))
	for _, want := range []string{`"mr":"` + name + `"`, `"dev":"Device (soft0)"`, `"none":"nil QP"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log has no %s: %s", want, out.String())
		}
	}
	var closed sync.WaitGroup
	closed.Go(func() {
		for range 100 {
			must(mr.SGE(0, 1))(t)
		}
		if err := mr.Close(); err != nil {
			t.Error(err)
		}
	})
	for range 1000 {
		if got := fmt.Sprintf("%v", mr); !strings.HasSuffix(got, name) {
			t.Errorf("printed as %s", got)
		}
	}
	closed.Wait()
	if got := fmt.Sprint(mr); got != "closed "+name {
		t.Errorf("printed as %s", got)
	}
}

// TestCloseAll closes a whole tree in order, and a failure on the way is told and leaves the rest open.
func TestCloseAll(t *testing.T) {
	soft := softverbs.New()
	defer soft.Close()
	lib := must(verbs.LoadFrom(soft))(t)
	dev := must(lib.OpenDevice("soft0"))(t)
	pd := must(dev.AllocPD())(t)
	must(pd.RegMR(make([]byte, 64), 0))(t)
	must(dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
	if err := soft.Fail("ibv_dereg_mr", 1, syscall.EIO); err != nil {
		t.Fatal(err)
	}
	if err := dev.CloseAll(); !errors.Is(err, syscall.EIO) {
		t.Errorf("CloseAll with a failing dereg: %v", err)
	}
	if err := dev.CloseAll(); err != nil {
		t.Errorf("again: %v", err)
	}
	if leaks := soft.Leaks(); len(leaks) != 0 {
		t.Errorf("left behind: %v", leaks)
	}
}

// importer opens a second context over the command channel of the first.
func importer(t *testing.T, b *bed) *verbs.Device {
	t.Helper()
	other := must(b.lib.ImportDevice(b.dev.CmdFD()))(t)
	t.Cleanup(func() {
		if err := other.CloseAll(); err != nil {
			t.Errorf("closing the importer: %v", err)
		}
	})
	return other
}

// TestImportDM shares device memory between two contexts. Close of the imported handle leaves the memory alone, Free
// destroys it for all, and what is called after that is refused.
func TestImportDM(t *testing.T) {
	b := open(t)
	dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(256)))(t)
	if _, err := dm.WriteAt([]byte("shared memory..."), 0); err != nil {
		t.Fatal(err)
	}
	other := importer(t, b)
	first := must(other.ImportDM(dm.Handle(), 256))(t)
	got := make([]byte, 16)
	if _, err := first.ReadAt(got, 0); err != nil || string(got) != "shared memory..." {
		t.Errorf("read through the import: %q, %v", got, err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("unimport: %v", err)
	}
	if _, err := dm.ReadAt(got, 0); err != nil {
		t.Errorf("the original after the unimport: %v", err)
	}
	second := must(other.ImportDM(dm.Handle(), 0))(t)
	if n, known := second.Length(); known {
		t.Errorf("length known as %d, but nobody told it", n)
	}
	for _, c := range []struct {
		off  int64
		n    int
		want syscall.Errno
	}{{-4, 4, syscall.EFAULT}, {2, 4, syscall.EINVAL}, {0, 3, syscall.EINVAL}} {
		if n, err := second.WriteAt(make([]byte, c.n), c.off); n != 0 || !errors.Is(err, c.want) && !errors.Is(err, syscall.EINVAL) {
			t.Errorf("copy of %d at %d through a DM of unknown length: %d, %v; want %v", c.n, c.off, n, err, c.want)
		}
	}
	if err := second.Destroy(); err != nil {
		t.Errorf("Free: %v", err)
	}
	if err := second.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("third call on the imported handle: %v", err)
	}
	if err := dm.Close(); !errors.Is(err, syscall.ENOENT) || !strings.Contains(err.Error(), "Unimport") {
		t.Errorf("the original's free of memory that is destroyed already: %v", err)
	}
	if err := dm.Unimport(); err != nil {
		t.Errorf("Unimport after another context's Destroy: %v", err)
	}
	if _, err := other.ImportDM(4711, 0); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("import of a handle that is not there: %v", err)
	}
}

// recorder is an allocator that gives buffers and keeps the requests.
type recorder struct {
	t      *testing.T
	answer func(verbs.AllocRequest) (uintptr, error)
	asked  []verbs.AllocRequest
	freed  int
	bufs   map[uintptr]*mem.Buffer
}

func (r *recorder) Alloc(req verbs.AllocRequest) (uintptr, error) {
	r.asked = append(r.asked, req)
	if r.answer != nil {
		return r.answer(req)
	}
	buf, err := mem.New(req.Size)
	if err != nil {
		return 0, err
	}
	r.bufs[buf.Addr()] = buf
	return buf.Addr(), nil
}

func (r *recorder) Free(_ verbs.AllocRequest, addr uintptr) {
	buf := r.bufs[addr]
	if buf == nil {
		r.t.Errorf("free of %#x, which Alloc did not give", addr)
		return
	}
	r.freed++
	delete(r.bufs, addr)
	if err := buf.Close(); err != nil {
		r.t.Error(err)
	}
}

// TestAllocator has a provider ask the allocator of a parent domain, with each kind of answer.
func TestAllocator(t *testing.T) {
	errNo := errors.New("no memory for you")
	kept := make([]byte, 1<<16)
	for _, c := range []struct {
		name   string
		answer func(verbs.AllocRequest) (uintptr, error)
		fails  string // part of the error of the verb that asked; empty: it succeeds
		freed  int
	}{
		{"buffer", nil, "", 1},
		{"default", func(verbs.AllocRequest) (uintptr, error) { return 0, verbs.ErrUseDefault }, "", 0},
		{"error", func(verbs.AllocRequest) (uintptr, error) { return 0, errNo }, "no memory for you", 0},
		{"panic", func(verbs.AllocRequest) (uintptr, error) { panic("in a callback") }, "in a callback", 0},
		{"Go heap", func(verbs.AllocRequest) (uintptr, error) {
			pin, err := mem.PinBytes(kept)
			if err != nil {
				return 0, err
			}
			defer pin.Unpin()
			return (pin.Addr() + 4095) &^ 4095, nil
		}, "Go", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, softverbs.Driver(3))
			pd := must(b.dev.AllocPD())(t)
			r := &recorder{t: t, answer: c.answer, bufs: map[uintptr]*mem.Buffer{}}
			pp := must(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).Allocator(r).PDContext("mine")))(t)
			mr, err := pp.RegMR(make([]byte, 64), 0)
			if len(r.asked) == 0 {
				t.Fatal("the allocator was not asked")
			}
			if q := r.asked[0]; q.PD != pp || q.Context != "mine" || q.Size == 0 || q.Resource.DriverID() != 3 {
				t.Errorf("asked %+v", q)
			}
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("error %v does not say %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := mr.Close(); err != nil {
				t.Error(err)
			}
			if r.freed != c.freed {
				t.Errorf("freed %d blocks, want %d", r.freed, c.freed)
			}
		})
	}
}

// TestRereg changes a region in place: its memory, its access, its protection domain.
func TestRereg(t *testing.T) {
	b := open(t)
	pd, other := must(b.dev.AllocPD())(t), must(b.dev.AllocPD())(t)
	old, buf := must(mem.New(4096))(t), must(mem.New(8192))(t)
	mr := must(pd.RegMRFrom(old, rw))(t)
	if err := mr.Rereg(new(verbs.MRChange).Memory(buf)); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Errorf("the old memory is still held: %v", err)
	}
	if s, err := b.soft.Peer().Write(mr.RKey(), uint64(buf.Addr())+5000, []byte("new memory")); s != softverbs.StatusSuccess || err != nil {
		t.Errorf("write to the new memory: %v, %v", s, err)
	}
	if err := mr.Rereg(new(verbs.MRChange).PD(other)); err != nil {
		t.Fatal(err)
	}
	if err := pd.Close(); err != nil {
		t.Errorf("the old domain still has the region: %v", err)
	}
	if err := other.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("the new domain does not have the region: %v", err)
	}
	err := mr.Rereg(new(verbs.MRChange).Access(verbs.MRAccessRemoteWrite))
	refused(t, err, "ibv_rereg_mr", syscall.EINVAL)
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
	if err := buf.Close(); err != nil {
		t.Errorf("the new memory is still held: %v", err)
	}
}

// TestReregPin moves a region to pinned memory: it stays pinned after Unpin, and until the region is closed.
func TestReregPin(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 4096), rw))(t)
	slice := make([]byte, 1<<16)
	pin := must(mem.PinBytes(slice))(t)
	addr, alive := pin.Addr(), weak.Make(&slice[0])
	if err := mr.Rereg(new(verbs.MRChange).Memory(pin)); err != nil {
		t.Fatal(err)
	}
	pin.Unpin()
	slice = nil
	runtime.GC()
	runtime.GC()
	if alive.Value() == nil {
		t.Fatal("the memory is gone while a region covers it")
	}
	if s, err := b.soft.Peer().Write(mr.RKey(), uint64(addr)+5000, []byte("to pinned memory")); s != softverbs.StatusSuccess || err != nil {
		t.Errorf("write: %v, %v", s, err)
	}
	if err := mr.Rereg(new(verbs.MRChange).Memory(pin)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a pin after Unpin: %v", err)
	}
	if err := mr.Rereg(new(verbs.MRChange).Memory((*mem.Pin)(nil))); err == nil {
		t.Error("a nil pin is taken")
	}
	if err := mr.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC()
	if alive.Value() != nil {
		t.Error("the memory is still pinned after Close of the region")
	}
}

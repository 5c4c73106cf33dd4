//go:build linux

package conformance

import (
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestReregReused uses one MRChange for two regions: the second call takes nothing of the first one's memory.
func TestReregReused(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	a, c := must(pd.RegMR(make([]byte, 64), rw))(t), must(pd.RegMR(make([]byte, 64), rw))(t)
	change := new(verbs.MRChange).Memory(mem.Bytes(make([]byte, 64)))
	if err := a.Rereg(change); err != nil {
		t.Fatal(err)
	}
	for _, none := range []*verbs.MRChange{change.Memory(nil), new(verbs.MRChange).Memory(mem.Bytes(nil)),
		new(verbs.MRChange).Memory((*mem.Buffer)(nil))} {
		if err := c.Rereg(none); err == nil || !strings.HasPrefix(err.Error(), "ibv_rereg_mr: ") {
			t.Errorf("no memory: %v", err)
		}
	}
	if err := c.Rereg(nil); err == nil {
		t.Error("a nil change is accepted")
	}
}

// TestReregTogether changes one region from several goroutines while others read its keys: whatever it covers at the
// end is held, and nothing else.
func TestReregTogether(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	bufs := []*mem.Buffer{must(mem.New(4096))(t), must(mem.New(4096))(t)}
	mr := must(pd.RegMRFrom(bufs[0], rw))(t)
	for range 50 {
		var wait sync.WaitGroup
		for _, buf := range bufs {
			wait.Go(func() {
				if err := mr.Rereg(new(verbs.MRChange).Memory(buf)); err != nil {
					t.Error(err)
				}
			})
			wait.Go(func() { _, _, _ = mr.LKey(), mr.RKey(), mr.PD() })
		}
		wait.Wait()
		for i, buf := range bufs {
			held := mr.Addr() == buf.Addr()
			err := buf.Close()
			if held != errors.Is(err, syscall.EBUSY) {
				t.Fatalf("buffer %d: covered %t, Close: %v", i, held, err)
			}
			if err == nil {
				bufs[i] = must(mem.New(4096))(t)
			}
		}
	}
}

// TestReregOtherDevice moves a region to a domain of another context: refused, as the region goes on using its own.
func TestReregOtherDevice(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	other := must(importer(t, b).AllocPD())(t)
	if err := mr.Rereg(new(verbs.MRChange).PD(other)); !errors.Is(err, syscall.EINVAL) ||
		!strings.Contains(err.Error(), "objects of one device") {
		t.Errorf("a domain of another context: %v", err)
	}
}

// TestRegExMemory registers a slice and a buffer in the extended call: both are held until Close.
func TestRegExMemory(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	var mr *verbs.MR
	if m := give(func(b []byte) { mr = must(pd.RegMREx(verbs.NewMRInitAttr(0, rw).Memory(mem.Bytes(b))))(t) }); freed(m) {
		t.Fatal("the memory was freed while the region lives")
	}
	if s, err := b.soft.Peer().Write(mr.RKey(), uint64(mr.Addr()), []byte("pinned")); s != softverbs.StatusSuccess || err != nil {
		t.Errorf("write: %v, %v", s, err)
	}
	buf := must(mem.New(8192))(t)
	held := must(pd.RegMREx(verbs.NewMRInitAttr(0, rw).Memory(buf)))(t)
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "MR (lkey") {
		t.Errorf("Close of a registered buffer: %v", err)
	}
	if held.Length() != 8192 {
		t.Errorf("Length = %d", held.Length())
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	if err := buf.Close(); err != nil {
		t.Error(err)
	}
}

// TestIntRange passes numbers that a C int cannot hold: refused before the call, never cut short.
func TestIntRange(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	big := int(1) << 32
	for name, err := range map[string]error{
		"RegDMABufMR":  func() error { _, err := pd.RegDMABufMR(0, 4096, 0, big, 0); return err }(),
		"ImportDevice": func() error { _, err := b.lib.ImportDevice(big); return err }(),
		"MRInitAttr": func() error {
			_, err := pd.RegMREx(verbs.NewMRInitAttr(4096, 0).FD(big).FDOffset(0).IOVA(0))
			return err
		}(),
	} {
		if err == nil || !isRefusal(err) || !strings.Contains(err.Error(), "4294967296") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNilReceivers calls methods on nil handles: an error each time, whatever the method needs first.
func TestNilReceivers(t *testing.T) {
	var (
		dev *verbs.Device
		pd  *verbs.PD
		mr  *verbs.MR
		dm  *verbs.DM
	)
	for name, call := range map[string]func() error{
		"AllocPD":     func() error { _, err := dev.AllocPD(); return err },
		"QueryDevice": func() error { _, err := dev.QueryDevice(); return err },
		"ImportDM":    func() error { _, err := dev.ImportDM(0, 0); return err },
		"RegDMABufMR": func() error { _, err := pd.RegDMABufMR(0, 1, 0, 0, 0); return err },
		"RegMREx":     func() error { _, err := pd.RegMREx(verbs.NewMRInitAttr(1, 0)); return err },
		"Rereg":       func() error { return mr.Rereg(new(verbs.MRChange)) },
		"MR.Close":    mr.Close,
		"DM.Close":    dm.Close,
		"CloseAll":    dev.CloseAll,
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "is nil") {
			t.Errorf("%s on nil: %v", name, err)
		}
	}
}

// TestCloseDeviceFails has the library refuse a close: the errno is told, and the handle stays open.
func TestCloseDeviceFails(t *testing.T) {
	b := open(t)
	if err := b.soft.Fail("ibv_close_device", 1, syscall.EIO); err != nil {
		t.Fatal(err)
	}
	if err := b.dev.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("Close: %v", err)
	}
	must(b.dev.AllocPD())(t)
}

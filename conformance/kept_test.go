//go:build linux && cgo

package conformance

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// TestPinnedUntilClose registers memory by each method: it stays while the region lives, also after a Close that the device
// refused, and is freed after Close. A buffer cannot be closed as long.
func TestPinnedUntilClose(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	refused := func(mr *verbs.MR) {
		t.Helper()
		if err := b.soft.Fail("ibv_dereg_mr", 1, syscall.EIO); err != nil {
			t.Fatal(err)
		}
		if err := mr.Close(); !errors.Is(err, syscall.EIO) {
			t.Fatalf("a Close that the device refuses: %v", err)
		}
	}
	pinned := func(name string, register func(b []byte) (*verbs.MR, error)) {
		t.Helper()
		var mr *verbs.MR
		m := give(func(b []byte) { mr = must(register(b))(t) })
		if freed(m) {
			t.Errorf("%s: the memory was freed when the registration had returned", name)
		}
		if refused(mr); freed(m) {
			t.Errorf("%s: the memory was freed by a Close that the device refused", name)
		}
		if err := mr.Close(); err != nil || !freed(m) {
			t.Errorf("%s: the memory is still pinned after Close: %v", name, err)
		}
	}
	pinned("RegMR", func(b []byte) (*verbs.MR, error) { return pd.RegMR(b, rw) })
	pinned("RegMRIOVA", func(b []byte) (*verbs.MR, error) { return pd.RegMRIOVA(b, uint64(uintptr(unsafe.Pointer(&b[0]))), rw) })
	for name, register := range map[string]func(m mem.Source) (*verbs.MR, error){
		"RegMRFrom":     func(m mem.Source) (*verbs.MR, error) { return pd.RegMRFrom(m, rw) },
		"RegMRIOVAFrom": func(m mem.Source) (*verbs.MR, error) { return pd.RegMRIOVAFrom(m, 0x1000, rw) },
		"MRInitAttr":    func(m mem.Source) (*verbs.MR, error) { return pd.RegMREx(verbs.NewMRInitAttr(0, rw).Memory(m)) },
		"MRChange": func(m mem.Source) (*verbs.MR, error) {
			mr := must(pd.RegMR(make([]byte, 64), rw))(t)
			return mr, mr.Rereg(new(verbs.MRChange).Memory(m))
		},
	} {
		pinned(name+" of bytes", func(b []byte) (*verbs.MR, error) { return register(mem.Bytes(b)) })
		pinned(name+" of a pin", func(b []byte) (*verbs.MR, error) {
			pin := must(mem.PinBytes(b))(t)
			defer pin.Unpin()
			return register(pin)
		})
		buf := must(mem.New(4096))(t)
		mr := must(register(buf))(t)
		refused(mr)
		if err := buf.Close(); !errors.Is(err, syscall.EBUSY) {
			t.Fatalf("%s: Close of the buffer of an open region: %v", name, err)
		}
		if err := errors.Join(mr.Close(), buf.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

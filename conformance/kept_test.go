//go:build linux && cgo

package conformance

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// pinning are the methods that pin a slice for a region of pd.
func pinning(t *testing.T, pd *verbs.PD) map[string]func(b []byte) (*verbs.MR, error) {
	rereg := func(change *verbs.MRChange) (*verbs.MR, error) {
		mr := must(pd.RegMR(make([]byte, 64), rw))(t)
		return mr, mr.Rereg(change)
	}
	return map[string]func(b []byte) (*verbs.MR, error){
		"RegMR": func(b []byte) (*verbs.MR, error) { return pd.RegMR(b, rw) },
		"RegMRIOVA": func(b []byte) (*verbs.MR, error) {
			return pd.RegMRIOVA(b, uint64(uintptr(unsafe.Pointer(&b[0]))), rw)
		},
		"MRInitAttr.Memory": func(b []byte) (*verbs.MR, error) { return pd.RegMREx(verbs.NewMRInitAttr(0, rw).Memory(mem.Bytes(b))) },
		"MRChange.Memory":   func(b []byte) (*verbs.MR, error) { return rereg(new(verbs.MRChange).Memory(mem.Bytes(b))) },
		"RegMRFrom": func(b []byte) (*verbs.MR, error) {
			pin := must(mem.PinBytes(b))(t)
			defer pin.Unpin()
			return pd.RegMRFrom(pin, rw)
		},
		"RegMRIOVAFrom": func(b []byte) (*verbs.MR, error) {
			pin := must(mem.PinBytes(b))(t)
			defer pin.Unpin()
			return pd.RegMRIOVAFrom(pin, uint64(pin.Addr()), rw)
		},
		"MRInitAttr.Pin": func(b []byte) (*verbs.MR, error) {
			pin := must(mem.PinBytes(b))(t)
			defer pin.Unpin()
			return pd.RegMREx(verbs.NewMRInitAttr(0, rw).Memory(pin))
		},
		"MRChange.Pin": func(b []byte) (*verbs.MR, error) {
			pin := must(mem.PinBytes(b))(t)
			defer pin.Unpin()
			return rereg(new(verbs.MRChange).Memory(pin))
		},
	}
}

// TestPinnedUntilClose registers memory by each method: it stays while the region lives, also after a Close that the device
// refused, and is freed after Close.
func TestPinnedUntilClose(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	for name, register := range pinning(t, pd) {
		t.Run(name, func(t *testing.T) {
			var mr *verbs.MR
			m := give(func(b []byte) { mr = must(register(b))(t) })
			if freed(m) {
				t.Fatal("the memory was freed when the registration had returned")
			}
			if err := b.soft.Fail("ibv_dereg_mr", 1, syscall.EIO); err != nil {
				t.Fatal(err)
			}
			if err := mr.Close(); !errors.Is(err, syscall.EIO) {
				t.Fatalf("a Close that the device refuses: %v", err)
			}
			if freed(m) {
				t.Fatal("the memory was freed by a Close that the device refused")
			}
			if err := mr.Close(); err != nil {
				t.Fatal(err)
			}
			if !freed(m) {
				t.Error("the memory is still pinned after Close")
			}
		})
	}
}

// TestBufferHeldAfterRefusal has the device refuse to end a region: its buffer cannot be closed.
func TestBufferHeldAfterRefusal(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	for name, register := range map[string]func(buf *mem.Buffer) (*verbs.MR, error){
		"RegMRFrom":     func(buf *mem.Buffer) (*verbs.MR, error) { return pd.RegMRFrom(buf, rw) },
		"RegMRIOVAFrom": func(buf *mem.Buffer) (*verbs.MR, error) { return pd.RegMRIOVAFrom(buf, 0x1000, rw) },
		"MRInitAttr.Buffer": func(buf *mem.Buffer) (*verbs.MR, error) {
			return pd.RegMREx(verbs.NewMRInitAttr(0, rw).Memory(buf))
		},
	} {
		buf := must(mem.New(4096))(t)
		mr := must(register(buf))(t)
		if err := b.soft.Fail("ibv_dereg_mr", 1, syscall.EIO); err != nil {
			t.Fatal(err)
		}
		if err := mr.Close(); !errors.Is(err, syscall.EIO) {
			t.Fatalf("%s: a Close that the device refuses: %v", name, err)
		}
		if err := buf.Close(); !errors.Is(err, syscall.EBUSY) {
			t.Fatalf("%s: Close of the buffer of an open region: %v", name, err)
		}
		if err := errors.Join(mr.Close(), buf.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKeptByRefusedRereg has the device refuse a change of memory. When it may use either memory, both stay until Close; when it
// cannot change regions at all, the new memory is given back at once.
func TestKeptByRefusedRereg(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	for _, c := range []struct {
		errno    syscall.Errno
		keepsNew bool
	}{{syscall.ENOMEM, true}, {syscall.EIO, true}, {syscall.EOPNOTSUPP, false}} {
		t.Run(c.errno.Error(), func(t *testing.T) {
			var mr *verbs.MR
			old := give(func(b []byte) { mr = must(pd.RegMR(b, rw))(t) })
			if err := b.soft.Fail("ibv_rereg_mr", 1, c.errno); err != nil {
				t.Fatal(err)
			}
			next := give(func(b []byte) {
				if err := mr.Rereg(new(verbs.MRChange).Memory(mem.Bytes(b))); !errors.Is(err, c.errno) {
					t.Errorf("a change that the device refuses: %v", err)
				}
			})
			if freed(old) {
				t.Fatal("the old memory was freed by a refused change")
			}
			if got := !freed(next); got != c.keepsNew {
				t.Fatalf("the new memory is kept: %t, want %t", got, c.keepsNew)
			}
			if err := mr.Close(); err != nil {
				t.Fatal(err)
			}
			if !freed(old) || !freed(next) {
				t.Error("memory is still pinned after Close")
			}
		})
	}
}

// TestCopyAfterRefusedFree has free_dm refused: the device memory lives, so copies work, in every mode, until it is freed.
func TestCopyAfterRefusedFree(t *testing.T) {
	b := open(t)
	direct, mlx5 := provided(t, fakeprov.MLX5)
	shim, words := provided(t, fakeprov.Words)
	for _, c := range []struct {
		name   string
		dev    *verbs.Device
		mode   devmem.Mode
		refuse func() error
	}{
		{"soft", b.dev, devmem.Shim, func() error { return b.soft.Fail("ibv_free_dm", 1, syscall.EBUSY) }},
		{"direct", direct.dev, devmem.Direct4, func() error { mlx5.RefuseFree(syscall.EBUSY); return nil }},
		{"callbacks", shim.dev, devmem.Shim, func() error { words.RefuseFree(syscall.EBUSY); return nil }},
	} {
		for name, free := range map[string]func(*verbs.DM) error{"Close": (*verbs.DM).Close, "Destroy": (*verbs.DM).Destroy} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				dm := must(c.dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
				if err := c.refuse(); err != nil {
					t.Fatal(err)
				}
				if err := free(dm); !errors.Is(err, syscall.EBUSY) {
					t.Fatalf("a free that the device refuses: %v", err)
				}
				if dm.Mode() != c.mode {
					t.Errorf("mode %v, want %v", dm.Mode(), c.mode)
				}
				out, back := []byte("lives on"), make([]byte, 8)
				if _, err := dm.WriteAt(out, 8); err != nil {
					t.Errorf("WriteAt: %v", err)
				}
				if _, err := dm.ReadAt(back, 8); err != nil || !bytes.Equal(back, out) {
					t.Errorf("ReadAt: %q, %v", back, err)
				}
				if err := errors.Join(dm.PutUint32(8, 7), free(dm)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

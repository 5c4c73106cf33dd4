//go:build linux && cgo

package oncard

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// edges are numbers whose sum with another one does not fit where the numbers do.
var edges = []uint64{1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64 - 4095, math.MaxUint64 - 63, math.MaxUint64}

// beyond calls f with addresses and lengths that no memory of size bytes at base has, though their sums may.
func beyond(base, size uint64, f func(addr, length uint64)) {
	for _, edge := range edges {
		f(base, edge)
		f(base+8, edge-7)
		f(base+edge, 8)
		f(base+size-edge, edge)
		f(base+size+8, -edge)
	}
}

// TestSums has requests, regions and device memory of lengths and addresses whose sums do not fit, by a real mlx5.
func TestSums(t *testing.T) {
	dev := open(t, card.Devices[0])
	base := func(e *link.End) uint64 { return uint64(e.MR.Addr()) }
	for name, fill := range map[string]func(a, b *link.End, w verbs.SendWR, addr, length uint64){
		"local": func(a, b *link.End, w verbs.SendWR, addr, length uint64) {
			w.Write(1, base(b), b.MR.RKey()).SGE(addr, uint32(length), a.MR.LKey())
		},
		"remote": func(a, b *link.End, w verbs.SendWR, addr, _ uint64) {
			w.Read(1, addr-base(a)+base(b), b.MR.RKey()).SGE(base(a), 16, a.MR.LKey())
		},
	} {
		done := map[[2]uint64]bool{}
		beyond(base(must(link.NewEnd(dev))(t)), link.Size, func(addr, length uint64) {
			if done[[2]uint64{addr, length}] || name == "local" && uint32(length) <= link.Size {
				return
			}
			done[[2]uint64{addr, length}] = true
			a, b := link.Default().Connected(t, dev, dev)
			batch := must(verbs.NewSendBatch(1, 1))(t)
			fill(a, b, batch.WR(0), addr, length)
			batch.WR(0).Flags(verbs.SendSignaled)
			if _, err := a.QP.PostSend(batch, 1); err != nil {
				return
			}
			// Bit 31 of a length says to mlx5 that the bytes are inline: up to 12 lie in their place.
			inline := name == "local" && length>>31&1 == 1 && length&0x3ff <= 12
			wc := must(a.Wait())(t)
			if !inline && (wc.Status == verbs.WCStatusSuccess || !bytes.Equal(b.Buf, make([]byte, link.Size))) {
				t.Errorf("%s: %#x bytes at %#x of %#x: %v, %x", name, length, addr, base(a), wc.Status, bytes.Trim(b.Buf, "\x00"))
			}
			for _, e := range []*link.End{a, b} {
				must(0, e.PD.CloseAll())(t)
			}
		})
	}
	pd := must(dev.AllocPD())(t)
	buf := must(mem.New(4096))(t)
	defer buf.Close()
	beyond(uint64(buf.Addr()), 4096, func(addr, length uint64) {
		if mr, err := pd.RegMRFrom(mem.Addr(uintptr(addr), length), verbs.MRAccessLocalWrite); err == nil && length > 4096 {
			t.Errorf("a region of %#x bytes at %#x: %v", length, addr, mr)
		}
	})
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
	beyond(0, 64, func(offset, length uint64) {
		if mr, err := pd.RegDMMR(dm, offset, length, verbs.DMAccessZeroBased); err == nil {
			t.Errorf("a region of %#x bytes at %#x of device memory: %v", length, offset, mr)
		}
		if more, err := dev.AllocDM(verbs.NewAllocDMAttr(length)); err == nil && length > 256<<10 {
			t.Errorf("device memory of %#x bytes: %v", length, more)
		}
	})
	goesOn(t, dev)
}

// goesOn shows that the card still works.
func goesOn(t *testing.T, dev *verbs.Device) {
	a, b := link.Default().Connected(t, dev, dev)
	copy(a.Buf, "sums")
	succeeds(t, a, func(w verbs.SendWR) { w.Write(1, uint64(b.MR.Addr()), b.MR.RKey()).Add(a.MR.UncheckedSGE(0, 4)) })
	if string(b.Buf[:4]) != "sums" {
		t.Errorf("written %q", b.Buf[:4])
	}
}

// sumsOnEFA is the child of TestSumsEFA.
func sumsOnEFA(t *testing.T) {
	a := newDatagramEnd(t, "efa_0", 4, 4)
	ah := a.way(t, a)
	batch, tried := must(verbs.NewSendBatch(1, 1))(t), 0
	beyond(uint64(a.MR.Addr()), link.Size, func(addr, length uint64) {
		if uint32(length) <= link.Size {
			return
		}
		w := batch.WR(0).Send(1).SGE(addr, uint32(length), a.MR.LKey()).Flags(verbs.SendSignaled)
		must(0, ah.Address(w, a.QP.Num(), efaQKey))(t)
		if _, err := a.QP.PostSend(batch, 1); err != nil {
			return
		}
		tried++
		if wc := must(a.Wait())(t); wc.Status == verbs.WCStatusSuccess {
			t.Errorf("%#x bytes at %#x: %v", length, addr, wc.Status)
		}
		must(0, a.QP.Modify(verbs.NewQPAttr(verbs.QPStateReset)))(t)
		must(0, verbs.UDSetup{PortNum: 1, QKey: efaQKey}.ToRTS(a.QP))(t)
	})
	beyond(uint64(a.MR.Addr()), link.Size, func(addr, length uint64) {
		if mr, err := a.PD.RegMRFrom(mem.Addr(uintptr(addr), length), verbs.MRAccessLocalWrite); err == nil && length > 4096 {
			t.Errorf("a region of %#x bytes at %#x: %v", length, addr, mr)
		}
	})
	fmt.Printf("\x01%t\n", tried > 10)
}

// TestSumsEFA does the same by a real efa.
func TestSumsEFA(t *testing.T) {
	cmd, _, out := child(t, "sums", onEFA(t)...)
	if said := line(t, out); said != "true" {
		t.Error(said)
	}
	ends(t, cmd, out)
}

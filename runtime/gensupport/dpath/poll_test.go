//go:build linux && cgo

package dpath_test

import (
	"encoding/binary"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// TestPoll asks that completions come in order, each field where it belongs, and none beyond the slice.
func TestPoll(t *testing.T) {
	p := provider(t)
	p.Complete(50, 5, 0, false)
	var all [4]dpath.WC
	all[3].ID = 99
	for _, want := range [][]uint64{{50, 51, 52}, {53, 54}, {}} {
		n, errno := dpath.PollCQ(p.CQ(), all[:3])
		if n != len(want) || errno != 0 || all[3].ID != 99 {
			t.Fatalf("%d completions, errno %v, want %d", n, errno, len(want))
		}
		for i, id := range want {
			expect := dpath.WC{ID: id, Opcode: 129, VendorErr: 0x101, ByteLen: 0x102, ImmData: all[i].ImmData, QPNum: 0x104,
				SrcQP: 0x105, Flags: 1, PKeyIndex: 0x106, SLID: 0x107, SL: 0x18, DLIDPathBits: 0x19}
			if all[i] != expect {
				t.Errorf("completion %+v, want %+v", all[i], expect)
			}
		}
	}
}

// TestPollImm asks that immediate data is a number of this processor, and that the key in its place is left alone.
func TestPollImm(t *testing.T) {
	const (
		slot             = 12 // behind others without
		withImm, withInv = dpath.WCFlag(1 << 1), dpath.WCFlag(1 << 3)
	)
	p := provider(t)
	for flags, want := range map[dpath.WCFlag]uint32{withImm: 0x01020304, withImm | 1: 0x01020304,
		withInv: 0x04030201} {
		p.Complete(1, slot+1, 0, false)
		p.Imm(slot, 0x01020304, uint32(flags))
		var wcs [slot + 2]dpath.WC
		if flags == withInv && !littleEndian() {
			want = 0x01020304
		}
		if n, errno := dpath.PollCQ(p.CQ(), wcs[:]); n != slot+1 || errno != 0 || wcs[slot].ImmData != want ||
			wcs[slot-1].ImmData == 0x103 && littleEndian() {
			t.Errorf("flags %v: %d completions, errno %v, immediate %#x", flags, n, errno, wcs[slot].ImmData)
		}
	}
}

func TestPollSpin(t *testing.T) {
	p := provider(t)
	wcs := make([]dpath.WC, 4)
	tests := []struct{ tries, empty, found, polls int }{
		{1, 0, 2, 1}, {1, 1, 0, 1}, {8, 7, 2, 8}, {8, 8, 0, 8}, {0, 1, 0, 1}, {-5, 0, 2, 1}, {1000, 3, 2, 4}}
	for _, tt := range tests {
		p.Complete(1, 2, tt.empty, false)
		n, errno := dpath.PollSpin(p.CQ(), wcs, tt.tries)
		if _, polls := p.Calls(); n != tt.found || errno != 0 || polls != tt.polls {
			t.Errorf("%d tries, %d empty: %d completions, errno %v, %d polls", tt.tries, tt.empty, n, errno, polls)
		}
	}
}

func TestPollErrors(t *testing.T) {
	p := provider(t)
	wcs := make([]dpath.WC, 2, 8)
	p.Complete(1, 4, 0, true)
	for _, tt := range []struct{ code, beyond int }{{-1, 0}, {-2, 0}, {-22, 0}, {0, 1}, {0, 1 << 20}} {
		p.Break(tt.code, tt.beyond)
		if n, errno := dpath.PollSpin(p.CQ(), wcs, 3); n != 0 || errno != syscall.EIO {
			t.Errorf("%+v: %d completions, errno %v", tt, n, errno)
		}
	}
	p.Complete(1, 4, 0, true)
	if n, errno := dpath.PollCQ(new(gate.Gate), wcs); n != 0 || errno != fail.ErrnoNeverOpened {
		t.Errorf("no queue: %d completions, errno %v", n, errno)
	}
	if n, errno := dpath.PollCQ(p.CQ(), nil); n != 0 || errno != 0 {
		t.Errorf("no room: %d completions, errno %v", n, errno)
	}
	if _, polls := p.Calls(); polls != 0 {
		t.Errorf("%d polls were made", polls)
	}
}

func TestReqNotify(t *testing.T) {
	p := provider(t)
	for i, solicited := range []bool{false, true} {
		if errno := dpath.ReqNotify(p.CQ(), solicited); errno != 0 {
			t.Error(errno)
		}
		if times, arg := p.Notified(); times != i+1 || arg != i {
			t.Errorf("asked %d times, solicited %d", times, arg)
		}
	}
	p.Refuse(-1, -1, syscall.ENODEV)
	if errno := dpath.ReqNotify(p.CQ(), false); errno != syscall.ENODEV {
		t.Errorf("refused: %v", errno)
	}
	if errno := dpath.ReqNotify(new(gate.Gate), false); errno != fail.ErrnoNeverOpened {
		t.Errorf("no queue: %v", errno)
	}
}

func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

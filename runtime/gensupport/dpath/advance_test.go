//go:build linux && cgo

package dpath_test

import (
	"math"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
)

// TestAdvance advances every kind of request, and asks C what it reads afterwards: what the operation does not have must not change.
func TestAdvance(t *testing.T) {
	const remote, rkey, third = 0x0102030405060708, 0x31323334, 0x2122232425262728
	by := dpath.Stride{ID: 16, Addr: 0x1000, Remote: 0x100}
	p := provider(t)
	ah := unsafe.Pointer(p) // any address
	elements := []dptest.SGE{{Addr: 0x1001, Length: 2, LKey: 3}, {Addr: 0x1004, Length: 5, LKey: 6}}
	for _, tt := range []struct {
		name string
		fill func(w dpath.SendWR)
		want dptest.Seen
	}{
		{"send", func(w dpath.SendWR) { w.Send(1).SGE(1, 2, 3).SGE(4, 5, 6) }, dptest.Seen{ID: 17, Opcode: 2, SGEs: elements}},
		{"write", func(w dpath.SendWR) { w.Write(3, remote, rkey).SGE(1, 2, 3) },
			dptest.Seen{ID: 19, Opcode: 0, Remote: remote + 0x100, RKey: rkey, SGEs: elements[:1]}},
		{"write imm", func(w dpath.SendWR) { w.WriteImm(4, remote, rkey, 7) },
			dptest.Seen{ID: 20, Opcode: 1, Remote: remote + 0x100, RKey: rkey, Imm: 7}},
		{"read", func(w dpath.SendWR) { w.Read(5, remote, rkey).SGE(1, 2, 3).SGE(4, 5, 6) },
			dptest.Seen{ID: 21, Opcode: 4, Remote: remote + 0x100, RKey: rkey, SGEs: elements}},
		{"compare and swap", func(w dpath.SendWR) { w.CompareSwap(6, remote, rkey, 8, third).SGE(1, 2, 3) },
			dptest.Seen{ID: 22, Opcode: 5, Remote: remote + 0x100, Compare: 8, Swap: third, AtomicRKey: rkey, SGEs: elements[:1]}},
		{"fetch and add", func(w dpath.SendWR) { w.FetchAdd(7, remote, rkey, 9) },
			dptest.Seen{ID: 23, Opcode: 6, Remote: remote + 0x100, Compare: 9, AtomicRKey: rkey}},
		{"datagram", func(w dpath.SendWR) { w.Send(8).SGE(1, 2, 3).To(ah, 0x123456, 0x80010000) },
			dptest.Seen{ID: 24, Opcode: 2, AH: uint64(uintptr(ah)), QPN: 0x123456, QKey: 0x80010000, SGEs: elements[:1]}},
	} {
		b := sendBatch(t, 3, 2)
		for i := range 3 {
			tt.fill(b.WR(i))
		}
		b.From(1, 1).Advance(by)
		p.Posts(dptest.Record)
		if bad, errno := dpath.PostSend(p.QP(), b, 3); bad != -1 || errno != 0 {
			t.Fatal(bad, errno)
		}
		seen := p.Seen()
		if got := meant(seen[1]); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: C read %+v\nwant   %+v", tt.name, got, tt.want)
		}
		if !reflect.DeepEqual(seen[0], seen[2]) || seen[0].ID != tt.want.ID-16 {
			t.Errorf("%s: another request was changed: %+v, %+v", tt.name, seen[0], seen[2])
		}
	}
}

// TestAdvanceStreamed advances requests that only a stream posts: of C, the members of an atomic are what a stream reads.
func TestAdvanceStreamed(t *testing.T) {
	p := provider(t)
	p.Posts(dptest.Record)
	b, err := dpath.NewSendBatch(4, 1, dpath.InlineRoom(8))
	check(t, err)
	b.WR(0).Flush(1, 0x1000, 9, 64, 1, 0)
	b.WR(1).AtomicWrite(2, 0x1000, 9, 77)
	b.WR(2).SendTSO(3, make([]byte, 8), 1500).SGE(0x5000, 64, 7).To(unsafe.Pointer(p), 5, 6)
	b.WR(3).LocalInv(4, 9)
	invalidated := seenOf(t, p, b, 3)
	b.From(0, 4).Advance(dpath.Stride{ID: 10, Addr: 0x100, Remote: 0x10})
	for i, want := range []dptest.Seen{
		{ID: 11, Remote: 0x1010, Compare: 64},
		{ID: 12, Remote: 0x1010, Compare: 77},
		{ID: 13, Remote: uint64(uintptr(unsafe.Pointer(p))), SGEs: []dptest.SGE{{Addr: 0x5100, Length: 64, LKey: 7}}},
		{ID: 14, Remote: invalidated.Remote},
	} {
		got := seenOf(t, p, b, i)
		if want.Compare == 0 {
			got.Compare = 0
		}
		if got.ID != want.ID || got.Remote != want.Remote || got.Compare != want.Compare || !reflect.DeepEqual(got.SGEs, want.SGEs) {
			t.Errorf("request %d: C read %+v, want %+v", i, got, want)
		}
	}
}

// seenOf returns what C reads of a request.
func seenOf(t *testing.T, p *dptest.Provider, b *dpath.SendBatch, i int) dptest.Seen {
	t.Helper()
	p.Posts(dptest.Record)
	if bad, errno := dpath.PostSendFrom(p.QP(), b, i, 1); bad != -1 || errno != 0 {
		t.Fatal(bad, errno)
	}
	return p.Seen()[0]
}

// TestAdvanceInline has data in the batch stay where it is, beside an element that is sent inline from elsewhere.
func TestAdvanceInline(t *testing.T) {
	b, err := dpath.NewSendBatch(2, 2, dpath.InlineRoom(16))
	check(t, err)
	b.WR(0).Send(1).SGE(0x1000, 4, 0).InlineData([]byte("inline"))
	b.WR(1).Send(2).SGE(0x1000, 4, 0).Flags(dpath.FlagInline)
	data := b.WR(0).SGEs()[1]
	b.From(0, 2).Advance(dpath.Stride{ID: 2, Addr: 64})
	if got := b.WR(0).SGEs(); got[0].Addr != 0x1040 || got[1] != data {
		t.Errorf("with inline data: %+v, the data was %+v", got, data)
	}
	if got := b.WR(1).SGEs(); got[0].Addr != 0x1040 {
		t.Errorf("sent inline from elsewhere: %+v", got)
	}
}

// TestAdvanceReceives also goes back, and wraps around.
func TestAdvanceReceives(t *testing.T) {
	p := provider(t)
	b := recvBatch(t, 4, 2)
	for i := range 4 {
		b.WR(i).Recv(uint64(i)).SGE(0x1000, 64, 7).SGE(8, 64, 7)
	}
	b.From(1, 2).Advance(dpath.Stride{ID: -2, Addr: -16, Remote: 5})
	p.Posts(dptest.Record)
	if bad, errno := dpath.PostRecv(p.QP(), b, 4); bad != -1 || errno != 0 {
		t.Fatal(bad, errno)
	}
	was := []dptest.SGE{{Addr: 0x1000, Length: 64, LKey: 7}, {Addr: 8, Length: 64, LKey: 7}}
	is := []dptest.SGE{{Addr: 0xff0, Length: 64, LKey: 7}, {Addr: math.MaxUint64 - 7, Length: 64, LKey: 7}}
	for i, want := range []dptest.Seen{{ID: 0, SGEs: was}, {ID: math.MaxUint64, SGEs: is}, {ID: 0, SGEs: is}, {ID: 3, SGEs: was}} {
		if got := p.Seen()[i]; got.ID != want.ID || !reflect.DeepEqual(got.SGEs, want.SGEs) {
			t.Errorf("receive %d: C read %+v, want %+v", i, got, want)
		}
	}
}

// TestAdvanceOps leaves tags and the IDs of their receives.
func TestAdvanceOps(t *testing.T) {
	q, b := tags(t, 2)
	b.WR(0).Sync(1, 6)
	b.WR(1).Add(1, 2, 3, 4).SGE(0x1000, 64, 7)
	b.From(0, 2).Advance(dpath.Stride{ID: 8, Addr: 16, Remote: 5})
	if n, errno := dpath.PostSRQOpsRange(q.Gate(), b.From(0, 2)); n != 2 || errno != 0 {
		t.Fatal(n, errno)
	}
	want := []dptest.Op{{ID: 9, Opcode: 2, Flags: 2, Unexpected: 6},
		{ID: 9, RecvID: 2, Tag: 3, Mask: 4, SGEs: 1, Last: dptest.SGE{Addr: 0x1010, Length: 64, LKey: 7}}}
	if got := q.Seen(); !slices.Equal(got, want) {
		t.Errorf("C saw %+v, want %+v", got, want)
	}
}

// TestAdvancePanics asks for ranges that cannot be changed.
func TestAdvancePanics(t *testing.T) {
	send, recv := sendBatch(t, 2, 1), recvBatch(t, 2, 1)
	send.WR(0).Send(1)
	by := dpath.Stride{ID: 1}
	for _, r := range [][2]int{{0, 3}, {-1, 1}, {1, -1}, {3, 0}, {2, 1}, {math.MaxInt, math.MaxInt}} {
		panics(t, "the range has requests that the SendBatch does not have", func() { send.From(r[0], r[1]).Advance(by) })
		panics(t, "the range has requests that the RecvBatch does not have", func() { recv.From(r[0], r[1]).Advance(by) })
	}
	panics(t, "the SendBatch of the range is nil", func() { (*dpath.SendBatch)(nil).From(0, 1).Advance(by) })
	panics(t, "the RecvBatch of the range is nil", func() { dpath.RecvRange{}.Advance(by) })
	panics(t, "the OpsBatch of the range is nil", func() { dpath.OpsRange{}.Advance(by) })
	panics(t, "never made", func() { new(dpath.SendBatch).From(0, 0).Advance(by) })
	w := send.WR(0)
	send.From(2, 0).Advance(by) // none
	send.Close()
	panics(t, "the SendBatch is closed", func() { send.From(0, 1).Advance(by) })
	if id := *(*uint64)(w.At()); id != 1 {
		t.Errorf("the ID was changed to %d", id)
	}
}

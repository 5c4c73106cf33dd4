//go:build linux && cgo

package dpath_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// panics wants a panic with a text.
func panics(t *testing.T, text string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, text) {
			t.Errorf("panic %q, want one with %q", got, text)
		}
	}()
	f()
}

// wantErr wants an error of a kind and a text.
func wantErr(t *testing.T, err, is error, text string) {
	t.Helper()
	if !errors.Is(err, is) || err.Error() != text {
		t.Errorf("error:\n got %v\nwant %s", err, text)
	}
}

// TestClosedBatch uses a batch, and requests and elements of it, after Close.
func TestClosedBatch(t *testing.T) {
	p := provider(t)
	p.Posts(dptest.Record)
	send, recv := sendBatch(t, 2, 1), recvBatch(t, 2, 1)
	sw, rw := send.WR(1).Send(1).SGE(1, 2, 3), recv.WR(1).Recv(1).SGE(1, 2, 3)
	check(t, errors.Join(send.Close(), recv.Close()))
	panics(t, "the SendBatch is closed", func() { send.WR(0) })
	panics(t, "the RecvBatch is closed", func() { recv.WR(0) })
	const noRoom = "no room for one more scatter/gather element, or its batch is closed"
	panics(t, noRoom, func() { sw.Write(7, 8, 9).SGE(1, 1, 1) })
	panics(t, noRoom, func() { rw.Recv(7).SGE(1, 1, 1) })
	panics(t, "or its batch is closed", func() { sw.SetAddr(0, 1) })
	panics(t, "or its batch is closed", func() { rw.SetAddr(0, 1) })
	bad, errno := dpath.PostSendRange(p.QP(), send.From(0, 1))
	if bad != 0 || errno != fail.ErrnoBatchClosed {
		t.Errorf("send: %d, %v", bad, errno)
	}
	wantErr(t, dpath.Refused(send.From(0, 1), errno), os.ErrClosed, "ibv_post_send: the SendBatch is closed")
	bad, errno = dpath.PostRecvRange(p.QP(), recv.From(0, 1))
	if bad != 0 || errno != fail.ErrnoBatchClosed {
		t.Errorf("receive: %d, %v", bad, errno)
	}
	wantErr(t, dpath.Refused(recv.From(0, 1), errno), os.ErrClosed, "ibv_post_recv: the RecvBatch is closed")
	if posts, _ := p.Calls(); posts != 0 {
		t.Errorf("%d posts were made", posts)
	}
}

// TestClosedBatchKeepsItsMemory writes to requests of closed batches while others are made: none of those changes.
func TestClosedBatchKeepsItsMemory(t *testing.T) {
	var old []dpath.SendWR
	var elements [][]dpath.SGE
	for range 50 {
		b := sendBatch(t, 40, 2)
		for i := range b.Len() {
			w := b.WR(i).Send(1).SGE(1, 1, 1)
			old, elements = append(old, w), append(elements, w.SGEs())
		}
		check(t, b.Close())
	}
	runtime.GC()
	var fresh []*dpath.SendBatch
	for range 50 {
		b := sendBatch(t, 40, 2)
		for i := range b.Len() {
			b.WR(i).Send(2).SGE(2, 2, 2)
		}
		fresh = append(fresh, b)
	}
	for i, w := range old {
		w.Write(7, 7, 7).SetImm(7)
		elements[i][0] = dpath.SGE{Addr: 7, Length: 7, LKey: 7}
	}
	p := provider(t)
	for _, b := range fresh {
		p.Posts(dptest.Record)
		if _, errno := dpath.PostSend(p.QP(), b, b.Len()); errno != 0 {
			t.Fatal(errno)
		}
		for _, s := range p.Seen() {
			if s.ID != 2 || s.Opcode != 2 || !reflect.DeepEqual(s.SGEs, []dptest.SGE{{Addr: 2, Length: 2, LKey: 2}}) {
				t.Fatalf("a request of another batch became %+v", s)
			}
		}
	}
}

// TestBatchesLiveOn has only a request keep the memory of a batch, while the collector runs.
func TestBatchesLiveOn(t *testing.T) {
	p := provider(t)
	p.Posts(dptest.Walk)
	for range 20 {
		w := func() dpath.SendWR {
			b, err := dpath.NewSendBatch(100, 3, dpath.InlineRoom(100))
			check(t, err)
			if at := uintptr(b.WR(0).At()); at%64 != 0 {
				t.Errorf("the requests begin at %#x, within a line of the cache", at)
			}
			return b.WR(99)
		}()
		runtime.GC()
		w.Send(1).SGE(1, 2, 3).InlineData(make([]byte, 100))
		runtime.GC()
		if s := w.SGEs(); len(s) != 2 || s[0] != (dpath.SGE{Addr: 1, Length: 2, LKey: 3}) || s[1].Length != 100 {
			t.Fatalf("elements %v", s)
		}
	}
}

// TestNilBatch uses batches that are not there.
func TestNilBatch(t *testing.T) {
	p := provider(t)
	var send *dpath.SendBatch
	var recv *dpath.RecvBatch
	panics(t, "the SendBatch is nil or was never made; make one with NewSendBatch", func() { send.WR(0) })
	panics(t, "the RecvBatch is nil or was never made; make one with NewRecvBatch", func() { recv.WR(0) })
	if send.Len() != 0 || recv.Len() != 0 {
		t.Error("a nil batch has requests")
	}
	const text = "%s: %s is nil; make one with dpath.New%[2]s"
	for _, n := range []int{0, 1, 2} {
		bad, errno := dpath.PostSend(p.QP(), send, n)
		if bad != -1 || errno != syscall.EINVAL {
			t.Errorf("send: %d, %v", bad, errno)
		}
		wantErr(t, dpath.Refused(send.From(0, n), errno), syscall.EINVAL, fmt.Sprintf(text, "ibv_post_send", "SendBatch"))
		bad, errno = dpath.PostRecv(p.QP(), recv, n)
		if bad != -1 || errno != syscall.EINVAL {
			t.Errorf("receive: %d, %v", bad, errno)
		}
		wantErr(t, dpath.Refused(recv.From(0, n), errno), syscall.EINVAL, fmt.Sprintf(text, "ibv_post_recv", "RecvBatch"))
	}
	wantErr(t, send.Close(), syscall.EINVAL, fmt.Sprintf(text, "ibv_post_send", "SendBatch"))
	wantErr(t, recv.Close(), syscall.EINVAL, fmt.Sprintf(text, "ibv_post_recv", "RecvBatch"))
	wantErr(t, new(dpath.SendBatch).Close(), os.ErrClosed, "ibv_post_send: the SendBatch was never opened")
	wantErr(t, new(dpath.RecvBatch).Close(), os.ErrClosed, "ibv_post_recv: the RecvBatch was never opened")
}

// TestRefusedBatch wants errors for parts that a batch does not have, and none for what the device refused.
func TestRefusedBatch(t *testing.T) {
	send, recv := sendBatch(t, 4, 1), recvBatch(t, 4, 1)
	for _, r := range [][2]int{{0, 5}, {3, 2}, {5, 0}, {0, -1}, {-1, 1}} {
		text := fmt.Sprintf("%d requests from number %d on: the %%s has only 4; post fewer, or make a larger batch", r[1], r[0])
		wantErr(t, dpath.Refused(send.From(r[0], r[1]), syscall.EINVAL), syscall.EINVAL, "ibv_post_send: "+fmt.Sprintf(text, "SendBatch"))
		wantErr(t, dpath.Refused(recv.From(r[0], r[1]), syscall.EINVAL), syscall.EINVAL, "ibv_post_recv: "+fmt.Sprintf(text, "RecvBatch"))
	}
	if err := errors.Join(dpath.Refused(send.From(0, 4), syscall.ENOMEM), dpath.Refused(recv.From(4, 0), syscall.EINVAL)); err != nil {
		t.Errorf("the batch is not to blame, yet %v", err)
	}
}

// TestRanges continues partial posts: every request is posted once and in order.
func TestRanges(t *testing.T) {
	p := provider(t)
	send, recv := sendBatch(t, 9, 1), recvBatch(t, 9, 1)
	for i := range 9 {
		send.WR(i).Send(uint64(i))
		recv.WR(i).Recv(uint64(i))
	}
	p.Posts(dptest.Record)
	p.Refuse(3, int(syscall.ENOMEM), 0) // each post takes 3
	s, r := send.From(1, 7), recv.From(1, 7)
	for _, want := range []struct{ posted, left int }{{3, 4}, {3, 1}, {1, 0}} {
		sent, errno := dpath.PostSendRange(p.QP(), s)
		received, other := dpath.PostRecvRange(p.QP(), r)
		s, r = s.Rest(sent), r.Rest(received)
		if sent != want.posted || received != want.posted || errno != other || (errno == syscall.ENOMEM) != (want.left > 0) ||
			s.Len() != want.left || r.Len() != want.left {
			t.Errorf("posted %d and %d, %v and %v, left %d and %d; want %+v", sent, received, errno, other, s.Len(), r.Len(), want)
		}
	}
	var ids []uint64
	for _, seen := range p.Seen() {
		ids = append(ids, seen.ID)
	}
	if want := []uint64{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 7}; !reflect.DeepEqual(ids, want) {
		t.Errorf("posted %v, want %v", ids, want)
	}
}

// TestInlineData sends bytes that are changed before the post, from requests that lie side by side.
func TestInlineData(t *testing.T) {
	p := provider(t)
	const room = 24
	b, err := dpath.NewSendBatch(3, 2, dpath.InlineRoom(room))
	check(t, err)
	fill := func(i, n int) []byte { return bytes.Repeat([]byte{byte(0x10*i + n)}, n) }
	for i := range b.Len() {
		head, tail := fill(i, 4), fill(i, room-4)
		b.WR(i).Write(uint64(i), 1, 2).InlineData(head, nil, tail).Flags(dpath.FlagSignaled)
		clear(head)
		clear(tail)
	}
	p.Posts(dptest.Record)
	if _, errno := dpath.PostSend(p.QP(), b, 3); errno != 0 {
		t.Fatal(errno)
	}
	for i, s := range p.Seen() {
		if s.Flags != uint32(dpath.FlagInline|dpath.FlagSignaled) || len(s.SGEs) != 1 || s.SGEs[0].Length != room || s.SGEs[0].LKey != 0 {
			t.Fatalf("request %d was %+v", i, s)
		}
		if got := bytesAt(b, s.SGEs[0]); !bytes.Equal(got, append(fill(i, 4), fill(i, room-4)...)) {
			t.Errorf("request %d sent % x", i, got)
		}
	}
	w := b.WR(1)
	panics(t, "make the batch with a larger InlineRoom", func() { w.Send(1).InlineData(make([]byte, 33)) })
	panics(t, "make the batch with a larger InlineRoom", func() { sendBatch(t, 1, 1).WR(0).InlineData([]byte{1}) })
	panics(t, "InlineData is called twice", func() { w.Send(1).SGE(1, 1, 1).InlineData([]byte{1}).InlineData([]byte{1}) })
	panics(t, "no room for one more", func() { w.Send(1).SGE(1, 1, 1).SGE(1, 1, 1).InlineData([]byte{1}) })
	if s := w.Send(1).InlineData(nil, []byte{}); len(s.SGEs()) != 0 {
		t.Error("no data takes an element")
	}
	for _, o := range []struct{ sges, room int }{{0, 1}, {1, -1}, {1, 1<<16 + 1}} {
		if _, err := dpath.NewSendBatch(1, o.sges, dpath.InlineRoom(o.room)); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// bytesAt returns the bytes of an element that lies in the memory of a batch.
func bytesAt(b *dpath.SendBatch, s dptest.SGE) []byte {
	w := b.WR(0).At()
	return unsafe.Slice((*byte)(unsafe.Add(w, uintptr(s.Addr)-uintptr(w))), s.Length)
}

// TestFlags adds and changes flags, and reads their names.
func TestFlags(t *testing.T) {
	p := provider(t)
	p.Posts(dptest.Record)
	b := sendBatch(t, 2, 0)
	b.WR(0).Send(1).Flags(dpath.FlagSignaled).Flags(dpath.FlagFence)
	b.WR(1).Send(1).Flags(dpath.FlagSignaled).SetFlags(dpath.FlagSolicited)
	dpath.PostSend(p.QP(), b, 2)
	if s := p.Seen(); s[0].Flags != uint32(dpath.FlagSignaled|dpath.FlagFence) || s[1].Flags != uint32(dpath.FlagSolicited) {
		t.Errorf("flags %#x and %#x", s[0].Flags, s[1].Flags)
	}
	for flags, want := range map[dpath.SendFlags]string{0: "0", dpath.FlagSignaled | dpath.FlagInline: "SIGNALED|INLINE (0xa)",
		dpath.FlagFence | dpath.FlagSolicited | dpath.FlagIPChecksum | 1<<9: "FENCE|SOLICITED|IP_CSUM|0x200 (0x215)"} {
		if got := flags.String(); got != want {
			t.Errorf("%#x is %q, want %q", uint32(flags), got, want)
		}
	}
}

// TestHugeBatch wants an error for a batch that no memory holds.
func TestHugeBatch(t *testing.T) {
	_, err := dpath.NewSendBatch(1<<31-1, 1<<16)
	wantErr(t, err, syscall.EINVAL, "ibv_post_send: a batch of 2147483647 requests takes 2252074690543488 bytes, more than 1 GiB; "+
		"make it smaller and post it more often: invalid argument (EINVAL)")
	if _, err := dpath.NewRecvBatch(1<<25, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("%v", err)
	}
}

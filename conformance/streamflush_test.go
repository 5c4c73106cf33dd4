//go:build linux

package conformance

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// flushing returns two connected sides whose streams also do what only streams can.
func flushing(t *testing.T, mr verbs.MRAccess, qp verbs.QPAccess) (a, b *link.End, to *verbs.QPStream) {
	t.Helper()
	dev := open(t, softverbs.CapFlags(1<<38|1<<39|1<<40)).dev
	at := must(link.First(dev))(t)
	c := link.Default()
	c.Type, c.Ops, c.SendSGE, c.MR, c.QP = verbs.QPTypeRC, commands|verbs.QPOpFlush|verbs.QPOpAtomicWrite, 2, mr, qp
	a, b, err := c.Pair(at, at)
	if err != nil {
		t.Fatal(err)
	}
	return a, b, must(a.QP.Stream())(t)
}

// TestFlushByPost posts to a queue pair what only a stream hands on: the peer refuses a request that names no memory.
func TestFlushByPost(t *testing.T) {
	a, b, _ := flushing(t, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite, verbs.QPAccessRemoteWrite)
	batch := must(verbs.NewSendBatch(1, 1))(t)
	defer batch.Close()
	batch.WR(0).AtomicWrite(7, uint64(b.MR.Addr()), b.MR.RKey(), 5).Flags(verbs.SendSignaled)
	if n, err := a.QP.PostSend(batch, 1); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if wc := must(a.Wait())(t); wc.Status != verbs.WCStatusRemAccessErr || b.Buf[0] != 0 {
		t.Errorf("%+v, %d was written", wc, b.Buf[0])
	}
}

// TestInlineList sends inline data that lies in many pieces, which C takes while posting.
func TestInlineList(t *testing.T) {
	dev := open(t).dev
	at := must(link.First(dev))(t)
	for _, pieces := range []int{2, 32, 33, 40} { // C has room for lists of 32 at hand
		c := link.Default()
		c.Type, c.Ops, c.Inline = verbs.QPTypeRC, commands, 256
		a, b, err := c.Pair(at, at)
		if err != nil {
			t.Fatal(err)
		}
		stream := must(a.QP.Stream())(t)
		batch := must(verbs.NewSendBatch(1, pieces))(t)
		w := batch.WR(0).Write(1, uint64(b.MR.Addr()), b.MR.RKey()).Flags(verbs.SendSignaled | verbs.SendInline)
		var want []byte
		for i := range pieces {
			piece := a.Buf[8*i : 8*i+i%4+1]
			for j := range piece {
				piece[j] = byte(i + j + 1)
			}
			w.SGE(uint64(uintptr(unsafe.Pointer(&piece[0]))), uint32(len(piece)), 0)
			want = append(want, piece...)
		}
		if n, err := stream.Post(batch, 1); n != 1 || err != nil {
			t.Fatal(pieces, n, err)
		}
		clear(a.Buf)
		if wc := must(a.Wait())(t); wc.Err() != nil || !bytes.Equal(b.Buf[:len(want)], want) {
			t.Errorf("%d pieces: %+v: % x, want % x", pieces, wc, b.Buf[:len(want)], want)
		}
		if n := testing.AllocsPerRun(20, func() { stream.Post(batch, 0) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
		batch.Close()
	}
}

// TestTSO makes no datagrams of a TSO: the device refuses a queue pair that is asked for it, as soft-RoCE does, and a plain post of one
// does not reach it.
func TestTSO(t *testing.T) {
	dev := open(t).dev
	at := must(link.First(dev))(t)
	c := link.Default()
	c.Type, c.Ops, c.Inline = verbs.QPTypeUD, verbs.QPOpSend|verbs.QPOpTSO, 64
	if _, _, err := c.Pair(at, at); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("asked for TSO: %v", err)
	}
	a, b, stream, _ := streams(t, dev, verbs.QPTypeUD, verbs.QPOpSend)
	way, _ := a.Way(b)
	ah := must(a.PD.CreateAH(way))(t)
	batch := must(verbs.NewSendBatch(1, 1, verbs.InlineRoom(64)))(t)
	defer batch.Close()
	w := batch.WR(0).SendTSO(1, make([]byte, 54), 1000).SGE(uint64(a.MR.Addr()), 8, a.MR.LKey())
	if err := ah.Address(w, b.QP.Num(), 1); err != nil {
		t.Fatal(err)
	}
	if n, err := a.QP.PostSend(batch, 1); n != 0 || !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("PostSend: %d, %v", n, err)
	}
	if n, err := stream.Post(batch, 1); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("not asked for: %d, %v", n, err)
	}
}

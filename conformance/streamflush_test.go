//go:build linux

package conformance

import (
	"bytes"
	"encoding/binary"
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

// TestFlush posts flushes and atomic writes, and holds their completions against those of soft-RoCE in Linux 6.12 (rxe_resp.c).
func TestFlush(t *testing.T) {
	const mr, qp = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite, verbs.QPAccessRemoteWrite
	const global, both = verbs.FlushGlobal, verbs.FlushGlobal | verbs.FlushPersistent
	flush := func(offset, length uint64, typ verbs.PlacementType, level verbs.SelectivityLevel) func(verbs.SendWR, *link.End) {
		return func(w verbs.SendWR, b *link.End) {
			w.Flush(7, uint64(b.MR.Addr())+offset, b.MR.RKey(), length, typ, level)
		}
	}
	write := func(offset uint64) func(verbs.SendWR, *link.End) {
		return func(w verbs.SendWR, b *link.End) {
			w.AtomicWrite(7, uint64(b.MR.Addr())+offset, b.MR.RKey(), 0x0102030405060708)
		}
	}
	for name, c := range map[string]struct {
		mr     verbs.MRAccess
		qp     verbs.QPAccess
		fill   func(verbs.SendWR, *link.End)
		status verbs.WCStatus
	}{
		"flush of a range": {mr | verbs.MRAccessFlushGlobal, qp | verbs.QPAccessFlushGlobal,
			flush(8, 64, global, verbs.FlushRange), verbs.WCStatusSuccess},
		"flush of a region": {mr | verbs.MRAccessFlushGlobal, qp | verbs.QPAccessFlushGlobal,
			flush(1<<40, 1<<30, global, verbs.FlushMR), verbs.WCStatusSuccess},
		"flush of nothing": {mr | verbs.MRAccessFlushGlobal, qp | verbs.QPAccessFlushGlobal,
			flush(0, 0, global, verbs.FlushRange), verbs.WCStatusSuccess},
		"flush behind the region": {mr | verbs.MRAccessFlushGlobal, qp | verbs.QPAccessFlushGlobal,
			flush(1<<40, 8, global, verbs.FlushRange), verbs.WCStatusRemAccessErr},
		"a region without the right": {mr, qp | verbs.QPAccessFlushGlobal, flush(0, 8, global, verbs.FlushRange), verbs.WCStatusRemAccessErr},
		"a queue pair without it":    {mr | verbs.MRAccessFlushGlobal, qp, flush(0, 8, global, verbs.FlushRange), verbs.WCStatusRemInvReqErr},
		"one of two rights": {mr | verbs.MRAccessFlushGlobal, qp | verbs.QPAccessFlushGlobal,
			flush(0, 8, both, verbs.FlushRange), verbs.WCStatusRemInvReqErr},
		"atomic write":                 {mr, qp, write(64), verbs.WCStatusSuccess},
		"atomic write, misaligned":     {mr, qp, write(68), verbs.WCStatusRemInvReqErr},
		"atomic write, behind":         {mr, qp, write(1 << 40), verbs.WCStatusRemAccessErr},
		"atomic write, no right":       {verbs.MRAccessLocalWrite, qp, write(64), verbs.WCStatusRemAccessErr},
		"atomic write, no right of QP": {mr, 0, write(64), verbs.WCStatusRemInvReqErr},
	} {
		t.Run(name, func(t *testing.T) {
			a, b, stream := flushing(t, c.mr, c.qp)
			batch := must(verbs.NewSendBatch(1, 1))(t)
			defer batch.Close()
			c.fill(batch.WR(0), b)
			batch.WR(0).Flags(verbs.SendSignaled)
			if n, err := stream.Post(batch, 1); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			wc := must(a.Wait())(t)
			if wc.ID != 7 || wc.Status != c.status {
				t.Errorf("%+v, want %v", wc, c.status)
			}
			opcode, wrote := verbs.WCOpcodeFlush, uint64(0)
			if batch.WR(0).Opcode() == verbs.WROpcodeAtomicWrite {
				opcode, wrote = verbs.WCOpcodeAtomicWrite, 0x0102030405060708
			}
			if c.status != verbs.WCStatusSuccess {
				wrote = 0
			} else if wc.Opcode != opcode {
				t.Errorf("completed as %v", wc.Opcode)
			}
			if got := binary.NativeEndian.Uint64(b.Buf[64:]); got != wrote {
				t.Errorf("%#x was written", got)
			}
		})
	}
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

//go:build linux

package conformance

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
)

// commands are what queue pairs of these tests are asked for: all but one.
const commands = verbs.QPOpSend | verbs.QPOpSendWithImm | verbs.QPOpRDMAWrite | verbs.QPOpRDMAWriteWithImm | verbs.QPOpRDMARead |
	verbs.QPOpAtomicCmpAndSwp | verbs.QPOpAtomicFetchAndAdd | verbs.QPOpLocalInv

// TestStreamOfNobody makes no stream where there are no functions, and none after Close.
func TestStreamOfNobody(t *testing.T) {
	dev := open(t).dev
	plain := must(link.NewEnd(dev))(t)
	if _, err := plain.QP.Stream(); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("of a plain queue pair: %v", err)
	}
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeRC, plain.CQ, plain.CQ, plain.PD).MaxSendWR(1).MaxSendSGE(1)
	qp := must(dev.CreateQPEx(attr))(t)
	if qp.PD() != plain.PD {
		t.Error("another domain")
	}
	if _, err := qp.Stream(); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("of a queue pair that was asked for nothing: %v", err)
	}
	if _, err := dev.CreateQPEx(attr.SendOps(verbs.QPOpTSO)); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("asked for what the device cannot: %v", err)
	}
	if err := plain.PD.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the domain: %v", err)
	}
	c := link.Default()
	c.Ops = commands
	a, _ := c.Connected(t, dev, dev)
	stream := must(a.QP.Stream())(t)
	batch := must(verbs.NewSendBatch(1, 1))(t)
	allocs.None(t, "open", func() { stream.Post(batch, 0) })
	if err := a.QP.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := stream.Post(batch, 1); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %d, %v", n, err)
	}
	allocs.None(t, "closed", func() { stream.Post(batch, 1) })
	for _, s := range []*verbs.QPStream{nil, new(verbs.QPStream)} {
		if n, err := s.Post(batch, 1); n != 0 || err == nil || !strings.Contains(err.Error(), "QPStream is nil") {
			t.Errorf("no stream: %d, %v", n, err)
		}
	}
	if _, err := stream.Post(nil, 1); err == nil {
		t.Error("no batch: posted")
	}
	batch.Close()
	if _, err := stream.Post(batch, 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed batch: %v", err)
	}
}

// TestInlineList sends inline data that lies in many pieces, which C takes while posting.
func TestInlineList(t *testing.T) {
	dev := open(t).dev
	for _, pieces := range []int{2, 32, 33, 40} { // C has room for lists of 32 at hand
		c := link.Default()
		c.Ops, c.Inline = commands, 256
		a, b := c.Connected(t, dev, dev)
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
		allocs.None(t, "Post", func() { stream.Post(batch, 0) })
		batch.Close()
	}
}

//go:build linux

package conformance

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

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

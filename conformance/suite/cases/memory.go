//go:build linux

package cases

import (
	"bytes"
	"runtime"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// memoryUse has a case for each kind of memory that a Go program can register: while the garbage collector runs without a
// pause, both ends write to it and read from it, and no byte beside is touched.
func memoryUse() []suite.Case {
	reg := shared("ibv_reg_mr", suite.Peer)
	return []suite.Case{
		reg("CF-mr-0120", "a slice of Go memory, in use while the garbage collector runs hard",
			func(t *suite.T) { usedSlice(t, make([]byte, 3*usedLength)) }),
		reg("CF-mr-0121", "part of a slice that was registered, in use while the garbage collector runs hard",
			func(t *suite.T) { usedSlice(t, make([]byte, 3*usedLength+133)[57:][:3*usedLength]) }),
		reg("CF-mr-0122", "a buffer outside Go's heap, in use while the garbage collector runs hard",
			func(t *suite.T) { usedBuffer(t, buffer(t, 3*usedLength)) }),
		reg("CF-mr-0123", "huge pages, in use while the garbage collector runs hard",
			func(t *suite.T) { usedBuffer(t, buffer(t, 2<<20, mem.HugePages(0))) }, suite.HugePages),
	}
}

// usedLength is how much of a kind of memory is used, in its middle: several packets.
const usedLength = 20000

func usedSlice(t *suite.T, b []byte) { used(t, b, must(newPD(t).RegMR(b, rw))(t)) }

func usedBuffer(t *suite.T, buf *mem.Buffer) { used(t, buf.Bytes(), registered(t, newPD(t), buf, rw)) }

// used moves bytes in every way into and out of the middle of memory.
func used(t *suite.T, b []byte, mr *verbs.MR) {
	cq := must(t.Device().CreateCQ(2*depth, nil, 0))(t)
	n := nearOn(t, mr.PD(), far.RC, cq, cq)
	stop := collect()
	defer stop()
	middle, at := b[usedLength:2*usedLength], uint64(mr.Addr())+usedLength
	for round := range 6 {
		out := fill(make([]byte, usedLength), 4*round)
		n.tell("WRITE", far.Op{Code: far.Write, RKey: mr.RKey(), Addr: at, Data: out})
		holds(t, "written by the other end", middle, out)
		r := n.tell("READ", far.Op{Code: far.Read, RKey: mr.RKey(), Addr: at, Length: usedLength})
		holds(t, "read by the other end", r.Data, out)
		fill(middle, 4*round+1)
		n.op("WRITE", wcWrite, n.write(0).SGE(at, usedLength, mr.LKey()))
		n.farHas("WRITE", 0, fill(out, 4*round+1))
		n.farStore(0, fill(out, 4*round+2))
		n.op("READ", wcRead, n.read(0).SGE(at, usedLength, mr.LKey()))
		holds(t, "read by this end", middle, out)
		n.recv.WR(0).Recv(1).SGE(at, usedLength, mr.LKey())
		n.postRecv(1)
		n.tell("SEND", far.Op{Code: far.Send, Data: fill(out, 4*round+3)})
		if wc := wait(t, cq); wc.Status != 0 || wc.ByteLen != usedLength {
			t.Errorf("round %d: received %+v", round, wc)
		}
		holds(t, "received", middle, out)
	}
	for _, around := range [][]byte{b[:usedLength], b[2*usedLength : 3*usedLength]} {
		holds(t, "the memory around", around, make([]byte, usedLength))
	}
	ok(t, "Close", mr.Close())
}

// holds compares memory, or a message, with what was put there.
func holds(t *suite.T, what string, got, want []byte) {
	if !bytes.Equal(got, want) {
		t.Errorf("%s: it holds %s", what, differing(got, want))
	}
}

// collect runs the garbage collector over and over, and makes work for it, until it is stopped.
func collect() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var junk [64][]byte
		for i := 0; ; i++ {
			select {
			case <-done:
				runtime.KeepAlive(&junk)
				return
			default:
				for j := range junk {
					junk[j] = bytes.Repeat([]byte{0xee}, 1<<10*(1+i%24))
				}
				runtime.GC()
			}
		}
	}()
	return func() { close(done); <-ended }
}

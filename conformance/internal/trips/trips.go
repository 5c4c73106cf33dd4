//go:build linux && cgo

// Package trips compares round trips in Go and in C over one connection: requests are posted, and polled until all are complete.
//
// It owns the list of requests. It knows nothing of the device.
package trips

import (
	"errors"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/bench/hotbench"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/ratio"
)

// kinds are what is compared: one request that is waited for (the tests of perftest whose names end in lat), or several (those in bw).
var kinds = []struct {
	name   string
	opcode verbs.WROpcode
	length uint32
	n      int
}{
	{"write_lat/8", verbs.WROpcodeRDMAWrite, 8, 1},
	{"read_lat/8", verbs.WROpcodeRDMARead, 8, 1},
	{"atomic_lat", verbs.WROpcodeAtomicFetchAndAdd, 8, 1},
	{"write_bw/4096x16", verbs.WROpcodeRDMAWrite, link.Size, 16},
	{"read_bw/4096x16", verbs.WROpcodeRDMARead, link.Size, 16},
}

// trip makes the two loops of a kind of requests from one end to the memory of another.
func trip(opcode verbs.WROpcode, length uint32, n int, a, to *link.End) (inC, inGo func(times int) error, err error) {
	from, remote := a.MR.UncheckedSGE(0, length), to.MR.UncheckedSGE(0, length)
	w := hotbench.Write{Addr: from.Addr, LKey: from.LKey, Remote: remote.Addr, RKey: to.MR.RKey(), Length: length}
	batch, err := verbs.NewSendBatch(n, 1)
	if err != nil {
		return nil, nil, err
	}
	for i := range n {
		wr, id := batch.WR(i), uint64(i)
		switch opcode {
		case verbs.WROpcodeRDMAWrite:
			wr = wr.Write(id, w.Remote, w.RKey)
		case verbs.WROpcodeRDMARead:
			wr = wr.Read(id, w.Remote, w.RKey)
		case verbs.WROpcodeAtomicFetchAndAdd:
			wr = wr.FetchAdd(id, w.Remote, w.RKey, 1)
		default:
			return nil, nil, errors.ErrUnsupported
		}
		wr.Add(from).Flags(verbs.SendSignaled)
	}
	wcs := make([]verbs.WC, n)
	inC = func(times int) error { return hotbench.Trip(a.QP.CPtr(), a.CQ.CPtr(), w, opcode, n, times) }
	inGo = func(times int) error {
		for range times {
			if _, err := a.QP.PostSend(batch, n); err != nil {
				return err
			}
			for left := n; left > 0; {
				got, err := a.CQ.PollInto(wcs[:left])
				if err != nil {
					return err
				}
				for i := range wcs[:got] {
					if err := wcs[i].Err(); err != nil {
						return err
					}
				}
				left -= got
			}
		}
		return nil
	}
	return inC, inGo, nil
}

// Bench compares all kinds of requests from one end to the memory of another.
func Bench(b *testing.B, a, to *link.End) {
	for _, k := range kinds {
		inC, inGo, err := trip(k.opcode, k.length, k.n, a, to)
		if err != nil {
			b.Fatal(err)
		}
		must := func(loop func(int) error) func(int) {
			return func(times int) {
				if err := loop(times); err != nil {
					b.Fatal(err)
				}
			}
		}
		ratio.Bench(b, k.name, k.n, must(inC), must(inGo))
	}
}

// Test shows that both loops move the data of each kind of requests.
func Test(t *testing.T, a, to *link.End) {
	for _, k := range kinds {
		inC, inGo, err := trip(k.opcode, k.length, k.n, a, to)
		if err != nil {
			t.Fatal(err)
		}
		for i, loop := range []func(int) error{inC, inGo} {
			mark := byte(0x10 + i)
			fill, from := a.Buf, to.Buf
			if k.opcode == verbs.WROpcodeRDMARead {
				fill, from = to.Buf, a.Buf
			}
			clear(from)
			fill[0] = mark
			if err := loop(2); err != nil {
				t.Fatalf("%s: %v", k.name, err)
			}
			if k.opcode == verbs.WROpcodeAtomicFetchAndAdd {
				mark = byte(2 * k.n)
			}
			if from[0] != mark {
				t.Errorf("%s, loop %d: the first byte is %#x, not %#x", k.name, i, from[0], mark)
			}
		}
	}
}

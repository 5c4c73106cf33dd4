//go:build linux && cgo

package softverbs_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// eachPair runs a test on one device and across two.
func eachPair(t *testing.T, p plan, f func(b *bench, x, y *end)) {
	for devices := 1; devices <= 2; devices++ {
		t.Run(fmt.Sprintf("%d devices", devices), func(t *testing.T) {
			b := two(t)
			x, y := b.pair(p, devices)
			f(b, x, y)
		})
	}
}

func TestManyMessagesInOrder(t *testing.T) {
	eachPair(t, plan{attr: func(a *harness.QPAttr) { a.RQPSN, a.SQPSN = 0xfffff0, 0xfffff0 }}, func(b *bench, x, y *end) {
		const rounds = 40
		for r := range rounds {
			for i := range uint64(10) {
				y.recv(harness.RecvWR{ID: i, SGEs: []harness.SGE{y.sge(i*1500, 1500)}})
			}
			for i := range uint64(10) {
				x.mem[i*1500] = byte(r) + byte(i)
				x.send(harness.SendWR{ID: i, Opcode: opSend, Flags: signaled, SGEs: []harness.SGE{x.sge(i*1500, 1500)}})
			}
			for i, wc := range b.wait(y.rcq, 10) {
				if wc.ID != uint64(i) || wc.Status != wcSuccess || y.mem[i*1500] != byte(r)+byte(i) {
					b.Fatalf("round %d: %+v", r, wc)
				}
			}
			b.wait(x.scq, 10)
		}
	})
}

// In 32 bits the sum of the lengths is 8, for which there is room.
func TestInlineOfMoreThan32Bits(t *testing.T) {
	for _, c := range []struct {
		opts []softverbs.Option
		want syscall.Errno
	}{{nil, syscall.EINVAL}, {[]softverbs.Option{softverbs.LikeMLX5()}, syscall.ENOMEM}} {
		b := two(t, c.opts...)
		x, y := b.pair(plan{}, 1)
		w := write(x, y)
		w.Flags, w.SGEs = inline, []harness.SGE{x.sge(0, pageSize), {Addr: x.at(0), Len: uint32(1<<32 + 8 - pageSize)}}
		_, err := b.lib.PostSend(x.qp, w)
		b.want(c.want, err)
	}
}

// A message has at most max_msg_sz bytes, whatever it is.
func TestMaxMsgSize(t *testing.T) {
	for _, op := range []int{opSend, opWrite, opRead} {
		b := two(t, softverbs.LikeRXE61(), softverbs.MaxMsgSize(uint32(pageSize)))
		x, y := b.pair(plan{}, 1)
		y.recv(harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 2*pageSize)}}, harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 2*pageSize)}})
		for n, want := range []int{wcSuccess, wcLocLen} {
			w := write(x, y)
			w.Opcode, w.Flags, w.SGEs = op, signaled, []harness.SGE{x.sge(0, pageSize), x.sge(pageSize, uint64(n))}
			x.send(w)
			if wc := b.wait(x.scq, 1)[0]; wc.Status != want {
				t.Errorf("opcode %d, %d bytes too many: %+v", op, n, wc)
			}
		}
		b.state(sErr, x)
		b.state(sRTS, y)
	}
}

//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

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

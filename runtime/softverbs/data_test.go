//go:build linux && cgo

package softverbs_test

import (
	"bytes"
	"encoding/binary"
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

func TestSendAndReceive(t *testing.T) {
	eachPair(t, plan{}, func(b *bench, x, y *end) {
		copy(x.mem, "hello, ")
		copy(x.mem[100:], "world")
		y.recv(harness.RecvWR{ID: 7, SGEs: []harness.SGE{y.sge(0, 3), y.sge(50, 0), y.sge(200, 100)}})
		x.send(harness.SendWR{ID: 8, Opcode: opSendImm, Imm: 0xcafe, Flags: signaled, SGEs: []harness.SGE{x.sge(0, 7), x.sge(100, 5)}})
		wc := b.wait(y.rcq, 1)[0]
		if want := (harness.WC{ID: 7, Opcode: cRecv, Len: 12, Imm: 0xcafe, QPN: harness.QPNum(y.qp), Flags: fGRH | fImm}); wc != want {
			t := want
			b.Errorf("receive %+v, want %+v", wc, t)
		}
		if wc := b.wait(x.scq, 1)[0]; wc.ID != 8 || wc.Status != wcSuccess || wc.Opcode != cSend || wc.QPN != harness.QPNum(x.qp) {
			b.Errorf("send %+v", wc)
		}
		if got := string(y.mem[:3]) + string(y.mem[200:209]); got != "hello, world" {
			b.Errorf("received %q", got)
		}
	})
}

func TestWriteReadAtomics(t *testing.T) {
	eachPair(t, plan{}, func(b *bench, x, y *end) {
		for i := range x.mem[:pageSize] {
			x.mem[i] = byte(i * 7)
		}
		binary.NativeEndian.PutUint64(y.mem[2*pageSize:], 40)
		to := func(id uint64, op int, off uint64, s harness.SGE) harness.SendWR {
			return harness.SendWR{ID: id, Opcode: op, Flags: signaled, SGEs: []harness.SGE{s}, Addr: y.at(off), RKey: y.mr.RKey}
		}
		add := to(3, opFAA, 2*pageSize, x.sge(3*pageSize, 8))
		add.Atomic, add.Compare = true, 2
		swap := to(4, opCAS, 2*pageSize, x.sge(3*pageSize+8, 8))
		swap.Atomic, swap.Compare, swap.Swap = true, 42, 43
		x.send(to(1, opWrite, 64, x.sge(0, pageSize)), to(2, opRead, 64, x.sge(2*pageSize, pageSize)), add, swap)
		for i, op := range []int{cWrite, cRead, cFAA, cCAS} {
			if wc := b.wait(x.scq, 1)[0]; wc.ID != uint64(i+1) || wc.Status != wcSuccess || wc.Opcode != op {
				b.Errorf("completion %+v", wc)
			}
		}
		if !bytes.Equal(y.mem[64:64+pageSize], x.mem[:pageSize]) || !bytes.Equal(x.mem[2*pageSize:3*pageSize], x.mem[:pageSize]) {
			b.Error("the bytes differ")
		}
		now, old := binary.NativeEndian.Uint64(y.mem[2*pageSize:]), binary.NativeEndian.Uint64(x.mem[3*pageSize:])
		if mid := binary.NativeEndian.Uint64(x.mem[3*pageSize+8:]); now != 43 || old != 40 || mid != 42 {
			b.Errorf("atomics: %d, %d, %d", old, mid, now)
		}
		b.none(y.rcq)
	})
}

func TestWriteWithImmediateTakesAReceive(t *testing.T) {
	eachPair(t, plan{}, func(b *bench, x, y *end) {
		y.recv(harness.RecvWR{ID: 1})
		x.mem[0] = 9
		x.send(harness.SendWR{Opcode: opWriteImm, Imm: 5, Flags: signaled, SGEs: []harness.SGE{x.sge(0, 33)}, Addr: y.at(1), RKey: y.mr.RKey})
		wc := b.wait(y.rcq, 1)[0]
		if wc.Opcode != cRecvImm || wc.Imm != 5 || wc.Len != 33 || wc.Flags&fImm == 0 || y.mem[1] != 9 {
			b.Errorf("%+v", wc)
		}
		if wc := b.wait(x.scq, 1)[0]; wc.Opcode != cWrite || wc.Status != wcSuccess {
			b.Errorf("%+v", wc)
		}
	})
}

func TestInlineNeedsNoKey(t *testing.T) {
	eachPair(t, plan{}, func(b *bench, x, y *end) {
		copy(x.mem, "inline")
		s := x.sge(0, 6)
		s.LKey = 0xdead
		y.recv(harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 64)}})
		x.send(harness.SendWR{Opcode: opSend, Flags: inline, SGEs: []harness.SGE{s}})
		clear(x.mem[:6]) // it was taken when it was posted
		if wc := b.wait(y.rcq, 1)[0]; wc.Len != 6 || string(y.mem[:6]) != "inline" {
			b.Errorf("%+v, %q", wc, y.mem[:6])
		}
	})
}

func TestUnsignaledSendsSayNothing(t *testing.T) {
	for _, all := range []bool{false, true} {
		b := two(t)
		x, y := b.pair(plan{sigAll: all}, 2)
		w := harness.SendWR{Opcode: opWrite, SGEs: []harness.SGE{x.sge(0, 1)}, Addr: y.at(0), RKey: y.mr.RKey}
		last := w
		last.ID, last.Flags = 3, signaled
		x.send(w, w, last)
		if all {
			b.wait(x.scq, 2)
		}
		if wc := b.wait(x.scq, 1)[0]; wc.ID != 3 {
			t.Errorf("%+v", wc)
		}
		b.none(x.scq)
	}
}

func TestUnreliableConnection(t *testing.T) {
	eachPair(t, plan{typ: uc}, func(b *bench, x, y *end) {
		x.mem[0] = 1
		send := harness.SendWR{Opcode: opSend, Flags: signaled, SGEs: []harness.SGE{x.sge(0, 4)}}
		x.send(send) // nobody receives: it is lost
		if wc := b.wait(x.scq, 1)[0]; wc.Status != wcSuccess {
			b.Errorf("%+v", wc)
		}
		y.recv(harness.RecvWR{ID: 2, SGEs: []harness.SGE{y.sge(0, 4)}})
		x.send(send, harness.SendWR{Opcode: opWrite, Flags: signaled, SGEs: []harness.SGE{x.sge(0, 4)}, Addr: y.at(8), RKey: y.mr.RKey})
		b.wait(x.scq, 2)
		if wc := b.wait(y.rcq, 1)[0]; wc.ID != 2 || wc.Len != 4 || y.mem[0] != 1 || y.mem[8] != 1 {
			b.Errorf("%+v", wc)
		}
		x.send(harness.SendWR{Opcode: opWrite, Flags: signaled, SGEs: []harness.SGE{x.sge(0, 4)}, Addr: y.at(8), RKey: 1})
		if wc := b.wait(x.scq, 1)[0]; wc.Status != wcSuccess { // dropped at the other end
			b.Errorf("%+v", wc)
		}
		b.state(sRTS, y)
		x.send(harness.SendWR{Opcode: opRead, SGEs: []harness.SGE{x.sge(0, 4)}, Addr: y.at(8), RKey: y.mr.RKey})
		if wc := b.wait(x.scq, 1)[0]; wc.Status != wcLocQPOp {
			b.Errorf("read: %+v", wc)
		}
		b.state(sErr, x)
	})
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

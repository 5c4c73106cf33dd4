//go:build linux && cgo

package cases

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

func traffic() []suite.Case {
	post := shared("ibv_post_send", suite.Peer)
	return []suite.Case{
		post("CF-que-0020", "messages of every length, both ways", over(far.RC, messages)).Ruled("VR-ibv_post_send-opcode-0337"),
		post("CF-que-0021", "messages with immediate data, both ways", over(far.RC, immediate)),
		post("CF-que-0022", "RDMA WRITE and READ of every length", over(far.RC, writeRead)).Ruled("VR-ibv_post_send-opcode-0337"),
		post("CF-que-0023", "RDMA WRITE with immediate data, both ways", over(far.RC, writeImm)).Ruled("VR-ibv_post_send-opcode-0337"),
		post("CF-que-0024", "atomics on the other end's memory", over(far.RC, atomicRequests), suite.Atomics).Ruled(
			"VR-ibv_post_send-opcode-0337", "VR-ibv_post_send-remote_addr-0352", "VR-ibv_post_send-length-0353"),
		post("CF-que-0025", "an unreliable connection: messages and RDMA WRITE", over(far.UC, unreliable)).Ruled("VR-ibv_post_send-opcode-0336"),
		of("CF-que-0026", "datagrams, both ways: the address handle and the 40 bytes before the data", "ibv_create_ah",
			over(far.UD, datagrams), suite.Peer).Ruled("VR-ibv_post_send-opcode-0335", "VR-ibv_post_send-ah-0354", "VR-ibv_post_recv-sg_list-0364"),
		post("CF-que-0027", "inline data is taken while posting, from memory that is not registered", over(far.RC, inline, inlineRoom)).Ruled(
			"VR-ibv_post_send-send_flags-0344", "VR-ibv_post_send-send_flags-0345"),
		of("CF-que-0028", "gathered from three places, scattered to three", "ibv_post_recv", over(far.RC, gathered), suite.Peer).Ruled(
			"VR-ibv_post_send-num_sge-0349", "VR-ibv_post_recv-num_sge-0360"),
	}
}

// over shows something on a near queue pair, of a kind and with what shape adds.
func over(kind far.Kind, show func(n *near), shape ...func(*verbs.QPInitAttr)) func(*suite.T) {
	return func(t *suite.T) { show(newNear(t, kind, shape...)) }
}

// lengths are those of messages: none, one byte, around one packet of the largest MTU and of the usual one, many packets.
var lengths = []int{0, 1, 63, 1023, 1024, 1025, 4095, 4096, 4097, 20001, far.MaxData}

// fill writes a pattern that differs from the one of another seed, and gives it.
func fill(b []byte, seed int) []byte {
	for i := range b {
		b[i] = byte(i*7 + i>>8 + seed*13)
	}
	return b
}

// differing says where bytes differ.
func differing(got, want []byte) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d bytes, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Sprintf("%#x at %d of %d, want %#x", got[i], i, len(got), want[i])
		}
	}
	return "nothing that differs"
}

// received checks the next receive of a near queue pair.
func (n *near) received(what string, id uint64, opcode verbs.WCOpcode, length int) verbs.WC {
	wc := n.next(n.recvs)
	n.t.Status(what, wc.Status, verbs.WCStatusSuccess)
	if wc.ID != id || wc.QPNum != n.qp.Num() || wc.Status == 0 && (wc.Opcode != opcode || wc.ByteLen != uint32(length)) {
		n.t.Errorf("%s: %+v; want id %d, opcode %v, %d bytes", what, wc, id, opcode, length)
	}
	return wc
}

func messages(n *near) {
	t := n.t
	for i, length := range lengths {
		what := fmt.Sprintf("a message of %d bytes", length)
		out := bytes.Clone(fill(n.buf[:length], i))
		r := n.says(what, n.part(n.wr().Send(opID), 0, length), out)
		is(t, what+": its length", r.Length, length)
		is(t, what+": immediate data", r.WithImm, false)
		is(t, what+": WITH_IMM", n.hears(what, i, out).Flags&verbs.WCFlagWithImm, 0)
	}
}

func immediate(n *near) {
	t := n.t
	for i, imm := range []uint32{0, 1, 0x01020304, 0xfffffffe} {
		what := fmt.Sprintf("a message with %#x", imm)
		n.farRoom(i)
		n.op(what, verbs.WCOpcodeSend, n.part(n.wr().SendImm(opID, imm), 0, i))
		if r := n.farGot(what); !r.WithImm || r.Imm != imm || r.Length != i {
			t.Errorf("%s: %+v", what, r)
		}
		n.room(uint64(i), 0, i)
		n.tell(what, far.Op{Code: far.Send, Data: make([]byte, i), WithImm: true, Imm: imm})
		if wc := n.received(what, uint64(i), verbs.WCOpcodeRecv, i); wc.Flags&verbs.WCFlagWithImm == 0 || wc.ImmData != imm {
			t.Errorf("%s: %+v", what, wc)
		}
	}
}

func writeRead(n *near) {
	t := n.t
	for i, length := range lengths[:len(lengths)-1] {
		what := fmt.Sprintf("%d bytes", length)
		n.farStore(0, make([]byte, length+128))
		want := slices.Concat(make([]byte, 64), fill(n.buf[:length], i), make([]byte, 64)) // what is not to be touched stands around it
		n.op("WRITE of "+what, verbs.WCOpcodeRDMAWrite, n.part(n.write(64), 0, length))
		n.farHas("WRITE of "+what, 0, want)
		back := fill(make([]byte, length), i+100)
		n.farStore(32, back)
		clear(n.buf)
		n.op("READ of "+what, verbs.WCOpcodeRDMARead, n.part(n.read(32), 16, length))
		holds(t, "READ of "+what+", and the memory around it", n.buf[:32+length], slices.Concat(make([]byte, 16), back, make([]byte, 16)))
	}
}

func writeImm(n *near) {
	t := n.t
	const text = "written and told"
	n.farRoom(0)
	copy(n.buf, text)
	n.op("WRITE", verbs.WCOpcodeRDMAWrite, n.wr().WriteImm(opID, n.link.To.Base+8, n.link.To.RKey, 0xa1b2c3d4).Add(n.sge(0, len(text))))
	if r := n.farGot("told"); !r.WithImm || r.Imm != 0xa1b2c3d4 || r.Length != len(text) {
		t.Errorf("the other end was told %+v", r)
	}
	n.farHas("WRITE", 8, []byte(text))
	n.room(5, 0, 0)
	n.tell("WRITE", far.Op{Code: far.Write, RKey: n.mr.RKey(), Addr: uint64(n.mr.Addr()) + 100, Data: []byte(text), WithImm: true, Imm: 7})
	if wc := n.received("told", 5, verbs.WCOpcodeRecvRDMAWithImm, len(text)); wc.Flags&verbs.WCFlagWithImm == 0 || wc.ImmData != 7 {
		t.Errorf("%+v", wc)
	}
	holds(t, "the memory", n.buf[100:100+len(text)], []byte(text))
}

func atomicRequests(n *near) {
	t := n.t
	value := func(v uint64) []byte { return binary.NativeEndian.AppendUint64(nil, v) }
	n.farStore(16, value(1<<40))
	shows := func(what string, opcode verbs.WCOpcode, w verbs.SendWR, was, now uint64) {
		n.op(what, opcode, w.Add(n.sge(8, 8)))
		is(t, what+": what was there", binary.NativeEndian.Uint64(n.buf[8:]), was)
		n.farHas(what, 16, value(now))
	}
	add := func(v uint64) verbs.SendWR { return n.wr().FetchAdd(opID, n.link.To.Base+16, n.link.To.RKey, v) }
	swap := func(compare, v uint64) verbs.SendWR {
		return n.wr().CompareSwap(opID, n.link.To.Base+16, n.link.To.RKey, compare, v)
	}
	const other = 0x1122334455667788
	shows("fetch and add", verbs.WCOpcodeFetchAdd, add(5), 1<<40, 1<<40+5)
	shows("fetch and add of -6", verbs.WCOpcodeFetchAdd, add(^uint64(5)), 1<<40+5, 1<<40-1)
	shows("compare and swap", verbs.WCOpcodeCompSwap, swap(1<<40-1, other), 1<<40-1, other)
	shows("compare and swap of another value", verbs.WCOpcodeCompSwap, swap(3, 4), other, other)
}

func unreliable(n *near) {
	t := n.t
	for i, length := range []int{1, 4097, 20001} {
		what := fmt.Sprintf("%d bytes", length)
		out := bytes.Clone(fill(n.buf[:length], i))
		n.farRoom(length)
		n.op("SEND of "+what, verbs.WCOpcodeSend, n.part(n.wr().Send(opID), 0, length))
		holds(t, "SEND of "+what, n.farGot(what).Data, out)
		n.farRoom(0) // so that the arrival shows: the completion of a WRITE here does not tell it
		n.op("WRITE of "+what, verbs.WCOpcodeRDMAWrite, n.wr().WriteImm(opID, n.link.To.Base, n.link.To.RKey, uint32(i)).Add(n.sge(0, length)))
		if r := n.farGot(what); r.Imm != uint32(i) || r.Length != length {
			t.Errorf("WRITE of %s: told %+v", what, r)
		}
		n.farHas("WRITE of "+what, 0, out)
		clear(n.buf)
		n.room(uint64(i), 0, length)
		n.tell("SEND of "+what, far.Op{Code: far.Send, Data: out})
		n.received(what, uint64(i), verbs.WCOpcodeRecv, length)
		holds(t, "received "+what, n.buf[:length], out)
	}
}

// datagrams are of what one packet of the smallest MTU holds. Before the data of each is the global route header; on
// Ethernet, between IPv4 addresses, only its second half is written.
func datagrams(n *near) {
	t := n.t
	ah := must(n.pd.CreateAH(t.Port().Way(n.link.To)))(t)
	belongs(t, "the address handle", ah, n.pd)
	for i, length := range []int{0, 1, 200} {
		what := fmt.Sprintf("a datagram of %d bytes", length)
		out := bytes.Clone(fill(n.buf[:length], i))
		r := n.says(what, n.addressed(n.part(n.wr().SendImm(opID, uint32(i)), 0, length), ah, n.link.To.QPN), out)
		is(t, what+": WITH_IMM", r.WithImm, true)
		is(t, what+": immediate data", r.Imm, uint32(i))
		is(t, what+": the queue pair that it is from", r.SrcQP, n.qp.Num())
		wc := n.hears(what, i, out)
		is(t, what+": the queue pair that it is from", wc.SrcQP, n.link.To.QPN)
		if from := n.link.To.GID; wc.Flags&verbs.WCFlagGRH != 0 && !mapped(from) &&
			(n.buf[0]>>4 != 6 || !bytes.Equal(n.buf[8:24], from[:]) || !bytes.Equal(n.buf[24:40], n.link.Self.GID[:])) {
			t.Errorf("%s: the header before the data is %x", what, n.buf[:verbs.GRHSize])
		}
	}
	t.OK("Close of the address handle", ah.Close())
	if err := ah.Address(n.send.WR(0), 1, 1); err == nil {
		t.Errorf("a request is addressed with a handle that is closed")
	}
}

// mapped reports whether a GID is an IPv4 address.
func mapped(gid [16]byte) bool {
	return bytes.Equal(gid[:12], []byte{10: 0xff, 11: 0xff})
}

// inlineBytes are what a queue pair is asked to take inline.
const inlineBytes = 32

func inlineRoom(a *verbs.QPInitAttr) { a.MaxInlineData = inlineBytes }

func inline(n *near) {
	const length = inlineBytes
	t := n.t
	data := []byte("taken while it was being posted.")
	n.farRoom(length)
	n.farRoom(length)
	n.send.WR(0).Send(1).SGE(uint64(addressOf(data)), length, 0xdead).Flags(verbs.SendSignaled | verbs.SendInline)
	n.post(1)
	clear(data)
	n.finished("an inline message", 1, verbs.WCOpcodeSend)
	is(t, "received", string(n.farGot("an inline message").Data), "taken while it was being posted.")
	copy(data, "once more")
	n.send.WR(0).Write(2, n.link.To.Base, n.link.To.RKey).SGE(uint64(addressOf(data)), 9, 0).Flags(verbs.SendSignaled | verbs.SendInline)
	n.post(1)
	clear(data)
	n.finished("an inline WRITE", 2, verbs.WCOpcodeRDMAWrite)
	n.farHas("an inline WRITE", 0, []byte("once more"))
}

func gathered(n *near) {
	t := n.t
	copy(n.buf[10:], "one")
	copy(n.buf[2000:], "two")
	copy(n.buf[5000:], "three")
	n.farRoom(64)
	n.op("gathered", verbs.WCOpcodeSend, n.wr().Send(opID).Add(n.sge(5000, 5)).Add(n.sge(10, 3)).Add(n.sge(2000, 3)))
	is(t, "received", string(n.farGot("gathered").Data), "threeonetwo")
	clear(n.buf)
	n.recv.WR(0).Recv(1).Add(n.sge(100, 4)).Add(n.sge(50, 1)).Add(n.sge(9000, 100))
	n.postRecv(1)
	n.tell("scattered", far.Op{Code: far.Send, Data: []byte("over three places")})
	n.received("scattered", 1, verbs.WCOpcodeRecv, 17)
	is(t, "scattered", string(n.buf[100:105])+string(n.buf[50:52])+string(n.buf[9000:9013]), "over\x00 \x00three places\x00")
}

// repliesTo are the cases of address handles that are made of completions.
func repliesTo() []suite.Case {
	return []suite.Case{
		of("CF-answer-0001", "a datagram is answered by the header in front of it", "ibv_create_ah_from_wc", answered, suite.Peer),
		of("CF-answer-0002", "headers of no version, of another port and of a group", "ibv_create_ah_from_wc", noAnswer, suite.RoCE).Ruled(
			"VR-ibv_init_ah_from_wc-grh-0763"),
	}
}

// answered sends a datagram back to where one came from.
func answered(t *suite.T) {
	n := newNear(t, far.UD)
	n.room(1, 0, verbs.GRHSize+4)
	n.tell("a question", far.Op{Code: far.Send, Data: []byte("ask?")})
	wc := n.received("a question", 1, verbs.WCOpcodeRecv, verbs.GRHSize+4)
	front := bytes.Clone(n.buf[:verbs.GRHSize])
	port := t.Port().Number()
	direct := must(n.pd.CreateAHFromWC(&wc, front, port))(t)
	described := must(n.pd.CreateAH(must(t.Device().InitAHFromWC(port, &wc, front))(t)))(t)
	// In a fixed order, as what a case sees is compared from run to run.
	for i, what := range []string{"by the completion", "by its description"} {
		ah := []*verbs.AH{direct, described}[i]
		out := fill(n.buf[:8], len(what))
		r := n.says(what, n.addressed(n.part(n.wr().Send(opID), 0, 8), ah, wc.SrcQP), out)
		is(t, what+": the queue pair that it is from", r.SrcQP, n.qp.Num())
		t.OK("Close", ah.Close())
	}
}

func noAnswer(t *suite.T) {
	pd, dev := newPD(t), t.Device()
	wc := &verbs.WC{Flags: verbs.WCFlagGRH}
	header := func(to verbs.GID) []byte {
		h := make([]byte, verbs.GRHSize)
		h[0], h[6] = 6<<4, 17 // of IPv6, with UDP behind it
		copy(h[8:], bytes.Repeat([]byte{0xfe}, 16))
		copy(h[24:], to[:])
		return h
	}
	for what, h := range map[string][]byte{"a group": header(verbs.GID{0: 0xff, 15: 1}),
		"a GID that the port has not": header(verbs.GID{0: 0xfe, 1: 0x80, 15: 0xee}),
		"no version":                  make([]byte, verbs.GRHSize)} {
		ah, err := pd.CreateAHFromWC(wc, h, 1)
		if err == nil {
			t.Errorf("%s: an address handle is made", what)
			t.OK("Close", ah.Close())
		}
		if _, err := dev.InitAHFromWC(1, wc, h); err == nil {
			t.Errorf("%s: a path is described", what)
		}
	}
	for _, short := range [][]byte{nil, make([]byte, verbs.GRHSize-1)} {
		fails(t, fmt.Sprintf("a header of %d bytes", len(short)), errorOf(dev.InitAHFromWC(1, wc, short)), syscall.EINVAL)
	}
	fails(t, "no completion", errorOf(pd.CreateAHFromWC(nil, header(verbs.GID{}), 1)), syscall.EINVAL)
	if _, err := dev.InitAHFromWC(1, new(verbs.WC), make([]byte, verbs.GRHSize)); err != nil {
		t.Errorf("a completion without a header: %v", err)
	}
}

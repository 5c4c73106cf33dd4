//go:build linux && cgo

package cases

import (
	"errors"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// frames are the cases of flows with traffic: Ethernet frames between queue pairs of raw packets.
func frames() []suite.Case {
	frame := shared("ibv_create_flow", suite.RawPacket, suite.RawLoop, suite.Flows)
	return []suite.Case{
		frame("CF-flow-0010", "a frame goes where a flow steers it, byte for byte, and nowhere without one", steered),
		frame("CF-flow-0011", "each field of the headers: with the value, with another, and with a mask", eachMatch),
		frame("CF-flow-0012", "priorities: the lowest number takes a frame, and leaves it to others with DONT_TRAP", priorities),
		frame("CF-flow-0013", "what no flow takes goes to the default ones; a sniffer takes all", defaults),
		frame("CF-flow-0014", "a flow drops what it takes; one of what is sent, before it leaves", dropped, suite.Counters),
		of("CF-flow-0015", "packets and bytes are counted, of one flow and of two", "ibv_read_counters",
			countedFrames, suite.RawPacket, suite.RawLoop, suite.Flows, suite.Counters),
		frame("CF-flow-0016", "the tag of a flow is read with the completion", tagged, suite.CQEx),
		of("CF-flow-0017", "frames that are too short and too long, and of streams", "ibv_create_qp",
			oddFrames, suite.RawPacket, suite.RawLoop, suite.Flows, suite.QPEx),
	}
}

// rawPacket is the kind of a near queue pair that has no other end.
const rawPacket far.Kind = "raw packets"

// station is a queue pair of raw packets.
type station struct {
	*near
	port uint8
}

// stationOn makes one that sends and receives on a port. Its receives complete in cq, if there is one.
func stationOn(t *suite.T, port uint8, cq *verbs.CQ) *station {
	if cq == nil {
		cq = newCQ(t)
	}
	n := bareNear(t, newPD(t), rawPacket, newCQ(t), cq)
	needed(t, "a queue pair of raw packets", verbs.RawPacketSetup{PortNum: port}.ToRTS(n.qp))
	return &station{n, port}
}

// stations makes some on port 1.
func stations(t *suite.T, count int) []*station {
	var list []*station
	for range count {
		list = append(list, stationOn(t, 1, nil))
	}
	return list
}

// flow makes a flow to the station, which is closed before it.
func (s *station) flow(attr *verbs.FlowAttr) *verbs.Flow {
	f := must(s.qp.CreateFlow(attr))(s.t)
	s.t.Cleanup(func() { f.Close() })
	return f
}

// taking is a flow of a priority, with specs.
func (s *station) taking(priority uint16, specs ...verbs.FlowSpec) *verbs.FlowAttr {
	return verbs.NewFlowAttr(verbs.FlowTypeNormal, s.port).Priority(priority).Specs(specs...)
}

// say sends a frame, whose first bytes lie apart from the rest.
func (s *station) say(frame []byte) {
	s.t.Status("a frame", s.sent(frame), verbs.WCStatusSuccess)
}

// sent sends a frame, and gives how the request completed.
func (s *station) sent(frame []byte) verbs.WCStatus {
	const cut = 9
	first := min(cut, len(frame))
	copy(s.buf, frame[:first])
	copy(s.buf[1000:], frame[first:])
	s.send.WR(0).Send(1).Add(s.sge(0, first)).Add(s.sge(1000, len(frame)-first)).Flags(verbs.SendSignaled)
	s.post(1)
	return s.next(s.sends).Status
}

// Frames are received behind what is sent.
const frameAt, frameRoom = 16 << 10, 2048

// listen posts receives.
func listen(count int, list ...*station) {
	for _, s := range list {
		for i := range count {
			s.room(uint64(i), frameAt+frameRoom*i, frameRoom)
		}
	}
}

// hears checks the next frame that comes, into receive id.
func (s *station) hears(what string, id int, frame []byte) {
	wc := s.next(s.recvs)
	s.t.Status(what, wc.Status, verbs.WCStatusSuccess)
	holds(s.t, what, s.buf[frameAt+frameRoom*id:][:len(frame)], frame)
	if wc.ID != uint64(id) || wc.Opcode != verbs.WCOpcodeRecv || wc.ByteLen != uint32(len(frame)) || wc.Flags&verbs.WCFlagGRH != 0 {
		s.t.Errorf("%s: %+v; want id %d, %d bytes", what, wc, id, len(frame))
	}
}

// nothing checks that no frame came. A frame is there when its sender's request has completed.
func nothing(t *suite.T, what string, list ...*station) {
	for _, s := range list {
		idle(t, what, s.recvs)
	}
}

func steered(t *suite.T) {
	all := stations(t, 3)
	a, b := all[0], all[1]
	listen(4, all...)
	for i, size := range []int{0, 1, 46, 1500} {
		out := frame(macB, macA, 0, 0x88b5, fill(make([]byte, size), i))
		var flow *verbs.Flow
		if i > 0 { // without one at first
			flow = b.flow(b.taking(0, to(macB)))
		}
		if a.say(out); flow != nil {
			b.hears("the frame", i-1, out)
			a.say(frame(macA, macB, 0, 0x88b5, nil))
			t.OK("Close", flow.Close())
			a.say(out)
		}
		nothing(t, "no flow steers it here", all...)
	}
	a.flow(a.taking(0, to(macB))) // back to the sender
	out := frame(macB, macA, 0, 0x88b5, []byte("to itself"))
	a.say(out)
	a.hears("the sender's own frame", 0, out)
	nothing(t, "a flow that was closed", b)
}

func eachMatch(t *suite.T) {
	a, b := stationOn(t, 1, nil), stationOn(t, 1, nil)
	for _, m := range matches() {
		f, err := b.qp.CreateFlow(b.taking(0, m.spec))
		if t.Soft() == nil && errors.Is(err, errors.ErrUnsupported) { // devices differ in what they match
			t.Saw(m.what, err)
			continue
		}
		f = must(f, err)(t)
		listen(1, b)
		if m.not != nil {
			a.say(m.not)
			nothing(t, m.what, b)
		}
		if m.yes == nil { // the receive is used all the same
			t.OK("Close", f.Close())
			f, m.yes = must(b.qp.CreateFlow(b.taking(0)))(t), m.not
		}
		a.say(m.yes)
		b.hears(m.what, 0, m.yes)
		t.OK("Close", f.Close())
	}
	both := must(b.qp.CreateFlow(b.taking(0, to(macB), &verbs.FlowSpecUDP{}, &verbs.FlowSpecIPv4{})))(t)
	listen(1, b)
	udp := ipv4(1, 2, 17, 0, 64, 0, portsOf(1, 2))
	a.say(frame(macA, macB, 0, 0x800, udp))
	a.say(frame(macB, macA, 0, 0x800, ipv4(1, 2, 6, 0, 64, 0, portsOf(1, 2))))
	a.say(frame(macB, macA, 0, 0x86dd, ipv6([16]byte{}, [16]byte{}, 0, 0, 17, 1, portsOf(1, 2))))
	nothing(t, "one of three specs is not met", b)
	a.say(frame(macB, macA, 0, 0x800, udp))
	b.hears("three specs", 0, frame(macB, macA, 0, 0x800, udp))
	t.OK("Close", both.Close())
}

func priorities(t *suite.T) {
	a, all := stationOn(t, 1, nil), stations(t, 3)
	high, low, same := all[0], all[1], all[2]
	listen(4, all...)
	out := func(text string) []byte { return frame(macB, macA, 0, 0x88b5, []byte(text)) }
	low.flow(low.taking(7, to(macB)))
	first := high.flow(high.taking(3, to(macB)))
	also := []verbs.FlowSpec{to(macB)}
	if t.Soft() != nil { // mlx5 takes the second of two Ethernet specs for both, and gives a frame to one of two rules that differ
		also = append(also, &verbs.FlowSpecEth{})
	}
	same.flow(same.taking(3, also...))
	a.say(out("to the lower number"))
	high.hears("the lower number", 0, out("to the lower number"))
	same.hears("the same number", 0, out("to the lower number"))
	nothing(t, "a higher number", low)
	t.OK("Close", first.Close())
	keeps := high.flow(high.taking(1, to(macB)).Flags(verbs.FlowFlagsDontTrap))
	a.say(out("to whoever comes next too"))
	high.hears("one that does not keep it", 1, out("to whoever comes next too"))
	same.hears("the next number", 1, out("to whoever comes next too"))
	nothing(t, "behind one that keeps it", low)
	t.OK("Close", keeps.Close())
	high.flow(high.taking(3, to(macA)))
	a.say(frame(macA, macB, 0, 0x88b5, nil))
	high.hears("another frame", 2, frame(macA, macB, 0, 0x88b5, nil))
	nothing(t, "in the end", all...)
}

func defaults(t *suite.T) {
	a, list := stationOn(t, 1, nil), stations(t, 4)
	normal, all, group, sniffer := list[0], list[1], list[2], list[3]
	listen(4, list...)
	of := func(s *station, kind verbs.FlowType) { s.flow(verbs.NewFlowAttr(kind, 1)) }
	of(all, verbs.FlowTypeAllDefault)
	of(all, verbs.FlowTypeMcDefault) // one copy all the same
	of(group, verbs.FlowTypeMcDefault)
	sniffs, err := sniffer.qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeSniffer, 1))
	if t.Soft() != nil || !errors.Is(err, errors.ErrUnsupported) { // mlx5 has sniffers with some firmware
		f := must(sniffs, err)(t)
		t.Cleanup(func() { f.Close() })
	}
	normal.flow(normal.taking(0, to(macB)))
	one, many, rest := frame(macB, macA, 0, 0x88b5, nil), frame(macGroup, macA, 0, 0x88b5, []byte("many")),
		frame(macA, macB, 0, 0x88b5, []byte("nobody's"))
	for i, f := range [][]byte{one, many, rest} {
		a.say(f)
		if sniffs != nil {
			sniffer.hears("all", i, f)
		}
	}
	normal.hears("what it takes", 0, one)
	all.hears("what nobody takes, to a group", 0, many)
	all.hears("what nobody takes", 1, rest)
	group.hears("what nobody takes, to a group", 0, many)
	nothing(t, "in the end", list...)
	if must(t.Device().QueryDevice())(t).PhysPortCnt > 1 {
		stationOn(t, 2, nil).say(one)
		nothing(t, "a frame of another port", list...)
	}
}

// counting makes counters of packets at index 0 and of bytes at index 2.
func counting(t *suite.T) *verbs.Counters {
	c := must(t.Device().CreateCounters())(t)
	t.OK("packets", c.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionPackets, 0), nil))
	t.OK("bytes", c.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionBytes, 2), nil))
	return c
}

// has checks what was counted.
func has(t *suite.T, what string, c *verbs.Counters, packets, bytes uint64) {
	values := []uint64{9, 9, 9}
	if err := c.Read(values, 0); err != nil || values[0] != packets || values[1] != 0 || values[2] != bytes {
		t.Errorf("%s: counted %v, %v; want %d packets of %d bytes", what, values, err, packets, bytes)
	}
}

func dropped(t *suite.T) {
	a, b := stationOn(t, 1, nil), stationOn(t, 1, nil)
	listen(2, b)
	c, sent := counting(t), counting(t)
	b.flow(b.taking(5, to(macB)))
	drop := b.flow(b.taking(1, to(macB), &verbs.FlowSpecUDP{}, &verbs.FlowSpecDrop{}, &verbs.FlowSpecCount{Counters: c}))
	udp := frame(macB, macA, 0, 0x800, ipv4(1, 2, 17, 0, 64, 0, portsOf(1, 2)))
	other := frame(macB, macA, 0, 0x88b5, []byte("not UDP"))
	a.say(udp)
	a.say(other)
	b.hears("what is not dropped", 0, other)
	nothing(t, "what is dropped", b)
	has(t, "dropped", c, 1, uint64(len(udp)))
	t.OK("Close", drop.Close())
	ours := &verbs.FlowSpecEth{Val: verbs.FlowEthFilter{EtherType: 0x88b5}, Mask: verbs.FlowEthFilter{EtherType: 0xffff}}
	egress := a.flow(a.taking(0, ours, &verbs.FlowSpecDrop{}, &verbs.FlowSpecCount{Counters: sent}).Flags(verbs.FlowFlagsEgress))
	a.say(other)
	a.say(udp)
	b.hears("what leaves", 1, udp)
	nothing(t, "what does not leave", b)
	has(t, "of what is sent", sent, 1, uint64(len(other)))
	t.OK("Close", egress.Close())
}

func countedFrames(t *suite.T) {
	a, b, other := stationOn(t, 1, nil), stationOn(t, 1, nil), stationOn(t, 1, nil)
	listen(4, b) // fewer than come
	c := counting(t)
	flow := b.flow(b.taking(0, to(macB), &verbs.FlowSpecCount{Counters: c}))
	has(t, "before any came", c, 0, 0)
	var packets, bytes uint64
	for i, size := range []int{0, 46, 100, 1500, 7, 99} {
		f := frame(macB, macA, 0, 0x88b5, make([]byte, size))
		a.say(f)
		packets, bytes = packets+1, bytes+uint64(len(f))
		has(t, "after a frame", c, packets, bytes)
		a.say(frame(macA, macB, 0, 0x88b5, make([]byte, size)))
		if has(t, "after a frame that it does not take", c, packets, bytes); i < 4 {
			b.hears("counted", i, f)
		}
	}
	nothing(t, "more than there were receives", b)
	second := other.flow(other.taking(0, to(macA), &verbs.FlowSpecCount{Counters: c})) // of another queue pair
	a.say(frame(macA, macB, 0, 0x88b5, make([]byte, 50)))
	has(t, "by two flows", c, packets+1, bytes+64)
	t.OK("Close", flow.Close())
	a.say(frame(macB, macA, 0, 0x88b5, make([]byte, 50)))
	has(t, "by the one that is left", c, packets+1, bytes+64)
	t.OK("Close", second.Close())
	t.OK("Close of the counters", c.Close())
}

func tagged(t *suite.T) {
	const fields = verbs.WCFieldByteLen | verbs.WCFieldFlowTag
	cq := extendedCQ(t, fields, 0)
	a, b := stationOn(t, 1, nil), stationOn(t, 1, cq)
	r := must(cq.Reader(fields))(t)
	listen(3, b)
	b.flow(b.taking(0, to(macB), &verbs.FlowSpecTag{TagID: 0xabcde}))
	b.flow(b.taking(1, to(macA), &verbs.FlowSpecTag{TagID: 7}))
	b.flow(b.taking(2))
	for i, to := range [][6]byte{macA, macB, macGroup} {
		a.say(frame(to, macA, 0, 0x88b5, nil))
		if wc := readOne(t, r); wc.ID != uint64(i) || wc.Status != 0 || wc.FlowTag != []uint32{7, 0xabcde, 0}[i] || wc.ByteLen != 14 {
			t.Errorf("frame %d: %+v", i, wc)
		}
	}
}

func oddFrames(t *suite.T) {
	const long = 9000
	b := stationOn(t, 1, nil)
	b.flow(b.taking(0, to(macB)))
	listen(1, b)
	for _, size := range []int{1, 13, long} {
		a := stationOn(t, 1, nil)
		if status := a.sent(append(macB[:], make([]byte, long)...)[:size]); status == verbs.WCStatusSuccess {
			t.Errorf("a frame of %d bytes is sent", size)
		}
		nothing(t, "of such a size", b)
	}
	n := &near{t: t, pd: newPD(t), sends: newCQ(t)}
	n.recvs = n.sends
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeRawPacket, n.sends, n.recvs, n.pd).MaxSendWR(depth).MaxSendSGE(1)
	fails(t, "WRITE of raw packets", errorOf(t.Device().CreateQPEx(attr.SendOps(verbs.QPOpRDMAWrite))), errors.ErrUnsupported)
	n.with(must(t.Device().CreateQPEx(attr.SendOps(verbs.QPOpSend)))(t))
	n.stream = must(n.qp.Stream())(t)
	t.OK("on the way to RTS", verbs.RawPacketSetup{PortNum: 1}.ToRTS(n.qp))
	out := frame(macB, macA, 0, 0x88b5, []byte("by a stream"))
	copy(n.buf, out)
	n.send.WR(0).Send(1).Add(n.sge(0, len(out))).Flags(verbs.SendSignaled)
	n.post(1)
	n.finished("by a stream", 1, verbs.WCOpcodeSend)
	b.hears("by a stream", 0, out)
}

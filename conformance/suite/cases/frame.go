//go:build linux

package cases

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/dpath"
)

// frames are the cases of flows with traffic: Ethernet frames between queue pairs of raw packets.
func frames() []suite.Case {
	const family = "flow"
	need := needs(suite.RawPacket, suite.RawLoop, suite.Flows)
	counted := slices.Concat(need, needs(suite.Counters))
	c := func(n int, title, page string, need []suite.Capability, run func(*suite.T)) suite.Case {
		return suite.Case{ID: id("flow", n), Family: family, Title: title, Page: page, Needs: need, Run: run}
	}
	return []suite.Case{
		c(10, "a frame goes where a flow steers it, byte for byte, and nowhere without one", "ibv_create_flow", need, steered),
		c(11, "each field of the headers: with the value, with another, and with a mask", "ibv_create_flow", need, eachMatch),
		c(12, "priorities: the lowest number takes a frame, and leaves it to others with DONT_TRAP", "ibv_create_flow", need, priorities),
		c(13, "what no flow takes goes to the default ones; a sniffer takes all", "ibv_create_flow", need, defaults),
		c(14, "a flow drops what it takes; one of what is sent, before it leaves", "ibv_create_flow", counted, dropped),
		c(15, "packets and bytes are counted, of one flow and of two", "ibv_read_counters", counted, countedFrames),
		c(16, "the tag of a flow is read with the completion", "ibv_create_flow", slices.Concat(need, needs(suite.CQEx)), tagged),
		c(17, "frames that are too short and too long, and of streams", "ibv_create_qp", slices.Concat(need, needs(suite.QPEx)), oddFrames),
	}
}

// station is a queue pair of raw packets.
type station struct {
	*near
	port uint8
}

// stationOn makes one that sends and receives on a port. Its receives complete in cq, if there is one.
func stationOn(t *suite.T, port uint8, cq *verbs.CQ) *station {
	n := &near{t: t, pd: newPD(t), sends: must(t.Device().CreateCQ(depth, nil, 0))(t), recvs: cq}
	if cq == nil {
		n.recvs = must(t.Device().CreateCQ(depth, nil, 0))(t)
	}
	n.with(must(n.pd.CreateQP(verbs.NewQPInitAttr(verbs.QPTypeRawPacket, n.sends, n.recvs).MaxSendWR(depth).MaxRecvWR(depth).MaxSendSGE(3).MaxRecvSGE(3)))(t))
	for _, attr := range []*verbs.QPAttr{verbs.NewQPAttr(verbs.QPStateInit).PortNum(port), verbs.NewQPAttr(verbs.QPStateRTR), verbs.NewQPAttr(verbs.QPStateRTS)} {
		if err := n.qp.Modify(attr); err != nil {
			t.Fatalf("a queue pair of raw packets: %v", err)
		}
	}
	return &station{n, port}
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
	s.t.Status("a frame", s.sent(frame), suite.StatusSuccess)
}

// sent sends a frame, and gives how the request completed.
func (s *station) sent(frame []byte) int {
	const cut = 9
	first := min(cut, len(frame))
	copy(s.buf, frame[:first])
	copy(s.buf[1000:], frame[first:])
	s.send.WR(0).Send(1).Add(s.sge(0, first)).Add(s.sge(1000, len(frame)-first)).Flags(verbs.SendSignaled)
	s.post(1)
	return int(s.next(s.sends).Status)
}

// Frames are received behind what is sent.
const frameAt, frameRoom = 16 << 10, 2048

// listen posts receives.
func (s *station) listen(count int) {
	for i := range count {
		s.room(uint64(i), frameAt+frameRoom*i, frameRoom)
	}
}

// hears checks the next frame that comes, into receive id.
func (s *station) hears(what string, id int, frame []byte) {
	wc := s.next(s.recvs)
	s.t.Status(what, int(wc.Status), suite.StatusSuccess)
	got := s.buf[frameAt+frameRoom*id:][:len(frame)]
	if wc.ID != uint64(id) || wc.Opcode != wcRecv || wc.ByteLen != uint32(len(frame)) || wc.Flags&wcGRH != 0 || !slices.Equal(got, frame) {
		s.t.Errorf("%s: %+v, %s", what, wc, differing(got, frame))
	}
}

// silent checks that no frame came. A frame is there when its sender's request has completed.
func (s *station) silent(what string) {
	var wcs [1]dpath.WC
	if n := must(s.recvs.PollInto(wcs[:]))(s.t); n != 0 {
		s.t.Errorf("%s: %+v", what, wcs[0])
	}
}

// Addresses of frames.
var (
	macA     = [6]byte{0x02, 0, 0, 0, 0, 0xa}
	macB     = [6]byte{0x02, 0, 0, 0, 0, 0xb}
	macGroup = [6]byte{0x01, 0, 0x5e, 1, 2, 3}
)

// frame writes the header of Ethernet before a payload. A tag other than 0 is that of a VLAN.
func frame(to, from [6]byte, tag, kind uint16, payload []byte) []byte {
	b := append(append([]byte{}, to[:]...), from[:]...)
	if tag != 0 {
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, 0x8100), tag)
	}
	return append(binary.BigEndian.AppendUint16(b, kind), payload...)
}

// ipv4 writes a header of IPv4, with four bytes of options, before a payload.
func ipv4(src, dst uint32, proto, tos, ttl, flags byte, payload []byte) []byte {
	b := []byte{0x46, tos, 0, byte(24 + len(payload)), 0, 0, flags << 5, 0, ttl, proto, 0, 0}
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, src), dst)
	return append(append(b, 1, 1, 1, 0), payload...)
}

// ipv6 writes a header of IPv6 before a payload.
func ipv6(src, dst [16]byte, class byte, label uint32, next, hops byte, payload []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, 6<<28|uint32(class)<<20|label)
	b = append(binary.BigEndian.AppendUint16(b, uint16(len(payload))), next, hops)
	return append(append(append(b, src[:]...), dst[:]...), payload...)
}

// portsOf writes the ports that UDP and TCP begin with, and something behind them.
func portsOf(src, dst uint16) []byte {
	return append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, src), dst), "and the rest"...)
}

// to is a spec that matches the address that a frame is for.
func to(mac [6]byte) verbs.FlowSpec {
	return verbs.NewFlowSpecEth().Val(verbs.NewFlowEthFilter().DstMAC(mac)).Mask(verbs.NewFlowEthFilter().DstMAC([6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}))
}

func steered(t *suite.T) {
	a, b, other := stationOn(t, 1, nil), stationOn(t, 1, nil), stationOn(t, 1, nil)
	for _, s := range []*station{a, b, other} {
		s.listen(4)
	}
	for i, size := range []int{0, 1, 46, 1500} {
		out := frame(macB, macA, 0, 0x88b5, fill(make([]byte, size), i))
		var flow *verbs.Flow
		if i > 0 { // without one at first
			flow = b.flow(b.taking(0, to(macB)))
		}
		if a.say(out); flow != nil {
			b.hears("the frame", i-1, out)
			a.say(frame(macA, macB, 0, 0x88b5, nil))
			ok(t, "Close", flow.Close())
			a.say(out)
		}
		for _, s := range []*station{a, b, other} {
			s.silent("no flow steers it here")
		}
	}
	a.flow(a.taking(0, to(macB))) // back to the sender
	out := frame(macB, macA, 0, 0x88b5, []byte("to itself"))
	a.say(out)
	a.hears("the sender's own frame", 0, out)
	b.silent("a flow that was closed")
}

// match is a spec, a frame that it matches and one that it does not.
type match struct {
	what     string
	spec     verbs.FlowSpec
	yes, not []byte
}

// matches are a table of all fields, each as a whole, and some by a part.
func matches() []match {
	eth, v4, v4x, v6, ports := verbs.NewFlowEthFilter, verbs.NewFlowIPv4Filter, verbs.NewFlowIPv4ExtFilter, verbs.NewFlowIPv6Filter, verbs.NewFlowPortFilter
	plain := func(kind uint16) []byte {
		return frame(macB, macA, 0, kind, []byte("some payload, long enough for any header there is"))
	}
	in4 := func(src, dst uint32, proto, tos, ttl, flags byte) []byte {
		return frame(macB, macA, 0, 0x800, ipv4(src, dst, proto, tos, ttl, flags, portsOf(7, 9)))
	}
	one, two := [16]byte{0: 0xfd, 15: 1}, [16]byte{0: 0xfd, 15: 2}
	in6 := func(src, dst [16]byte, class byte, label uint32, next, hops byte) []byte {
		return frame(macB, macA, 0, 0x86dd, ipv6(src, dst, class, label, next, hops, portsOf(7, 9)))
	}
	all16 := [16]byte(slices.Repeat([]byte{0xff}, 16))
	all6 := [6]byte(slices.Repeat([]byte{0xff}, 6))
	const some = uint32(0x0a000102)
	usual4, usual6 := in4(some, some+1, 17, 0, 64, 2), in6(one, two, 0x11, 0x12345, 17, 64)
	return []match{
		{"no mask", verbs.NewFlowSpecEth().Val(eth().EtherType(5)), plain(0x88b5), nil},
		{"destination", to(macB), plain(0x88b5), frame(macGroup, macA, 0, 0x88b5, nil)},
		{"source", verbs.NewFlowSpecEth().Val(eth().SrcMAC(macA)).Mask(eth().SrcMAC(all6)), plain(0x88b5), frame(macB, macB, 0, 0x88b5, nil)},
		{"type", verbs.NewFlowSpecEth().Val(eth().EtherType(0x88b5)).Mask(eth().EtherType(0xffff)), plain(0x88b5), plain(0x88b6)},
		{"the type behind a tag", verbs.NewFlowSpecEth().Val(eth().EtherType(0x88b5)).Mask(eth().EtherType(0xffff)), frame(macB, macA, 9, 0x88b5, nil), frame(macB, macA, 9, 0x88b6, nil)},
		{"VLAN", verbs.NewFlowSpecEth().Val(eth().VLANTag(9)).Mask(eth().VLANTag(0xfff)), frame(macB, macA, 0xe009, 0x88b5, nil), frame(macB, macA, 10, 0x88b5, nil)},
		{"VLAN of a frame without", verbs.NewFlowSpecEth().Val(eth()).Mask(eth().VLANTag(0xfff)), frame(macB, macA, 0xe000, 0x88b5, nil), plain(0x88b5)},
		{"any IPv4", verbs.NewFlowSpecIPv4(), usual4, usual6},
		{"IPv4 source", verbs.NewFlowSpecIPv4().Val(v4().SrcIP(some)).Mask(v4().SrcIP(0xffffffff)), usual4, in4(some+1, some+1, 17, 0, 64, 2)},
		{"IPv4 destination by a part", verbs.NewFlowSpecIPv4().Val(v4().DstIP(some)).Mask(v4().DstIP(0xffffff00)), usual4, in4(some, some+256, 17, 0, 64, 2)},
		{"IPv4 behind a tag", verbs.NewFlowSpecIPv4().Val(v4().SrcIP(some)).Mask(v4().SrcIP(0xffffffff)), frame(macB, macA, 3, 0x800, usual4[14:]), plain(0x800)},
		{"IPv4 protocol", verbs.NewFlowSpecIPv4Ext().Val(v4x().Proto(17)).Mask(v4x().Proto(0xff)), usual4, in4(some, some, 6, 0, 64, 2)},
		{"IPv4 type of service", verbs.NewFlowSpecIPv4Ext().Val(v4x().TOS(0x20)).Mask(v4x().TOS(0xf0)), in4(some, some, 17, 0x2f, 64, 2), usual4},
		{"IPv4 time to live", verbs.NewFlowSpecIPv4Ext().Val(v4x().TTL(64)).Mask(v4x().TTL(0xff)), usual4, in4(some, some, 17, 0, 63, 2)},
		{"IPv4 flags", verbs.NewFlowSpecIPv4Ext().Val(v4x().Flags(2)).Mask(v4x().Flags(7)), usual4, in4(some, some, 17, 0, 64, 1)},
		{"IPv6 source", verbs.NewFlowSpecIPv6().Val(v6().SrcIP(one)).Mask(v6().SrcIP(all16)), usual6, in6(two, two, 0, 0, 17, 64)},
		{"IPv6 destination", verbs.NewFlowSpecIPv6().Val(v6().DstIP(two)).Mask(v6().DstIP(all16)), usual6, in6(one, one, 0, 0, 17, 64)},
		{"IPv6 traffic class", verbs.NewFlowSpecIPv6().Val(v6().TrafficClass(0x11)).Mask(v6().TrafficClass(0xff)), usual6, in6(one, two, 0x12, 0x12345, 17, 64)},
		{"IPv6 flow label", verbs.NewFlowSpecIPv6().Val(v6().FlowLabel(0x12345)).Mask(v6().FlowLabel(0xfffff)), usual6, in6(one, two, 0x11, 0x12344, 17, 64)},
		{"IPv6 next header", verbs.NewFlowSpecIPv6().Val(v6().NextHdr(17)).Mask(v6().NextHdr(0xff)), usual6, in6(one, two, 0x11, 0x12345, 6, 64)},
		{"IPv6 hop limit", verbs.NewFlowSpecIPv6().Val(v6().HopLimit(64)).Mask(v6().HopLimit(0xff)), usual6, in6(one, two, 0x11, 0x12345, 17, 1)},
		{"any UDP", verbs.NewFlowSpecUDP(), usual4, in4(some, some, 6, 0, 64, 2)},
		{"UDP source port", verbs.NewFlowSpecUDP().Val(ports().SrcPort(7)).Mask(ports().SrcPort(0xffff)), usual6, frame(macB, macA, 0, 0x86dd, ipv6(one, two, 0, 0, 17, 1, portsOf(8, 7)))},
		{"UDP destination port", verbs.NewFlowSpecUDP().Val(ports().DstPort(9)).Mask(ports().DstPort(0xffff)), usual4, frame(macB, macA, 0, 0x800, ipv4(some, some, 17, 0, 64, 2, portsOf(9, 7)))},
		{"TCP destination port", verbs.NewFlowSpecTCP().Val(ports().DstPort(9)).Mask(ports().DstPort(0xffff)), in4(some, some, 6, 0, 64, 2), usual4},
		{"UDP of no first fragment", verbs.NewFlowSpecUDP(), usual4, frame(macB, macA, 0, 0x800, slices.Concat(usual4[14:21], []byte{5}, usual4[22:]))},
		{"a header that is cut off", verbs.NewFlowSpecIPv4(), usual4, usual4[:20]},
		{"in a tunnel", verbs.NewFlowSpecIPv4().Inner(), nil, usual4},
	}
}

func eachMatch(t *suite.T) {
	a, b := stationOn(t, 1, nil), stationOn(t, 1, nil)
	for _, m := range matches() {
		f := must(b.qp.CreateFlow(b.taking(0, m.spec)))(t)
		b.listen(1)
		if m.not != nil {
			a.say(m.not)
			b.silent(m.what)
		}
		if m.yes == nil { // the receive is used all the same
			ok(t, "Close", f.Close())
			f, m.yes = must(b.qp.CreateFlow(b.taking(0)))(t), m.not
		}
		a.say(m.yes)
		b.hears(m.what, 0, m.yes)
		ok(t, "Close", f.Close())
	}
	both := must(b.qp.CreateFlow(b.taking(0, to(macB), verbs.NewFlowSpecUDP(), verbs.NewFlowSpecIPv4())))(t)
	b.listen(1)
	udp := ipv4(1, 2, 17, 0, 64, 0, portsOf(1, 2))
	a.say(frame(macA, macB, 0, 0x800, udp))
	a.say(frame(macB, macA, 0, 0x800, ipv4(1, 2, 6, 0, 64, 0, portsOf(1, 2))))
	a.say(frame(macB, macA, 0, 0x86dd, ipv6([16]byte{}, [16]byte{}, 0, 0, 17, 1, portsOf(1, 2))))
	b.silent("one of three specs is not met")
	a.say(frame(macB, macA, 0, 0x800, udp))
	b.hears("three specs", 0, frame(macB, macA, 0, 0x800, udp))
	ok(t, "Close", both.Close())
}

func priorities(t *suite.T) {
	a, high, low, same := stationOn(t, 1, nil), stationOn(t, 1, nil), stationOn(t, 1, nil), stationOn(t, 1, nil)
	for _, s := range []*station{high, low, same} {
		s.listen(4)
	}
	out := func(text string) []byte { return frame(macB, macA, 0, 0x88b5, []byte(text)) }
	low.flow(low.taking(7, to(macB)))
	first := high.flow(high.taking(3, to(macB)))
	same.flow(same.taking(3, to(macB), verbs.NewFlowSpecEth()))
	a.say(out("to the lower number"))
	high.hears("the lower number", 0, out("to the lower number"))
	same.hears("the same number", 0, out("to the lower number"))
	low.silent("a higher number")
	ok(t, "Close", first.Close())
	keeps := high.flow(high.taking(1, to(macB)).Flags(verbs.FlowFlagsDontTrap))
	a.say(out("to whoever comes next too"))
	high.hears("one that does not keep it", 1, out("to whoever comes next too"))
	same.hears("the next number", 1, out("to whoever comes next too"))
	low.silent("behind one that keeps it")
	ok(t, "Close", keeps.Close())
	high.flow(high.taking(3, to(macA)))
	a.say(frame(macA, macB, 0, 0x88b5, nil))
	high.hears("another frame", 2, frame(macA, macB, 0, 0x88b5, nil))
	for _, s := range []*station{high, low, same} {
		s.silent("in the end")
	}
}

func defaults(t *suite.T) {
	a, normal, all, group, sniffer := stationOn(t, 1, nil), stationOn(t, 1, nil), stationOn(t, 1, nil), stationOn(t, 1, nil), stationOn(t, 1, nil)
	for _, s := range []*station{normal, all, group, sniffer} {
		s.listen(4)
	}
	of := func(s *station, kind verbs.FlowType) { s.flow(verbs.NewFlowAttr(kind, 1)) }
	of(all, verbs.FlowTypeAllDefault)
	of(all, verbs.FlowTypeMcDefault) // one copy all the same
	of(group, verbs.FlowTypeMcDefault)
	of(sniffer, verbs.FlowTypeSniffer)
	normal.flow(normal.taking(0, to(macB)))
	one, many, rest := frame(macB, macA, 0, 0x88b5, nil), frame(macGroup, macA, 0, 0x88b5, []byte("many")), frame(macA, macB, 0, 0x88b5, []byte("nobody's"))
	for i, f := range [][]byte{one, many, rest} {
		a.say(f)
		sniffer.hears("all", i, f)
	}
	normal.hears("what it takes", 0, one)
	all.hears("what nobody takes, to a group", 0, many)
	all.hears("what nobody takes", 1, rest)
	group.hears("what nobody takes, to a group", 0, many)
	for _, s := range []*station{normal, all, group, sniffer} {
		s.silent("in the end")
	}
	if must(t.Device().QueryDevice())(t).PhysPortCnt > 1 {
		stationOn(t, 2, nil).say(one)
		for _, s := range []*station{normal, all, group, sniffer} {
			s.silent("a frame of another port")
		}
	}
}

// counting makes counters of packets at index 0 and of bytes at index 2.
func counting(t *suite.T) *verbs.Counters {
	c := must(t.Device().CreateCounters(verbs.NewCountersInitAttr()))(t)
	ok(t, "packets", c.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionPackets, 0), nil))
	ok(t, "bytes", c.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionBytes, 2), nil))
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
	b.listen(2)
	c, sent := counting(t), counting(t)
	b.flow(b.taking(5, to(macB)))
	drop := b.flow(b.taking(1, to(macB), verbs.NewFlowSpecUDP(), verbs.NewFlowSpecDrop(), verbs.NewFlowSpecCount(c)))
	udp := frame(macB, macA, 0, 0x800, ipv4(1, 2, 17, 0, 64, 0, portsOf(1, 2)))
	other := frame(macB, macA, 0, 0x88b5, []byte("not UDP"))
	a.say(udp)
	a.say(other)
	b.hears("what is not dropped", 0, other)
	b.silent("what is dropped")
	has(t, "dropped", c, 1, uint64(len(udp)))
	ok(t, "Close", drop.Close())
	egress := a.flow(a.taking(0, verbs.NewFlowSpecEth().Val(verbs.NewFlowEthFilter().EtherType(0x88b5)).Mask(verbs.NewFlowEthFilter().EtherType(0xffff)), verbs.NewFlowSpecDrop(), verbs.NewFlowSpecCount(sent)).Flags(verbs.FlowFlagsEgress))
	a.say(other)
	a.say(udp)
	b.hears("what leaves", 1, udp)
	b.silent("what does not leave")
	has(t, "of what is sent", sent, 1, uint64(len(other)))
	ok(t, "Close", egress.Close())
}

func countedFrames(t *suite.T) {
	a, b, other := stationOn(t, 1, nil), stationOn(t, 1, nil), stationOn(t, 1, nil)
	b.listen(4) // fewer than come
	c := counting(t)
	flow := b.flow(b.taking(0, to(macB), verbs.NewFlowSpecCount(c)))
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
	b.silent("more than there were receives")
	second := other.flow(other.taking(0, to(macA), verbs.NewFlowSpecCount(c))) // of another queue pair
	a.say(frame(macA, macB, 0, 0x88b5, make([]byte, 50)))
	has(t, "by two flows", c, packets+1, bytes+64)
	ok(t, "Close", flow.Close())
	a.say(frame(macB, macA, 0, 0x88b5, make([]byte, 50)))
	has(t, "by the one that is left", c, packets+1, bytes+64)
	ok(t, "Close", second.Close())
	ok(t, "Close of the counters", c.Close())
}

func tagged(t *suite.T) {
	cq, err := t.Device().CreateCQEx(verbs.NewCQInitAttrEx(depth, verbs.WCFieldByteLen|verbs.WCFieldFlowTag))
	if err != nil {
		t.Fatalf("%v", err)
	}
	a, b := stationOn(t, 1, nil), stationOn(t, 1, cq)
	r := must(cq.Reader(verbs.WCFieldByteLen | verbs.WCFieldFlowTag))(t)
	b.listen(3)
	b.flow(b.taking(0, to(macB), verbs.NewFlowSpecTag(0xabcde)))
	b.flow(b.taking(1, to(macA), verbs.NewFlowSpecTag(7)))
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
	b.listen(1)
	for _, size := range []int{1, 13, long} {
		a := stationOn(t, 1, nil)
		if status := a.sent(append(macB[:], make([]byte, long)...)[:size]); status == suite.StatusSuccess {
			t.Errorf("a frame of %d bytes is sent", size)
		}
		b.silent("of such a size")
	}
	n := &near{t: t, pd: newPD(t), sends: must(t.Device().CreateCQ(depth, nil, 0))(t)}
	n.recvs = n.sends
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeRawPacket, n.sends, n.recvs, n.pd).MaxSendWR(depth).MaxSendSGE(1)
	if _, err := t.Device().CreateQPEx(attr.SendOps(verbs.QPOpRDMAWrite)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("WRITE of raw packets: %v", err)
	}
	n.with(must(t.Device().CreateQPEx(attr.SendOps(verbs.QPOpSend)))(t))
	n.stream = must(n.qp.Stream())(t)
	for _, attr := range []*verbs.QPAttr{verbs.NewQPAttr(verbs.QPStateInit).PortNum(1), verbs.NewQPAttr(verbs.QPStateRTR), verbs.NewQPAttr(verbs.QPStateRTS)} {
		ok(t, "on the way to RTS", n.qp.Modify(attr))
	}
	out := frame(macB, macA, 0, 0x88b5, []byte("by a stream"))
	copy(n.buf, out)
	n.send.WR(0).Send(1).Add(n.sge(0, len(out))).Flags(verbs.SendSignaled)
	n.post(1)
	n.finished("by a stream", 1, wcSend)
	b.hears("by a stream", 0, out)
}
